.DEFAULT_GOAL := help
PYTHON ?= python3
BIN    := .venv/bin
NATIVE := CMakeLists.txt $(shell find cpp -type f)
# Without build isolation the compiled files stay in build/dev, so that a change rebuilds little.
EDITABLE := --no-build-isolation --config-settings=build-dir=build/dev

.venv/.tools:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check scikit-build-core nanobind cmake ninja
	@touch $@

.venv/.installed: .venv/.tools pyproject.toml $(NATIVE)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(EDITABLE) --editable '.[test,lint]'
	@touch $@

.PHONY: run test lint format bench stubs sanitize docs clean help
run: .venv/.installed  ## Set up and rank the concepts of the embedded context
	$(BIN)/conceptrank rank movies

help:  ## List the targets
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-9s %s\n", $$1, $$2}'
