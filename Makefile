# Everything runs in .venv; only Python >= 3.11 and make are needed beforehand.
#   make demo    core dependencies and the extra of `armillary sim`, then the demonstration
#   make test    style, types and tests (also: make lint, make types)
#   make test-more   the dear tests (tests/heavy.txt), and code of LLVM's usual level instead of quick code
#   make test-all    both, with the tests that take very long or install packages
#   make bench   our speed and that of other engines, one table
#   make pictures  the pictures of the docs: docs/images
#   make accuracy  our numbers and those of others: docs/accuracy.md
#   make face    types and reference of the questions, from their table
#   make page    build the client of the pages anew (needs Node and npm)
#   make clean   remove .venv and everything built

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install -qq --constraint constraints.txt

# Stamps: what is installed already. A change of the pins installs again.
VENV := .venv/.stamp-venv
CORE := .venv/.stamp-core
TEST := .venv/.stamp-test
BROWSER := .venv/.stamp-browser
PINS := pyproject.toml constraints.txt
# Two processes share the cores: one thread each for their linear algebra.  The many processes that the
# tests start find the package as bytecode, whatever the shell says of it.
PYTEST := OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder

.PHONY: demo test test-more test-all lint types pytest bench accuracy pictures face page clean

demo: $(CORE)
	@$(BIN)/armillary demo

test: lint types pytest

test-more: $(TEST) $(BROWSER)
	$(PYTEST) --llvm normal -m 'heavy and not soak and not long'
	$(PYTEST) --llvm normal -m 'not heavy and not soak and not long' \
	  tests/compiler tests/constrained tests/elements tests/functions

test-all: test test-more
	$(PYTEST) --llvm normal -m 'soak or long'

lint: $(TEST)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(TEST)
	$(BIN)/mypy

pytest: $(TEST) $(BROWSER)
	$(PYTEST) -m 'not heavy and not soak and not long'

bench: $(TEST)
	$(BIN)/python -m benchmarks

face: $(CORE)
	$(BIN)/python -m armillary.mechanism.write_face

accuracy: $(TEST)
	PYTHONPATH=tests $(BIN)/python -m accuracy

pictures: $(CORE)
	$(BIN)/python docs/make_pictures.py

page:
	cd client && npm install --no-package-lock --no-audit --no-fund && npx tsc --noEmit && node build.mjs

clean:
	rm -rf .venv client/node_modules build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV):
	@command -v $(PYTHON) >/dev/null || { \
	  echo "Armillary needs Python 3.11 or newer, and '$(PYTHON)' was not found."; \
	  echo "Install it, or name one: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Armillary needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1)."; \
	  echo "Name a newer one: make PYTHON=python3.12 ..."; exit 1; }
	@echo "making .venv"
	@$(PYTHON) -m venv .venv || { \
	  echo "python3 -m venv failed; on Debian and Ubuntu install the package python3-venv."; exit 1; }
	@touch $@

$(CORE): $(VENV) $(PINS)
	@echo "installing armillary and its dependencies (once)"
	@$(PIP) --editable '.[shell]'
	@touch $@

# The test extra contains the core.
$(TEST): $(VENV) $(PINS)
	@echo "installing armillary with its test oracles (once, some minutes)"
	@$(PIP) --editable '.[test]'
	@touch $(CORE) $@

# The tests of pages want a Chromium of the system. Where it is missing and may be installed (root on
# Debian or Ubuntu), it is; elsewhere those tests are skipped and say so.
$(BROWSER): $(VENV)
	@{ command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null || { \
	  test "$$(id -u)" = 0 && command -v apt-get >/dev/null && \
	  echo "installing Chromium for the tests of pages (once)" && \
	  timeout 300 sh -c 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y \
	    --no-install-recommends chromium' >/dev/null 2>&1; } || \
	  echo "no Chromium here: the tests of pages will be skipped"
	@touch $@
