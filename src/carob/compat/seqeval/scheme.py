"""The tagging schemes of seqeval.scheme, and their detection."""

from carob.arrays.peer_schemes import BILOU, IOB1, IOB2, IOBES, IOE1, IOE2, Token
from carob.compat.seqeval.metrics.sequence_labeling import auto_detect

__all__ = ["BILOU", "IOB1", "IOB2", "IOBES", "IOE1", "IOE2", "Token", "auto_detect"]
