"""A language model as a learner: training documents are examples in the prompt.

python language_model.py train TRAIN MODEL
python language_model.py predict INPUT MODEL TASK OUTPUT

The server has the chat API that most have: POST {"model", "messages"} to LM_URL. Answers are
strings; carob locates them in the text, and counts those that are not there.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.request
from pathlib import Path

EXAMPLES = 5
"""How many training documents are shown to the model."""


def train(source: str, model: str) -> None:
    """Keep the first documents that have answers."""
    documents = [json.loads(line) for line in Path(source).read_text("utf-8").splitlines()]
    shown = []
    for document in documents:
        text = document.get("text") or " ".join(document["tokens"])
        slots: dict[str, list[str]] = {}
        for mention in document.get("mentions", []):
            part = slice(mention["start"], mention["end"])
            filler = text[part] if "text" in document else " ".join(document["tokens"][part])
            slots.setdefault(mention["label"], []).append(filler)
        if slots:
            shown.append({"text": text, "slots": slots})
    Path(model, "examples.json").write_text(json.dumps(shown[:EXAMPLES]), "utf-8")


def ask(messages: list[dict[str, str]]) -> str:
    """The answer of the server."""
    body = {"model": os.environ.get("LM_MODEL", "default"), "messages": messages, "temperature": 0}
    headers = {"Content-Type": "application/json"}
    if "LM_KEY" in os.environ:
        headers["Authorization"] = f"Bearer {os.environ['LM_KEY']}"
    request = urllib.request.Request(os.environ["LM_URL"], json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=120) as reply:
        content: str = json.load(reply)["choices"][0]["message"]["content"]
    return content


def fillers(answer: str, slots: list[str]) -> list[dict[str, str]]:
    """The mentions of an answer: the JSON object in it, whatever words are around it."""
    first, last = answer.find("{"), answer.rfind("}")
    try:
        found = json.loads(answer[first : last + 1])
    except ValueError:
        return []
    mentions = []
    for slot in slots:
        values = found.get(slot) or []
        for value in values if isinstance(values, list) else [values]:
            if isinstance(value, str) and value.strip():
                mentions.append({"label": slot, "text": value})
    return mentions


def predict(source: str, model: str, task: str, target: str) -> None:
    """Ask about each document."""
    slots = json.loads(Path(task).read_text("utf-8"))["slots"]
    examples = json.loads(Path(model, "examples.json").read_text("utf-8"))
    prompt = (
        f"Extract {', '.join(slots)} from the text. Answer with one JSON object: for each of them "
        "a list of strings, copied from the text as they are."
    )
    messages = [{"role": "system", "content": prompt}]
    for example in examples:
        messages.append({"role": "user", "content": example["text"]})
        messages.append({"role": "assistant", "content": json.dumps(example["slots"])})
    with Path(target).open("w", encoding="utf-8") as output:
        for line in Path(source).read_text("utf-8").splitlines():
            document = json.loads(line)
            text = document.get("text") or " ".join(document["tokens"])
            answer = ask([*messages, {"role": "user", "content": text}])
            record = {"id": document["id"], "mentions": fillers(answer, slots)}
            output.write(json.dumps(record, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    {"train": train, "predict": predict}[sys.argv[1]](*sys.argv[2:])
