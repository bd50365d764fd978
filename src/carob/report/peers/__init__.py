"""Tables of other tools, byte for byte as they print them. One file for each tool.

Each has a frozen dataclass with a `name` and parameters. Calling it with counts makes the text. The
tools that read nothing but tags have a method `count`, which counts those of gold and an answer.
"""

from carob.report.peers.conlleval import Conlleval
from carob.report.peers.faireval import FairEval
from carob.report.peers.seqeval import Seqeval

TOOLS = {each.name: each for each in (Conlleval, FairEval, Seqeval)}
"""The tables by the names of the tools."""
