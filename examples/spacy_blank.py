"""The named-entity recogniser of spaCy, trained from a blank model.

python spacy_blank.py train TRAIN MODEL SEED
python spacy_blank.py predict INPUT MODEL OUTPUT
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import spacy
from spacy.training import Example
from spacy.util import filter_spans, fix_random_seed

EPOCHS = 20
BATCH = 1
"""Documents of a step: with few training documents, larger steps are too few."""


def train(source: str, model: str, seed: str) -> None:
    """Train on documents with a text."""
    fix_random_seed(int(seed))
    nlp = spacy.blank("en")
    recogniser = nlp.add_pipe("ner")
    examples = []
    for line in Path(source).read_text("utf-8").splitlines():
        document = json.loads(line)
        made = nlp.make_doc(document["text"])
        spans = []
        for mention in document.get("mentions", []):
            recogniser.add_label(mention["label"])
            place = mention["start"], mention["end"]
            span = made.char_span(*place, label=mention["label"], alignment_mode="expand")
            spans += [span] if span is not None else []
        entities = [(s.start_char, s.end_char, s.label_) for s in filter_spans(spans)]
        examples.append(Example.from_dict(made, {"entities": entities}))
    nlp.initialize(lambda: examples)
    for _ in range(EPOCHS):
        random.shuffle(examples)
        for at in range(0, len(examples), BATCH):
            nlp.update(examples[at : at + BATCH])
    nlp.to_disk(Path(model, "spacy"))


def predict(source: str, model: str, target: str) -> None:
    """Write the entities of each document."""
    nlp = spacy.load(Path(model, "spacy"))
    with Path(target).open("w", encoding="utf-8") as output:
        for line in Path(source).read_text("utf-8").splitlines():
            document = json.loads(line)
            mentions = [
                {"start": e.start_char, "end": e.end_char, "label": e.label_}
                for e in nlp(document["text"]).ents
            ]
            output.write(json.dumps({"id": document["id"], "mentions": mentions}) + "\n")


if __name__ == "__main__":
    {"train": train, "predict": predict}[sys.argv[1]](*sys.argv[2:])
