"""Secrets: 256 random bits, shown once, stored as their SHA-256."""

from __future__ import annotations

import hashlib
import re
import secrets

_SECRET = re.compile(r"[A-Za-z0-9_-]{20,100}")


def new_secret() -> str:
    """A new secret, which can be part of an address.

    >>> len(new_secret())
    43
    """
    secret = secrets.token_urlsafe(32)
    # A command would take one that begins with a hyphen for an option.
    return secret if secret[0] not in "-_" else new_secret()


def stored(secret: str) -> str:
    """The form in which a secret is stored, and by which it is looked up.

    What is compared is a hash of what was sent. Somebody who measures how long the comparison
    takes learns about the hash alone, and cannot choose it, so the time says nothing about the
    secret.

    >>> stored("x" * 43)[:8], stored("not a secret")
    ('cc0b1c2c', '')
    """
    if not _SECRET.fullmatch(secret):
        return ""
    return hashlib.sha256(secret.encode()).hexdigest()
