# Everything runs in .venv, which `make venv` makes from requirements.lock.
VENV   := .venv
BIN    := $(VENV)/bin

# The first of these that is 3.11 or later and can make environments.
PYTHONS  = python3 python3.14 python3.13 python3.12 python3.11
SUITABLE = import ensurepip, sys; sys.exit(sys.version_info < (3, 11))
PYTHON   = $(or $(firstword $(foreach name,$(PYTHONS),\
  $(shell $(name) -c '$(SUITABLE)' 2> /dev/null && echo $(name)))),\
  $(error Python 3.11 or later with its module venv is needed; name it by make PYTHON=...))

.PHONY: demo test lint format docs venv lock clean

demo: $(VENV)/.done  ## UDP echo and ping, live, from Linux programs
	$(BIN)/python -m bombus.demo designs/udp_echo.yaml

test: $(VENV)/.done  ## everything, lint included
	$(BIN)/python tools/system_programs.py
	$(BIN)/pytest -q -n 2 -r s

lint: $(VENV)/.done
	$(BIN)/python tools/lint.py

format: $(VENV)/.done
	$(BIN)/python tools/lint.py --fix python format

docs: $(VENV)/.done  ## the pages and pictures that are generated
	$(BIN)/python -m bombus.reference > docs/design-file.md
	$(BIN)/python tests/docs/documents.py
	$(BIN)/bombus show designs/udp_echo.yaml -o docs/pictures/udp_echo.svg
	$(BIN)/bombus show docs/examples/udp_upper/udp_upper.yaml -o docs/pictures/udp_upper.svg
	$(BIN)/bombus show designs/scale_28.yaml -o docs/pictures/scale_28.svg
	! $(BIN)/bombus check docs/examples/deadlock/figure_5a.yaml -o docs/pictures/figure_5a_deadlock.svg

venv: $(VENV)/.done

$(VENV)/.done: requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --disable-pip-version-check --progress-bar off --requirement requirements.lock
	$(BIN)/pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation --editable .
	touch $@

lock:  ## renews requirements.lock from pyproject.toml
	rm -rf build/lock && $(PYTHON) -m venv build/lock
	build/lock/bin/pip install --quiet hatchling editables '.[dev]'
	build/lock/bin/pip freeze --exclude bombus > requirements.lock
	rm -rf build/lock

clean:
	rm -rf build $(VENV) .mypy_cache .pytest_cache .ruff_cache
