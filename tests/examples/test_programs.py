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

import carob_lab
from carob.corpus.corpus import Corpus
from carob.formats.jsonl import Jsonl
from carob_lab.learn.command import Command
from carob_lab.learn.train import train
from carob_lab.report.experiment import Experiment

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


def run_experiment(folder: Path, file: str, train_files: str) -> Experiment:
    """One split of the talks, through an experiment file."""
    with (folder / "talks.jsonl").open("wb") as output:
        Jsonl().write(talks(), output)
    made = learner(file, train_files, "{input} {model} {output}")
    text = f"""
[corpus]
path = "talks.jsonl"
[split]
scheme = "holdout(train=0.6)"
[stats]
resamples = 0
[[learner]]
id = "program"
type = "command"
train = {json.dumps(made.train)}
predict = {json.dumps(made.predict)}
time_limit = 300
"""
    (folder / "experiment.toml").write_text(text)
    return carob_lab.run_experiment(folder / "experiment.toml", folder / "run")


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("spacy") is None, reason="spaCy is not installed")
def test_spacy_learns_from_a_blank_model(tmp_path: Path) -> None:
    result = run_experiment(tmp_path, "spacy_blank.py", "{train} {model} {seed}")
    assert () == result.failures
    assert (result["program"].scores["oaod.F1"].mean or 0.0) > 0.9


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("transformers") is None or importlib.util.find_spec("torch") is None,
    reason="transformers and torch are not installed",
)
def test_a_token_classifier_is_fine_tuned(tmp_path: Path) -> None:
    """From a small network with random weights, since nothing is downloaded."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertForTokenClassification, PreTrainedTokenizerFast

    letters = sorted(set("".join(NAMES) + "Atalkbytoday."))
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *letters, *(f"##{each}" for each in letters)]
    words = Tokenizer(models.WordPiece({piece: n for n, piece in enumerate(pieces)}))
    words.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    words.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tiny = tmp_path / "tiny"
    PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="[PAD]", unk_token="[UNK]"
    ).save_pretrained(tiny)
    config = BertConfig(vocab_size=len(pieces), hidden_size=32, num_hidden_layers=1,
                        num_attention_heads=2, intermediate_size=32)  # fmt: skip
    BertForTokenClassification(config).save_pretrained(tiny)
    result = run_experiment(
        tmp_path, "hugging_face.py", f"{{train}} {{model}} {{seed}} {tiny} 40 3e-3"
    )
    assert () == result.failures
    assert (result["program"].scores["oaod.F1"].mean or 0.0) > 0.6
