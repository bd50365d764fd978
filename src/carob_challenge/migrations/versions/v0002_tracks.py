"""Workers say that they live; deadlines can be moved; runs and teams say more about themselves;
there is news; names of refused teams are free.

Revision: 0002
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from carob_challenge.store import Big, Time

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add what is new."""
    op.create_table(
        "workers",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("seen", Time(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_workers")),
    )
    op.create_table(
        "schedules",
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("opens", Time(), nullable=False),
        sa.Column("closes", Time(), nullable=True),
        sa.PrimaryKeyConstraint("phase", name=op.f("pk_schedules")),
    )
    op.create_table(
        "details",
        sa.Column("submission", Big, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("paper", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["submission"], ["submissions.id"], name=op.f("fk_details_submission_submissions")
        ),
        sa.PrimaryKeyConstraint("submission", name=op.f("pk_details")),
    )
    op.create_table(
        "news",
        sa.Column("id", Big, nullable=False),
        sa.Column("at", Time(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_news")),
    )
    op.create_table(
        "withdrawn",
        sa.Column("submission", Big, nullable=False),
        sa.Column("at", Time(), nullable=False),
        sa.ForeignKeyConstraint(
            ["submission"], ["submissions.id"], name=op.f("fk_withdrawn_submission_submissions")
        ),
        sa.PrimaryKeyConstraint("submission", name=op.f("pk_withdrawn")),
    )
    op.create_table(
        "final_scores",
        sa.Column("submission", Big, nullable=False),
        sa.Column("round", Big, nullable=False),
        sa.Column("value", sa.Float(), nullable=True),
        sa.Column("low", sa.Float(), nullable=True),
        sa.Column("high", sa.Float(), nullable=True),
        sa.Column("signature", sa.Text(), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.Column("tally", sa.LargeBinary(), nullable=False),
        sa.Column("sketch", sa.LargeBinary(), nullable=False),
        sa.Column("created", Time(), nullable=False),
        sa.ForeignKeyConstraint(
            ["submission"], ["submissions.id"], name=op.f("fk_final_scores_submission_submissions")
        ),
        sa.ForeignKeyConstraint(
            ["round"], ["rounds.id"], name=op.f("fk_final_scores_round_rounds")
        ),
        sa.PrimaryKeyConstraint("submission", "round", name=op.f("pk_final_scores")),
    )
    op.add_column("teams", sa.Column("affiliation", sa.Text(), nullable=False, server_default=""))
    free = "UPDATE teams SET folded = 'refused ' || id WHERE state = 'refused'"
    op.execute(free)
