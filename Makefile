# Every target makes .venv and installs what it needs; nothing else has to be prepared.
#   make run        theory against simulation, and the figure of the critical profile
#   make test       unit, property, doctest and README tests
#   make check      lint, test, notebooks, figures --fast, docs: what CI runs
#   make test-full  the slow tests too

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1
export PYTHONUNBUFFERED := 1

VENV := .venv
BIN := $(VENV)/bin
# Modules are compiled when they are first imported: most of them never are.
PIP_INSTALL := $(BIN)/python -m pip install -qq --no-compile
TEST_EXTRAS := fast,progress,tables,checkpoints,dev
DOCS_EXTRAS := $(TEST_EXTRAS),docs
# PyTorch is tested where it is there; CI asks for it: SIGPROP_TORCH=torch==2.13.0 (a CPU build).
TORCH := $(SIGPROP_TORCH)
# Two test workers on two cores: one BLAS thread each.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
PYTEST := $(ONE_THREAD) $(BIN)/python -m pytest -n 2
# Where PyTorch is missing, what needs it is not collected: $(call without,PATH).
without = $$($(BIN)/python -c 'import torch' 2> /dev/null || echo --ignore=$(1))

.PHONY: run test test-full lint check figures figures-fast notebooks notebooks-write docs clean
.DEFAULT_GOAL := run

run: $(VENV)/.runtime
	@# Each command keeps one core busy, so the figure is drawn while the grid is simulated.
	validate="$(BIN)/sigprop validate --widths 64 256 1024 --c 0.5 1 1.5 2 --models rnn lru --seed 1"
	figure="$(BIN)/sigprop figures critical_profile --out figures"
	echo "$$figure &"
	$$figure &
	drawing=$$!
	echo "$$validate"
	status=0
	$$validate || status=$$?
	wait $$drawing
	exit $$status

test: $(VENV)/.test
	$(PYTEST) --doctest-modules sigprop tests -m "not slow" $(call without,sigprop/torch)

test-full: $(VENV)/.test
	$(PYTEST) --doctest-modules sigprop tests $(call without,sigprop/torch)

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint test notebooks figures-fast docs

figures: $(VENV)/.test
	@for script in figures/*.py; do $(BIN)/python $$script; done

figures-fast: $(VENV)/.test
	$(BIN)/sigprop figures --fast --out build/figures

notebooks: $(VENV)/.test
	SIGPROP_FAST=1 $(PYTEST) --nbmake --nbmake-timeout=240 notebooks $(call without,notebooks/04_is_my_init_safe.ipynb)

notebooks-write: $(VENV)/.test
	$(BIN)/python notebooks/write.py

docs: $(VENV)/.docs
	@$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	echo "docs: docs/_build/html/index.html"

clean:
	rm -rf $(VENV) build dist docs/_build docs/tutorial docs/reference/generated .pytest_cache .mypy_cache
	rm -rf .ruff_cache .import_linter_cache .hypothesis .benchmarks
	find sigprop tests figures benchmarks docs -name __pycache__ -type d -prune -exec rm -rf {} +

# One environment, filled in three steps, each remade when pyproject.toml changes.

$(VENV)/bin/python:
	@for name in python3.11 python3 python3.14 python3.13 python3.12; do
	  if "$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then
	    python="$$name"
	    break
	  fi
	done
	if [ -z "$${python:-}" ]; then
	  echo "make: no Python >= 3.11 found" >&2
	  exit 1
	fi
	echo "setting up $(VENV) with $$("$$python" --version)"
	# Some systems ship Python without the pip that venv copies in: then the system's pip does it.
	"$$python" -m venv $(VENV) > /dev/null || {
	  "$$python" -m venv --clear --without-pip $(VENV)
	  "$$python" -m pip --python $(VENV)/bin/python install -qq pip
	}

$(VENV)/.runtime: pyproject.toml | $(VENV)/bin/python
	$(PIP_INSTALL) --editable .
	touch $@

$(VENV)/.test: pyproject.toml | $(VENV)/bin/python
	$(PIP_INSTALL) --editable ".[$(TEST_EXTRAS)]" $(TORCH)
	touch $@ $(VENV)/.runtime

$(VENV)/.docs: pyproject.toml | $(VENV)/bin/python
	$(PIP_INSTALL) --editable ".[$(DOCS_EXTRAS)]"
	touch $@ $(VENV)/.test $(VENV)/.runtime
