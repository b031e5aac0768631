# Everything runs in .venv, which `make venv` makes from requirements.lock.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.PHONY: demo test lint format docs venv lock clean

demo: $(VENV)/.done  ## UDP echo and ping, live, from Linux programs
	$(BIN)/python -m bombus.demo designs/udp_echo.yaml

test: $(VENV)/.done
	$(BIN)/pytest -q -n 2

lint: $(VENV)/.done
	$(BIN)/python tools/lint.py

format: $(VENV)/.done
	$(BIN)/python tools/lint.py --fix python format

docs: $(VENV)/.done  ## the pages and pictures that are generated
	$(BIN)/python -m bombus.reference > docs/design-file.md
	$(BIN)/bombus show designs/udp_echo.yaml -o docs/pictures/udp_echo.svg
	$(BIN)/bombus show docs/examples/udp_upper/udp_upper.yaml -o docs/pictures/udp_upper.svg

venv: $(VENV)/.done

$(VENV)/.done: requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --requirement requirements.lock
	$(BIN)/pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

lock:  ## renews requirements.lock from pyproject.toml
	rm -rf build/lock && $(PYTHON) -m venv build/lock
	build/lock/bin/pip install --quiet hatchling editables '.[dev]'
	build/lock/bin/pip freeze --exclude bombus > requirements.lock
	rm -rf build/lock

clean:
	rm -rf build $(VENV) .mypy_cache .pytest_cache .ruff_cache
