# ruff: noqa: RUF001, RUF002 (letters that look alike are what this file is about)
"""Names of teams: what may be one, and when two look alike."""

from __future__ import annotations

import unicodedata

from carob_challenge.errors import RefusedError

LONGEST = 60

_SCRIPTS = ("LATIN", "GREEK", "CYRILLIC")
"""Scripts with letters that look alike: a name has letters of one of them at most."""

_LIKE = str.maketrans({
    # Cyrillic
    "а": "a", "в": "b", "с": "c", "ԁ": "d", "е": "e", "ѐ": "e", "ё": "e", "ғ": "f", "ԍ": "g",
    "н": "h", "һ": "h", "і": "l", "ї": "l", "ј": "j", "к": "k", "ӏ": "l", "м": "m", "о": "o",
    "р": "p", "ԛ": "q", "г": "r", "ѕ": "s", "т": "t", "у": "y", "ү": "y", "ѵ": "v", "ԝ": "w",
    "х": "x", "з": "3", "ь": "b", "б": "6", "ч": "4", "п": "n", "и": "u", "ԥ": "n",
    # Greek
    "α": "a", "β": "b", "ϲ": "c", "ε": "e", "η": "n", "ι": "l", "κ": "k", "μ": "u", "ν": "v",
    "ο": "o", "ρ": "p", "σ": "o", "ς": "c", "τ": "t", "υ": "u", "χ": "x", "γ": "y", "ζ": "z",
    "ω": "w", "ϳ": "j", "δ": "d", "π": "n", "λ": "a",
    # Latin
    "ı": "l", "i": "l", "ɑ": "a", "ɡ": "g", "ƚ": "l", "ł": "l", "ø": "o", "đ": "d", "ð": "d",
    "ħ": "h", "ŧ": "t", "æ": "ae", "œ": "oe", "ß": "b", "þ": "p", "ſ": "f", "ʀ": "r", "ʏ": "y",
    # Digits: others would make one of Team 6 and Team 8
    "0": "o", "1": "l",
})  # fmt: skip
"""What a letter or digit can be taken for, after case folding."""


def folded(name: str) -> str:
    """A form that is the same for names that look alike: no two teams may have the same.

    Compatibility forms, accents, case, white space and punctuation do not count, and letters and
    digits that are easily taken for each other are one.

    >>> folded("Team One"), folded("teаm-0ne"), folded("TEAM ONÉ")
    ('tearnone', 'tearnone', 'tearnone')
    """
    text = unicodedata.normalize("NFKD", name).casefold()
    text = unicodedata.normalize("NFKD", text).translate(_LIKE)
    kept = "".join(sign for sign in text if unicodedata.category(sign)[0] in "LN")
    return kept.replace("m", "rn").replace("w", "vv")


def check_name(name: str) -> str:
    """The name of a team as it is kept; one that could deceive is refused, with the reason.

    >>> check_name("  Ann   Lee ")
    'Ann Lee'
    >>> check_name("Tеam")
    Traceback (most recent call last):
    carob_challenge.errors.RefusedError: the name mixes letters of CYRILLIC and LATIN
    """
    text = " ".join(unicodedata.normalize("NFC", name).split())
    if not text:
        raise RefusedError("a team needs a name")
    if len(text) > LONGEST:
        raise RefusedError(f"the name has {len(text):,} characters, and at most {LONGEST} fit")
    for sign in text:
        kind = unicodedata.category(sign)
        if kind[0] in "CZ" and sign != " ":
            raise RefusedError(f"the name has a sign that cannot be seen (U+{ord(sign):04X})")
    scripts = sorted({
        script for sign in text if sign.isalpha()
        for script in [unicodedata.name(sign, "").partition(" ")[0]] if script in _SCRIPTS
    })  # fmt: skip
    if len(scripts) > 1:
        raise RefusedError(f"the name mixes letters of {' and '.join(scripts)}")
    if not folded(text):
        raise RefusedError("the name needs a letter or a digit")
    return text
