# SPDX-License-Identifier: Apache-2.0
# Everything runs in .venv, which `make venv` creates from requirements.lock.
VENV   := .venv
BIN    := $(VENV)/bin

# The first of these that is 3.11 or later and can make environments.
PYTHONS  = python3 python3.14 python3.13 python3.12 python3.11
SUITABLE = import ensurepip, sys; sys.exit(sys.version_info < (3, 11))
PYTHON   = $(or $(firstword $(foreach name,$(PYTHONS),\
  $(shell $(name) -c '$(SUITABLE)' 2> /dev/null && echo $(name)))),\
  $(error Python 3.11 or later with its module venv is needed; name it by make PYTHON=...))

# Each worker starts with tests of its own folders, so that the two rarely need the same simulator
# at the same time; a worker that has finished takes over tests of the other.
PYTEST := $(BIN)/pytest -q -n 2 --dist worksteal

.PHONY: help demo test test-fast test-all lint format docs site conformance timing venv lock clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

demo: $(VENV)/.done  ## build UDP echo, talk to it with ping and sockets, measure it
	$(BIN)/python tools/system_programs.py g++ make perl ip ping
	$(BIN)/bombus demo

test: $(VENV)/.done  ## run all tests and lint steps, with samples of the longest sweeps
	$(BIN)/python tools/system_programs.py
	$(PYTEST) -r fEs --durations=20 --cpu-minutes -m "not sweep"

test-fast: $(VENV)/.done  ## run the tests without large simulators, proofs or synthesis
	$(PYTEST) -m "not slow"

test-all: $(VENV)/.done  ## run all tests and lint steps, with the full sweeps (TESTS=folders: of these)
	$(BIN)/python tools/system_programs.py
	$(PYTEST) -r fEs --durations=20 $(TESTS)

# Designs that fit an ECP5; most of an hour of CPU time the first time, later from the cache.
TIMED := udp_echo_1g udp_echo_5g udp_echo_10g

timing: $(VENV)/.done  ## place and route designs on an ECP5, three seeds each: clock rates, floorplans
	mkdir -p build/timing
	for design in $(TIMED); do \
	  $(BIN)/bombus timing designs/$$design.yaml -o build/timing/$$design.svg || exit 1; \
	done

lint: $(VENV)/.done  ## check style, types and cleanliness
	$(BIN)/python tools/lint.py

format: $(VENV)/.done  ## format Python and SystemVerilog
	$(BIN)/python tools/lint.py --fix licence python format

docs: $(VENV)/.done  ## regenerate pages and pictures
	$(BIN)/python -m bombus.design.reference > docs/design-file.md
	$(BIN)/python -m bombus.design.register_reference > docs/registers.md
	$(BIN)/python tools/module_index.py
	$(BIN)/python -m tests.platform.docs.documents
	$(BIN)/python -m bombus.pictures.diagrams docs/pictures
	$(BIN)/bombus show designs/udp_echo.yaml -o docs/pictures/udp_echo.svg
	$(BIN)/bombus show docs/examples/udp_upper/udp_upper.yaml -o docs/pictures/udp_upper.svg
	$(BIN)/bombus show designs/scale_28.yaml -o docs/pictures/scale_28.svg
	$(BIN)/bombus show docs/examples/lookup/two_networks.yaml -o docs/pictures/two_networks.svg
	$(BIN)/bombus show docs/examples/first/first.yaml -o docs/pictures/first.svg
	$(BIN)/bombus show designs/udp_echo_memory.yaml -o docs/pictures/udp_echo_memory.svg
	! $(BIN)/bombus check docs/examples/deadlock/figure_5a.yaml -o docs/pictures/figure_5a_deadlock.svg

# Without the advice of its theme about later versions of MkDocs, which pyproject.toml excludes.
# `make site VERSION=1.2.0` writes build/site/1.2.0, beside other versions, between which a menu switches.
SITE = build/site$(if $(VERSION),/$(VERSION))
site: $(VENV)/.done  ## write the documentation as a site to build/site; every link must lead somewhere
	NO_MKDOCS_2_WARNING=1 SITE_VERSION=$(VERSION) $(BIN)/mkdocs build --strict --site-dir $(SITE)
	@echo "To read it: $(BIN)/python -m http.server --directory build/site 8000"

conformance: $(VENV)/.done  ## run the TCP conformance scripts; docs/protocols/tcp/conformance.md says what passes
	$(BIN)/python -m tests.protocols.tcp.conformance.report

venv: $(VENV)/.done  ## install Bombus with all its tools into .venv

$(VENV)/.done: requirements.lock pyproject.toml
	@echo "Installing Bombus and its tools into $(VENV): about 450 MB to download, 2 GB on disk."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --disable-pip-version-check --require-hashes --requirement requirements.lock
	$(BIN)/pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation --editable .
	touch $@

# Versions in the file stay, unless it is removed first or pyproject.toml excludes them.
lock:  ## update requirements.lock, with the hashes of all files, and sbom.cdx.json
	rm -rf build/lock && $(PYTHON) -m venv build/lock
	build/lock/bin/pip install --quiet cyclonedx-bom uv
	build/lock/bin/uv pip compile pyproject.toml --extra dev --quiet --universal \
	  --python-version 3.11 --generate-hashes --no-header --no-annotate --output-file requirements.lock
	grep == requirements.lock | tr -d '\\' | build/lock/bin/cyclonedx-py requirements \
	  --pyproject pyproject.toml --mc-type library --output-reproducible --output-file sbom.cdx.json -
	rm -rf build/lock

clean:  ## remove everything built, .venv included
	rm -rf build $(VENV) .mypy_cache .pytest_cache .ruff_cache
