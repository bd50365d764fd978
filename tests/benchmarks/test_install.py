"""A tool that cannot be installed on this Python is reported and left out."""

from __future__ import annotations

import pytest

import install


def test_one_by_one_when_all_together_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[tuple[str, ...]] = []

    def pip(*wanted: str) -> bool:
        asked.append(wanted)
        return not any(each.startswith("spacy") for each in wanted)

    monkeypatch.setattr(install, "install", pip)
    assert 0 == install.main()
    assert (
        "left out, it cannot be installed on this Python: spacy>=3.8,<4\n"
        == capsys.readouterr().err
    )
    assert [(each,) for each in asked[0]] == asked[1:]


def test_nothing_at_all_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install, "install", lambda *_: False)
    assert 1 == install.main()
