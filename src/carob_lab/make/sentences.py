"""An audit in sentences: what cannot be right, then what is not stated."""

from __future__ import annotations

from carob.corpus.problems import plain
from carob.report.terminal import WIDTH, Section, Style
from carob_lab.make.findings import Audit


def sections(audit: Audit, style: Style, *, width: int = WIDTH) -> list[Section]:
    """How much was found, and every finding."""
    made = [Section(sentences=[f"{plain(audit.path)}: {audit.summary}"])]
    for wrong in (True, False):
        if lines := [str(each) for each in audit if each.wrong == wrong]:
            made.append(Section(sentences=lines, indent="  "))
    return made
