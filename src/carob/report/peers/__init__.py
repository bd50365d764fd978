"""Tables of other tools, byte for byte as they print them. One file for each tool.

Each has a frozen dataclass with a `name` and parameters. If it `reads` tags, its `count` makes
counts of the tags of gold and an answer; if it `reads` scores, its `recipes` say which. Calling it
makes the text.
"""

from carob.report.peers.conlleval import Conlleval
from carob.report.peers.faireval import FairEval
from carob.report.peers.seqeval import Seqeval

TOOLS = {each.name: each for each in (Conlleval, FairEval, Seqeval)}
"""The tables by the names of the tools."""
