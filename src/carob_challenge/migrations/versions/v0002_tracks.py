"""Workers say that they live.

Revision: 0002
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from carob_challenge.store import Time

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
