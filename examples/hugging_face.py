"""A token classifier of Hugging Face transformers, fine-tuned.

python hugging_face.py train TRAIN MODEL SEED [PRETRAINED [EPOCHS [RATE]]]
python hugging_face.py predict INPUT MODEL OUTPUT

PRETRAINED is a name on the hub or a folder (default: distilbert-base-cased), EPOCHS is how often
each document is learned from (10), RATE the learning rate (5e-5). A word piece is tagged B-, I- or
O; long texts are cut into overlapping windows.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForTokenClassification, AutoTokenizer, set_seed

WINDOW, STRIDE = 384, 64


def _windows(tokenizer: Any, text: str) -> Any:
    return tokenizer(
        text, truncation=True, max_length=WINDOW, stride=STRIDE, return_overflowing_tokens=True,
        return_offsets_mapping=True, padding=True, return_tensors="pt",
    )  # fmt: skip


def train(
    source: str,
    model: str,
    seed: str,
    base: str = "distilbert-base-cased",
    epochs: str = "10",
    rate: str = "5e-5",
) -> None:
    """Fine-tune on documents with a text."""
    set_seed(int(seed))
    documents = [json.loads(line) for line in Path(source).read_text("utf-8").splitlines()]
    slots = sorted({m["label"] for d in documents for m in d.get("mentions", [])})
    names = ["O", *(f"{letter}-{slot}" for slot in slots for letter in "BI")]
    tokenizer = AutoTokenizer.from_pretrained(base)
    network = AutoModelForTokenClassification.from_pretrained(
        base, num_labels=len(names), id2label=dict(enumerate(names)),
        label2id={name: number for number, name in enumerate(names)},
        ignore_mismatched_sizes=True,  # a classifier for other labels gets a new last layer
    )  # fmt: skip
    steps = torch.optim.AdamW(network.parameters(), lr=float(rate))
    network.train()
    for _ in range(int(epochs)):
        for document in documents:
            batch = _windows(tokenizer, document["text"])
            places = batch.pop("offset_mapping")
            batch.pop("overflow_to_sample_mapping", None)
            wanted = torch.zeros(places.shape[:2], dtype=torch.long)
            wanted[places[..., 1] == places[..., 0]] = -100
            for mention in document.get("mentions", []):
                inside = (places[..., 0] < mention["end"]) & (places[..., 1] > mention["start"])
                inside &= places[..., 1] > places[..., 0]
                wanted[inside] = names.index(f"I-{mention['label']}")
                first = inside & (places[..., 0] <= mention["start"])
                wanted[first] = names.index(f"B-{mention['label']}")
            loss = network(**batch, labels=wanted).loss
            loss.backward()
            steps.step()
            steps.zero_grad()
    network.save_pretrained(Path(model, "network"))
    tokenizer.save_pretrained(Path(model, "network"))


def predict(source: str, model: str, target: str) -> None:
    """Write the mentions of each document."""
    tokenizer = AutoTokenizer.from_pretrained(Path(model, "network"))
    network = AutoModelForTokenClassification.from_pretrained(Path(model, "network"))
    network.eval()
    names = network.config.id2label
    with Path(target).open("w", encoding="utf-8") as output:
        for line in Path(source).read_text("utf-8").splitlines():
            document = json.loads(line)
            batch = _windows(tokenizer, document["text"])
            places = batch.pop("offset_mapping")
            batch.pop("overflow_to_sample_mapping", None)
            with torch.no_grad():
                best = network(**batch).logits.argmax(-1)
            tags: dict[tuple[int, int], str] = {}
            for row in range(len(best)):
                for (start, end), tag in zip(places[row].tolist(), best[row].tolist(), strict=True):
                    if end > start:  # of two windows, the first decides
                        tags.setdefault((start, end), names[tag])
            mentions: list[dict[str, Any]] = []
            before = "O"
            for (start, end), tag in sorted(tags.items()):
                if tag[0] == "I" and before[2:] == tag[2:]:
                    mentions[-1]["end"] = end
                elif tag != "O":
                    mentions.append({"start": start, "end": end, "label": tag[2:]})
                before = tag
            output.write(json.dumps({"id": document["id"], "mentions": mentions}) + "\n")


if __name__ == "__main__":
    {"train": train, "predict": predict}[sys.argv[1]](*sys.argv[2:])
