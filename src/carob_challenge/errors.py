"""What a challenge refuses, in one family: each error has a sentence for people and the status that
HTTP has for it.

ChallengeError
├── NotAllowedError    the viewer may not do or see this (403)
├── NotFoundError      there is no such thing, or none that the viewer may see (404)
├── RefusedError       the request is understood and cannot be granted (409)
│   ├── ClosedError    the phase is not open
│   └── QuotaError     the quota of the phase is used
├── TooLargeError      a file has more bytes than the challenge takes (413)
├── RateError          too many requests (429); says when to try again
└── UnavailableError   the database or the disk does not answer (503); says when to try again
"""

from __future__ import annotations

from typing import ClassVar

from carob.corpus.problems import CarobError


class ChallengeError(CarobError):
    """Everything that a challenge refuses.

    >>> RateError("too many requests", 30).retry_after
    30
    """

    status: ClassVar[int] = 400
    retry_after: int | None = None
    """After how many seconds it is worth to try again; None if that would not help."""

    def __init__(self, sentence: str, retry_after: int | None = None) -> None:
        super().__init__(sentence)
        self.retry_after = retry_after


class NotAllowedError(ChallengeError):
    """The viewer may not do or see this."""

    status: ClassVar[int] = 403


class NotFoundError(ChallengeError):
    """There is no such thing, or none that the viewer may see: the two are not told apart."""

    status: ClassVar[int] = 404


class RefusedError(ChallengeError):
    """The request is understood and cannot be granted."""

    status: ClassVar[int] = 409


class ClosedError(RefusedError):
    """The phase is not open."""


class QuotaError(RefusedError):
    """The quota of the phase is used."""


class TooLargeError(ChallengeError):
    """A file has more bytes than the challenge takes."""

    status: ClassVar[int] = 413


class RateError(ChallengeError):
    """Too many requests."""

    status: ClassVar[int] = 429


class UnavailableError(ChallengeError):
    """The database or the disk does not answer. What they said is in `detail`: it is for the log,
    and never for the public.
    """

    status: ClassVar[int] = 503

    def __init__(self, sentence: str, retry_after: int | None = None, detail: str = "") -> None:
        super().__init__(sentence, retry_after)
        self.detail = detail
