# `make match` and `make test` need nothing but Python 3.11 or newer and make: each first sets up what it uses.
# GNU make 3.81 and any POSIX sh will do.

SHELL = /bin/sh

# The Python to set up with. By default the one that .venv was made with, or else the newest on the PATH.
PYTHON ?=
# The players of `make match`.
BOTS ?= greedy greedy random random
# Arguments for pytest, such as: make test ARGS='tests/engine -k merger'
ARGS =
# Languages for `make test-clients`, and `together`; all by default.
LANGUAGES =
# What `make generate` makes; all by default.
NAMES =
export PYTHON

BIN = .venv/bin
SETUP = python=$$(sh tools/project/find-python.sh) && "$$python" tools/project/make_venv.py

.PHONY: help match test test-clients setup compiled release check lint format types imports generate constraints clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /make \1: /p' Makefile

match: ## play a match, such as: make match BOTS='random random'
	@$(SETUP)
	@$(BIN)/mergemaker match $(BOTS)

test: ## run all tests
	@$(SETUP) --extra dev
# What was skipped is said with its reason, such as a toolchain that this machine lacks.
# Many tests start programs, and all of them would compile all that they import where this is set.
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n auto --dist worksteal -rfEs $(ARGS)

test-clients: ## prove the bots in all languages, which needs all their toolchains; LANGUAGES='go rust' for some
	@$(SETUP) --extra dev
	@$(BIN)/python tools/project/ci_clients.py $(LANGUAGES)

setup: ## prepare .venv for working on the project
	@$(SETUP) --extra dev

compiled: ## build the compiled wheel, with a C compiler, and install it in .venv-compiled
	@$(SETUP) --extra dev
	@$(BIN)/python tools/project/make_compiled.py

release: ## build all that is published into dist: the source, the pure wheel and the compiled one
	@$(SETUP) --extra dev
	@$(BIN)/python tools/project/make_compiled.py --release

check: lint types imports ## lint, formatting, types and imports: what CI checks beside the tests

lint: ## ruff's rules and formatting
	@$(SETUP) --extra dev
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check

format: ## put all files into ruff's format, and mend what it can
	@$(SETUP) --extra dev
	@$(BIN)/ruff check --fix-only --quiet
	@$(BIN)/ruff format

types: ## mypy, strict
	@$(SETUP) --extra dev
	@$(BIN)/python -m mypy

imports: ## which room may import which
	@$(SETUP) --extra dev
	@$(BIN)/lint-imports

generate: ## make all files that scripts make; NAMES='go rust' for some
	@$(SETUP) --extra dev
	@$(BIN)/python tools/project/generate_all.py $(NAMES)

constraints: ## write the newest versions of all that is installed into constraints.txt
	@$(SETUP) --extra dev
	@$(BIN)/python tools/project/refresh_constraints.py

clean: ## remove what set-up and builds made
	rm -rf .venv .venv.lock .venv-compiled build dist
