"""Who looks: nobody, a team, or an organiser. Every function that shows something asks."""

from __future__ import annotations

from dataclasses import dataclass

from carob_challenge.errors import NotAllowedError


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who looks.

    >>> NOBODY.is_organiser, Viewer("team", 3, "A").may_see(3), Viewer("team", 3, "A").may_see(4)
    (False, True, False)
    """

    role: str
    team: int | None = None
    name: str = ""

    @property
    def is_organiser(self) -> bool:
        """Whether it is an organiser."""
        return self.role == "organiser"

    @property
    def actor(self) -> str:
        """How the audit log calls the viewer."""
        return f"team {self.name}" if self.role == "team" else self.role

    def may_see(self, team: int) -> bool:
        """Whether what belongs to a team is for this viewer."""
        return self.is_organiser or (self.role == "team" and self.team == team)

    def require_organiser(self) -> None:
        """Refuse anybody else."""
        if not self.is_organiser:
            raise NotAllowedError("this is for organisers")

    def require_team(self) -> int:
        """The number of the team; anybody else is refused."""
        if self.role != "team" or self.team is None:
            raise NotAllowedError("this is for teams: log in with the token of yours")
        return self.team


NOBODY = Viewer("nobody")
ORGANISER = Viewer("organiser")
