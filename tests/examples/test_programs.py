"""The programs of examples/ train and answer; the language model is a server of this test."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from carob.corpus.corpus import Corpus
from carob.evaluate.train import train
from carob.learn.command import Command

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = ["Ann Lee", "Bo Dahl", "Cy Roe", "Di Poe", "Ed Moe", "Flo Noe", "Gus Zoe"]


def talks() -> Corpus:
    return Corpus.of(
        *(
            {"id": name, "text": f"A talk by {name} today.",
             "mentions": [{"start": 10, "end": 10 + len(name), "label": "who"}]}
            for name in NAMES
        )
    )  # fmt: skip


class Server(BaseHTTPRequestHandler):
    """Answers as a model that knows who comes after `by`, and invents one more name."""

    asked: list[str]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.asked.append(body)
        messages = json.loads(body)["messages"]
        name = re.findall(r"by (\w+ \w+)", messages[-1]["content"])
        content = "Sure! " + json.dumps({"who": [*name, "Nobody Atall"]})
        reply = json.dumps({"choices": [{"message": {"content": content}}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    bodies: list[str] = []
    handler = type("Handler", (Server,), {"asked": bodies})
    server = HTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("LM_URL", f"http://127.0.0.1:{server.server_port}/chat")
    monkeypatch.setenv("LM_KEY", "not-a-key")
    yield bodies
    server.shutdown()
    server.server_close()


def learner(file: str, train_files: str, predict_files: str) -> Command:
    program = (sys.executable, str(EXAMPLES / file))
    return Command(
        train=(*program, "train", *train_files.split()),
        predict=(*program, "predict", *predict_files.split()),
        time_limit=300,
    )


def test_a_language_model_answers_with_strings_that_are_located(asked: list[str]) -> None:
    made = learner("language_model.py", "{train} {model}", "{input} {model} {task} {output}")
    model = train(made, talks())
    new = Corpus.of(
        {"id": "1", "text": "One talk by Hal Poe.",
         "mentions": [{"start": 0, "end": 3, "label": "SENTINEL"}]},
    )  # fmt: skip
    answers = model.answers(new)
    assert (12, 19) in [(m.start, m.end) for m in answers[0].mentions]
    assert "SENTINEL" not in asked[0] and "Hal Poe" in asked[0]
    assert "Ann Lee" in asked[0], "training documents are examples"


@pytest.mark.skipif(importlib.util.find_spec("spacy") is None, reason="spaCy is not installed")
def test_spacy_learns_from_a_blank_model() -> None:
    made = learner("spacy_blank.py", "{train} {model} {seed}", "{input} {model} {output}")
    answers = train(made, talks()).answers(talks())
    assert len(answers.mentions) > 3


@pytest.mark.skipif(
    importlib.util.find_spec("transformers") is None or importlib.util.find_spec("torch") is None,
    reason="transformers and torch are not installed",
)
def test_a_token_classifier_is_fine_tuned(tmp_path: Path) -> None:
    from transformers import BertConfig, BertForTokenClassification, BertTokenizerFast

    words = sorted({word for name in NAMES for word in name.split()} | {"A", "talk", "by", "today"})
    (tmp_path / "vocab.txt").write_text(
        "\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", ".", *words])
    )
    BertTokenizerFast(str(tmp_path / "vocab.txt"), do_lower_case=False).save_pretrained(tmp_path)
    config = BertConfig(vocab_size=64, hidden_size=32, num_hidden_layers=1, num_attention_heads=2)
    BertForTokenClassification(config).save_pretrained(tmp_path)
    files = f"{{train}} {{model}} {{seed}} {tmp_path}"
    made = learner("hugging_face.py", files, "{input} {model} {output}")
    assert len(talks()) == len(train(made, talks()).answers(talks()))
