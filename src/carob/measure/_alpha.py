"""How much precision and recall matter: given as beta or as alpha, for F and E alike."""

from __future__ import annotations

import math

from carob.corpus.problems import RecipeError


def settled(
    name: str, beta: float | None, alpha: float | None
) -> tuple[float | None, float | None]:
    """Beta and alpha as given, both None where that is 1 and 0.5, the usual balance.

    >>> settled("F", 1.0, None), settled("F", 2.0, None)
    ((None, None), (2.0, None))
    """
    if beta is not None and alpha is not None:
        raise RecipeError(f"{name} takes beta or alpha, not both")
    if beta is not None and not (beta >= 0 and math.isfinite(beta)):
        raise RecipeError(f"{name}(beta={beta}): beta is 0 or more")
    if alpha is not None and not 0 <= alpha <= 1:
        raise RecipeError(f"{name}(alpha={alpha}): alpha is between 0 and 1")
    return (None, None) if beta == 1 or alpha == 0.5 else (beta, alpha)
