"""Compare the JSON output of this source tree with that of a revision: are all numbers the same?

    CAROB_DATA=../shared/data .venv/bin/python tools/same_numbers.py 71b58d1
    .venv/bin/python tools/same_numbers.py main --intervals

The revision is checked out and installed into a temporary folder; the other side is the `carob`
that belongs to the Python that runs this script. Both run the same commands over the
same files: the real corpora ($CAROB_DATA, otherwise ../shared/data) and the demo corpora, which the
revision writes. Numbers are compared as they are written, digit for digit. Versions, signatures and
sentences may differ. What depends on random draws is compared with --intervals only.
Every difference is printed; the exit status is 1 if there is any.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PROSE = {"karat", "carob", "signature", "signatures", "remarks", "answer"}
DRAWN = {
    *("low", "high", "p", "p_holm", "significant", "detectable", "ranges", "method"),
    *("rank_low", "rank_high", "cluster"),
}

AVERAGES = ("micro", "macro", "weighted", "macro-doc", "macro-doc-pr")
SPACES = """
    exact boundary overlap overlap(pairing=one) overlap(label=ignore,pairing=one) left
    left(label=ignore) right right(pairing=one) iou iou(t=0.8,pairing=one) slots mentions
    semeval semeval(mode=exact) semeval(mode=partial) semeval(mode=type)
    nugget nugget(order=file) nugget(mapping=2015) nugget(attributes=type)
    nugget(attributes=type,mapping=2015,precision=pilot)"""
TOKEN_SPACES = """
    constrained constrained(k1=2,k2=0) contains contains(k=2,pairing=one)
    fair fair(focus=system) fair(weights=boundary) fair(weights=ortmann2021)"""
UNITS = """
    ts ts(sep=0.5) ts(sep=0) ts(supertag=ANY) ts(instances=count) token token(supertag=ANY)"""
FILLERS = """
    oas oas(match=overlap) oas(match=contains(k=2)) oaod oaod(match=overlap) oads
    oads(match=overlap) templates templates(match=overlap) templates(match=contains(k=2))
    templates(type=ignore)"""
REALIS = """
    nugget(attributes=realis) nugget(attributes=realis,mapping=2015)
    nugget(attributes=realis+type) nugget(attributes=realis+type,order=file)"""
MENTION_MEASURES = """
    conll SER exact.F(beta=2) exact.F(alpha=0.3) exact.E slots.SER(d=0.5,i=2) slots.ERR slots.SUB
    slots.UND slots.OVG slots.SER@macro-doc mentions.SER@macro semeval.ERR fair.TP fair.LE fair.BES
    fair.BEL fair.BEO fair.LBE nugget(attributes=type,mapping=2015).attribute-accuracy"""
UNIT_MEASURES = """
    ts.accuracy ts.kappa ts.mcc ts.specificity ts.kappa@macro ts.mcc@macro-doc token.accuracy
    token.kappa@macro token.mcc token.specificity@macro-doc"""
SEMINARS = ("--read", "labels=speaker+location+stime+etime")


def recipes(spaces: str, others: str = "") -> list[str]:
    """-m for precision, recall and F1 of each space under each average, and for the others."""
    averaged = [f"{space}.PRF@{average}" for space in spaces.split() for average in AVERAGES]
    return [word for recipe in (*averaged, *others.split()) for word in ("-m", recipe)]


def runs(
    gold: Path, systems: list[Path], *lists: list[str], errors: bool = True
) -> Iterator[list[str]]:
    """The commands for one gold file: the default tables, and `score` with each list of recipes."""
    files = [str(gold), *map(str, systems)]
    yield ["score", *files, "--by-label"]
    for arguments in ([], *lists):
        yield ["score", *files, *arguments, "--resamples", "0"]
    for system in files[1:] if errors else []:
        yield ["errors", files[0], system, "--examples", "3"]
    if len(systems) > 1:
        yield from (["errors", *files[:3]], ["robust", *files], ["compare", *files])


def commands(data: Path, work: Path) -> Iterator[list[str]]:
    """Everything to run."""
    mentions = recipes(SPACES + TOKEN_SPACES, MENTION_MEASURES)
    tokens = [*mentions, *recipes(UNITS, UNIT_MEASURES)]
    fillers = recipes(FILLERS, "oads.ungrounded-share templates.SER")
    demo = [work / "mentions" / f"{name}.conll" for name in ("gold", "careful", "hasty", "muddled")]
    yield from runs(demo[0], demo[1:], tokens, fillers, ["--preset", "templates"])
    demo = [work / "seminars" / f"{name}.jsonl" for name in ("gold", "careful", "eager", "llm")]
    yield from runs(demo[0], demo[1:], fillers)
    yield ["score", *map(str, demo[:3]), *tokens, "--resamples", "0"]
    yield ["errors", *map(str, demo[:3]), "--preset", "mentions"]
    for folder in (data / "conll2003-dev", data / "wnut17"):
        systems = sorted((folder / "systems").glob("*.conll"))
        options = (["--repair=discard"], ["--documents=file"], ["--zero-division=0"])
        yield from runs(folder / "gold.conll", systems, tokens, *options)
    yield from runs(
        data / "faireval-ner" / "target.tsv", [data / "faireval-ner" / "system.tsv"], mentions
    )
    for command in runs(data / "seminars", [data / "seminars"], tokens, fillers):
        yield [*command, *SEMINARS]
    changed = [work / "changed.jsonl", work / "shifted.jsonl"]
    yield from runs(work / "announcements.jsonl", changed, tokens, fillers)
    for gold in sorted((data / "coreference").glob("seq-*.gold.tbf")):
        system = gold.with_name(gold.name.replace("gold", "system"))
        yield from runs(gold, [system], recipes(SPACES + REALIS), errors=False)


def prepare(old: Path, data: Path, work: Path) -> None:
    """Write the demo corpora, and the real announcements as two systems that make errors."""
    gold = work / "announcements.jsonl"
    for command in (
        ["demo", work / "mentions"],
        ["demo", work / "seminars", "--kind", "seminars"],
        ["convert", data / "seminars", gold, *SEMINARS, "--lossy"],
    ):
        subprocess.run([old, *map(str, command)], check=True, capture_output=True)
    documents = [json.loads(line) for line in gold.read_text(encoding="utf-8").splitlines()]
    for name, step in (("changed", 5), ("shifted", 7)):
        with (work / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            for document in documents:
                kept = [dict(each) for i, each in enumerate(document["mentions"]) if i % step]
                for i, mention in enumerate(kept):
                    if i % step == 1 and mention["end"] - mention["start"] > 4:
                        mention["end"] -= 2
                    if i % step == 2:
                        mention["label"] = "speaker"
                file.write(json.dumps({**document, "mentions": kept}) + "\n")


class Digits(str):
    """A number as the JSON has it."""


def output(carob: Path, command: list[str]) -> Any:
    done = subprocess.run([carob, *command, "--format", "json"], capture_output=True, text=True)
    if done.returncode:
        return f"exit status {done.returncode}: {done.stderr.strip()[-300:]}"
    return json.loads(done.stdout, parse_float=Digits, parse_int=Digits)


def differences(one: Any, other: Any, skip: set[str], at: str = "") -> Iterator[str]:
    """Where two JSON values differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in [*one, *(key for key in other if key not in one)]:
            if key in skip:
                continue
            if key not in one or key not in other:
                yield f"{at}.{key}: only in the {'first' if key in one else 'second'}"
            else:
                yield from differences(one[key], other[key], skip, f"{at}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for i, (left, right) in enumerate(zip(one, other, strict=True)):
            name = left.get("recipe") or left.get("name") if isinstance(left, dict) else None
            yield from differences(left, right, skip, f"{at}[{name or i}]")
    elif one != other:
        yield f"{at}: {json.dumps(one)[:200]} became {json.dumps(other)[:200]}"


def numbers(value: Any, skip: set[str]) -> int:
    """How many numbers of a JSON value are compared."""
    if isinstance(value, dict):
        return sum(numbers(each, skip) for key, each in value.items() if key not in skip)
    if isinstance(value, list):
        return sum(numbers(each, skip) for each in value)
    return isinstance(value, Digits)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("revision")
    parser.add_argument("--intervals", action="store_true", help="compare intervals and p values")
    arguments = parser.parse_args()
    data = Path(os.environ.get("CAROB_DATA") or ROOT.parent / "shared" / "data").resolve()
    skip = PROSE if arguments.intervals else PROSE | DRAWN
    new = Path(sys.executable).with_name("carob")
    with tempfile.TemporaryDirectory() as folder:
        work, tree, venv = Path(folder), Path(folder, "tree"), Path(folder, "venv")
        tree.mkdir()
        archive = ["git", "-C", ROOT, "archive", arguments.revision]
        files = subprocess.run(archive, check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", tree], input=files, check=True)
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run([venv / "bin/python", "-m", "pip", "install", "-q", tree], check=True)
        old = next(path for name in ("carob", "karat") if (path := venv / "bin" / name).exists())
        prepare(old, data, work)
        ran, compared, scored, unequal = 0, 0, set[str](), 0
        for command in commands(data, work):
            one, other = output(old, command), output(new, command)
            ran, compared = ran + 1, compared + numbers(one, skip)
            scored |= {word for word in command if Path(word).exists()}
            for difference in differences(one, other, skip):
                unequal += 1
                print(f"{' '.join(command)[:300]}\n    {difference}")
    print(f"{ran} commands, {len(scored)} files, {compared:,} numbers: {unequal} differences")
    return int(unequal > 0)


if __name__ == "__main__":
    sys.exit(main())
