# Two commands: `make demo` sets up and de-identifies the sample notes, `make test` sets up and
# passes the tests. Both need only Python 3.11 or newer, make and a package index.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

.PHONY: demo test golden lint fuzz soak clean

demo: $(VENV)/.demo
	$(BIN)/incognote demo

test: $(VENV)/.test
	$(BIN)/python -m pytest -n auto $(PYTEST_ARGS)

# Renews the record of what is found and written (tests/golden) and prints every change;
# GOLDEN_ARGS=--check only prints.
golden: $(VENV)/.test
	$(BIN)/python tests/golden $(GOLDEN_ARGS)

fuzz: $(VENV)/.test
	$(BIN)/python tests/fuzz --notes 1000000 --files 1000000 --connections 20000 --runs 300 --faults faults $(FUZZ_ARGS)

# Mixed load on the service, each answer checked against the library's; SOAK_ARGS="--minutes 2".
soak: $(VENV)/.test
	$(BIN)/python tests/soak $(SOAK_ARGS)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) install --constraint constraints.txt --editable .
	touch $@

$(VENV)/.test: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) install --constraint constraints.txt --editable '.[test]'
	touch $@

$(VENV)/.dev: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) install --constraint constraints.txt --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build dist .hypothesis .mypy_cache .ruff_cache .import_linter_cache
