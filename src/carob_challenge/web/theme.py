"""The colour of a challenge, on light and on dark paper, as a style sheet."""

from __future__ import annotations

Rgb = tuple[float, float, float]

WHITE, DARK = (1.0, 1.0, 1.0), (0.082, 0.098, 0.118)
"""The paper of pages (see site.css)."""

CONTRAST = 4.5
"""What WCAG asks of text."""


def style_sheet(colour: str) -> str:
    """The style sheet for a colour like #0a5c8f: nothing if there is none.

    >>> print(style_sheet("#ffcc00"))
    :root { --accent: #8f7200; --on-accent: #ffffff; }
    @media (prefers-color-scheme: dark) { :root { --accent: #ffcc00; --on-accent: #15191e; } }
    <BLANKLINE>
    >>> style_sheet("")
    ''
    """
    if not colour:
        return ""
    own = _rgb(colour)
    light, dark = readable(own, WHITE, (0.0, 0.0, 0.0)), readable(own, DARK, WHITE)
    return (
        f":root {{ --accent: {_hex(light)}; --on-accent: #ffffff; }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ --accent: {_hex(dark)}; "
        "--on-accent: #15191e; } }\n"
    )


def readable(colour: Rgb, paper: Rgb, towards: Rgb) -> Rgb:
    """The colour, moved towards black or white until text in it can be read on paper."""
    for step in range(101):
        mixed = tuple(a + (b - a) * step / 100 for a, b in zip(colour, towards, strict=True))
        made: Rgb = mixed[0], mixed[1], mixed[2]
        if contrast(made, paper) >= CONTRAST:
            return made
    return towards


def contrast(one: Rgb, other: Rgb) -> float:
    """The contrast of two colours, as WCAG defines it.

    >>> round(contrast((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)))
    21
    """
    first, second = sorted((_luminance(one), _luminance(other)))
    return (second + 0.05) / (first + 0.05)


def _luminance(colour: Rgb) -> float:
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _rgb(text: str) -> Rgb:
    red, green, blue = (int(text[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue


def _hex(colour: Rgb) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in colour)
