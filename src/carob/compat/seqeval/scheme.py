"""The tagging schemes of seqeval.scheme."""

from carob.arrays.peer_schemes import BILOU, IOB1, IOB2, IOBES, IOE1, IOE2, Token

__all__ = ["BILOU", "IOB1", "IOB2", "IOBES", "IOE1", "IOE2", "Token"]
