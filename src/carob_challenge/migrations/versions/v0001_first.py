"""The first tables.

Revision: 0001
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from carob_challenge.store import Big, Time

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "audit",
        sa.Column("id", Big, nullable=False),
        sa.Column("at", Time(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
    )
    op.create_table(
        "limits",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("began", Time(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_limits")),
    )
    op.create_table(
        "logins",
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("expires", Time(), nullable=False),
        sa.Column("used", Time(), nullable=True),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_logins")),
    )
    op.create_table(
        "rankings",
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("runs", sa.JSON(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("created", Time(), nullable=False),
        sa.PrimaryKeyConstraint("phase", name=op.f("pk_rankings")),
    )
    op.create_table(
        "reveals",
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("held", sa.Boolean(), nullable=False),
        sa.Column("revealed", Time(), nullable=True),
        sa.PrimaryKeyConstraint("phase", name=op.f("pk_reveals")),
    )
    op.create_table(
        "rounds",
        sa.Column("id", Big, nullable=False),
        sa.Column("created", Time(), nullable=False),
        sa.Column("activated", Time(), nullable=True),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("carob", sa.Text(), nullable=False),
        sa.Column("hashes", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rounds")),
    )
    op.create_table(
        "teams",
        sa.Column("id", Big, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("folded", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("baseline", sa.Boolean(), nullable=False),
        sa.Column("contact", sa.Text(), nullable=False),
        sa.Column("created", Time(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_teams")),
        sa.UniqueConstraint("folded", name=op.f("uq_teams_folded")),
    )
    op.create_table(
        "invitations",
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("created", Time(), nullable=False),
        sa.Column("team", Big, nullable=True),
        sa.ForeignKeyConstraint(["team"], ["teams.id"], name=op.f("fk_invitations_team_teams")),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_invitations")),
    )
    op.create_table(
        "sessions",
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("team", Big, nullable=True),
        sa.Column("token", sa.Text(), nullable=True),
        sa.Column("expires", Time(), nullable=False),
        sa.ForeignKeyConstraint(["team"], ["teams.id"], name=op.f("fk_sessions_team_teams")),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_sessions")),
    )
    op.create_table(
        "submissions",
        sa.Column("id", Big, nullable=False),
        sa.Column("team", Big, nullable=False),
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("size", Big, nullable=False),
        sa.Column("filename", sa.Text(), nullable=False),
        sa.Column("received", Time(), nullable=False),
        sa.Column("late", sa.Boolean(), nullable=False),
        sa.Column("valid", sa.Boolean(), nullable=False),
        sa.Column("findings", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["team"], ["teams.id"], name=op.f("fk_submissions_team_teams")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submissions")),
        sa.UniqueConstraint("team", "phase", "sha256", name=op.f("uq_submissions_team")),
    )
    op.create_index("ix_submissions_phase_team", "submissions", ["phase", "team"], unique=False)
    op.create_table(
        "tokens",
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("team", Big, nullable=False),
        sa.Column("created", Time(), nullable=False),
        sa.Column("revoked", Time(), nullable=True),
        sa.ForeignKeyConstraint(["team"], ["teams.id"], name=op.f("fk_tokens_team_teams")),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_tokens")),
    )
    op.create_index(op.f("ix_tokens_team"), "tokens", ["team"], unique=False)
    op.create_table(
        "disqualified",
        sa.Column("submission", Big, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", Time(), nullable=False),
        sa.ForeignKeyConstraint(
            ["submission"], ["submissions.id"], name=op.f("fk_disqualified_submission_submissions")
        ),
        sa.PrimaryKeyConstraint("submission", name=op.f("pk_disqualified")),
    )
    op.create_table(
        "jobs",
        sa.Column("id", Big, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("submission", Big, nullable=True),
        sa.Column("round", Big, nullable=True),
        sa.Column("phase", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("again", sa.Boolean(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("worker", sa.Text(), nullable=True),
        sa.Column("until", Time(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created", Time(), nullable=False),
        sa.Column("finished", Time(), nullable=True),
        sa.ForeignKeyConstraint(["round"], ["rounds.id"], name=op.f("fk_jobs_round_rounds")),
        sa.ForeignKeyConstraint(
            ["submission"], ["submissions.id"], name=op.f("fk_jobs_submission_submissions")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
        sa.UniqueConstraint("key", name=op.f("uq_jobs_key")),
    )
    op.create_index("ix_jobs_state", "jobs", ["state", "id"], unique=False)
    op.create_index(op.f("ix_jobs_submission"), "jobs", ["submission"], unique=False)
    op.create_table(
        "primaries",
        sa.Column("team", Big, nullable=False),
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("submission", Big, nullable=False),
        sa.ForeignKeyConstraint(
            ["submission"], ["submissions.id"], name=op.f("fk_primaries_submission_submissions")
        ),
        sa.ForeignKeyConstraint(["team"], ["teams.id"], name=op.f("fk_primaries_team_teams")),
        sa.PrimaryKeyConstraint("team", "phase", name=op.f("pk_primaries")),
    )
    op.create_table(
        "scores",
        sa.Column("submission", Big, nullable=False),
        sa.Column("round", Big, nullable=False),
        sa.Column("value", sa.Float(), nullable=True),
        sa.Column("low", sa.Float(), nullable=True),
        sa.Column("high", sa.Float(), nullable=True),
        sa.Column("signature", sa.Text(), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.Column("tally", sa.LargeBinary(), nullable=False),
        sa.Column("sketch", sa.LargeBinary(), nullable=False),
        sa.Column("ladder", sa.Float(), nullable=True),
        sa.Column("ladder_run", Big, nullable=True),
        sa.Column("created", Time(), nullable=False),
        sa.ForeignKeyConstraint(
            ["ladder_run"], ["submissions.id"], name=op.f("fk_scores_ladder_run_submissions")
        ),
        sa.ForeignKeyConstraint(["round"], ["rounds.id"], name=op.f("fk_scores_round_rounds")),
        sa.ForeignKeyConstraint(
            ["submission"], ["submissions.id"], name=op.f("fk_scores_submission_submissions")
        ),
        sa.PrimaryKeyConstraint("submission", "round", name=op.f("pk_scores")),
    )
