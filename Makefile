PYTHON ?= python3
INSTALL = .venv/bin/python -m pip install -q --disable-pip-version-check

# Says FORCE if .venv is missing, broken, or installed from another folder.
STALE := $(shell .venv/bin/python -I -c 'import importlib.util, pathlib, sys; \
	found = importlib.util.find_spec("carob").origin; \
	sys.exit(pathlib.Path(found) != pathlib.Path.cwd() / "src/carob/__init__.py")' \
	>/dev/null 2>&1 || echo FORCE)

.PHONY: help demo test nightly coverage check guard bench performance docs format clean FORCE

help: ## Show this help
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-11s %s\n", $$1, $$2}' Makefile

demo: .venv/.stamp-core ## Score made-up systems in build/demo
	.venv/bin/carob demo build/demo

test: .venv/.stamp-dev ## Run the tests and the examples in the documentation
	.venv/bin/pytest -q -n auto

nightly: .venv/.stamp-dev ## Run the laws on many new random examples
	.venv/bin/pytest -q -n auto --hypothesis-profile=nightly tests

coverage: .venv/.stamp-dev ## Run the tests and report the branches they miss
	.venv/bin/pytest -q -n auto --cov --cov-report=term

check: .venv/.stamp-dev ## Check format, lint and types, then run the tests
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy --strict
	$(MAKE) --no-print-directory test

guard: .venv/.stamp-core ## Count carob's work under valgrind; fail if it has grown
	.venv/bin/python benchmarks/guard.py

bench: .venv/.stamp-bench ## Run the benchmarks, the small sizes
	.venv/bin/python benchmarks/run.py
	.venv/bin/python benchmarks/rates.py --tokens 200000

performance: .venv/.stamp-bench ## Measure everything, 20 million tokens too, into docs/performance.md
	.venv/bin/python benchmarks/run.py --all --write
	.venv/bin/python benchmarks/goals.py --write
	.venv/bin/python benchmarks/growth.py --write
	.venv/bin/python benchmarks/rates.py --write

docs: .venv/.stamp-dev ## Write the parts of the documentation that are made from the code
	.venv/bin/python docs/generate.py

format: .venv/.stamp-dev ## Format the code and fix what ruff can fix
	.venv/bin/ruff format .
	.venv/bin/ruff check --fix .

clean: ## Remove everything that make made
	rm -rf .venv build dist .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The demo needs the core only, so that a first run is quick.
.venv/.stamp-core: pyproject.toml setup.py $(wildcard src/carob/arrays/*.c) $(STALE)
	$(if $(STALE),$(PYTHON) -m venv --clear .venv)
	$(INSTALL) -e .
	@touch $@

.venv/.stamp-dev: .venv/.stamp-core
	$(INSTALL) -e '.[dev]'
	@touch $@

# Other tools may not be there for every Python: each is installed that can be.
.venv/.stamp-bench: .venv/.stamp-core
	.venv/bin/python benchmarks/install.py
	@touch $@
