# make help lists what there is. Works with GNU make 3.81 and later; every step says what it does and how long it took.

PYTHON ?= python3
export PYTHON
# Where rustup, Go's archive and Debian's nginx put their programs; not every shell looks there.
export PATH := $(PATH):$(HOME)/.cargo/bin:/usr/local/go/bin:/usr/sbin

# Where it is set, as in many images, every command of the lab compiles some 300 files before it does anything.
unexport PYTHONDONTWRITEBYTECODE

SHELL := /bin/sh
ifndef SIDE_BY_SIDE
.NOTPARALLEL:
endif
.DELETE_ON_ERROR:
.PHONY: help setup demo test test-full quick check check-python check-rust check-go check-java check-spring-boot check-repository compile-test-driver test-driver test-c test-go test-java test-spring-boot test-lab test-chosen mutation mutation-jakarta mutation-spring-boot fuzz bench-driver bench-same-list bench-verdicts clients schemas release clean development tools tools-for-tests FORCE
.DEFAULT_GOAL := help

STEP := checks/step
PIP := .venv/bin/python -m pip --disable-pip-version-check --no-input --quiet
DRIVER_SOURCES := $(shell find driver/src driver/Cargo.toml driver/Cargo.lock -type f)
LAB_SOURCES := $(shell find lab/middlemark -name '*.py')
# All JSON Schemas are written together; this one stands for them.
SCHEMAS := docs/reference/session.schema.json
CARGO_OPTIONS := --quiet --locked --manifest-path driver/Cargo.toml
IN_GO := cd platforms/go &&
PYTEST := .venv/bin/pytest -q
PYTEST_OPTIONS ?=
# How long each test took, by which `make quick` chooses.
DURATIONS := .build/durations
TESTS ?= lab/tests checks

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' Makefile
	@echo 'make PYTHON=python3.12 … chooses the interpreter; PYTEST_OPTIONS="-k words" chooses tests'

setup: .build/package $(SCHEMAS) ## build the lab and the driver into .venv/bin
	@echo 'Ready. Look at .venv/bin/middlemark --help, or see it work: make demo'

demo: .build/package $(SCHEMAS) ## a whole small comparison with its report; under 10 minutes from nothing
	@.venv/bin/middlemark run demo

# Two at once: fetching libraries, linking, types and the checks each leave a CPU idle. The driver's tests, which are about
# time, and the lab's, which fill the machine by themselves, come alone. What follows the first one, in this order, is
# begun as soon as it can.
test: tools-for-tests ## all tests that fit 25 minutes on 2 cores
	@$(MAKE) --no-print-directory -j 2 SIDE_BY_SIDE=yes development check-rust compile-test-driver check test-go test-c test-java test-spring-boot
	@$(MAKE) --no-print-directory test-driver test-lab PYTEST_MARKS='$(PYTEST_MARKS)'
	@echo 'All tests passed.'

# Cargo would wait for the one before it, and Maven does not bear another one that fetches into the same folder.
ifdef SIDE_BY_SIDE
compile-test-driver: | check-rust
test-java: | check-java
check-spring-boot: | test-java
test-spring-boot: | check-spring-boot
endif

test-full: PYTEST_MARKS := full or not full
test-full: test ## every test, also the heavy ones

# Changed is what differs from the commit in which the branch left the remote's main; SINCE=REVISION names another one.
quick: tools ## format, types, lints and tests of what has changed, in less than 3 minutes
	@$(PYTHON) -m checks.quick --since '$(SINCE)'

check: check-python check-rust check-go check-java check-spring-boot check-repository ## style, types, lints, and the tests of the repository itself

check-python: development
	@$(STEP) 'Python: lint' .venv/bin/ruff check --quiet
	@$(STEP) 'Python: format' .venv/bin/ruff format --check --quiet
	@$(STEP) 'Python: types' .venv/bin/mypy

check-rust: tools
	@$(STEP) 'Rust: format' cargo fmt --check --manifest-path driver/Cargo.toml
	@$(STEP) 'Rust: lint' cargo clippy $(CARGO_OPTIONS) --all-targets -- -D warnings

check-go: tools
	@$(STEP) 'Go: format' sh -c 'wrong=$$(gofmt -l platforms/go); [ -z "$$wrong" ] || { echo "run gofmt -w on: $$wrong"; exit 1; }'
	@$(STEP) 'Go: vet' sh -c '$(IN_GO) go vet ./...'
	@$(STEP) 'Go: lint' sh -c '$(IN_GO) go tool staticcheck ./...'

check-java: tools
	@if command -v mvn >/dev/null; then $(STEP) 'Java: format and lint' sh -c 'cd platforms/jakarta && mvn -q -B checkstyle:check'; \
	    else echo 'Java: format and lint not checked, there is no mvn'; fi

check-spring-boot: tools
	@if command -v mvn >/dev/null; then $(STEP) 'Spring Boot: format and lint' sh -c 'cd platforms/spring-boot/brokerage && mvn -q -B checkstyle:check'; \
	    else echo 'Spring Boot: format and lint not checked, there is no mvn'; fi

check-repository: development
	@$(STEP) 'The repository itself' $(PYTEST) --junitxml $(DURATIONS)/checks.xml checks

compile-test-driver: tools
	@$(STEP) 'Compile the tests of the driver' cargo test $(CARGO_OPTIONS) --no-run

# Most of these wait, so that several go on at once; those that look at how late the driver is want a CPU each.
ABOUT_TIME := self_audit:: stamps:: split_times:: load:: get:: lines::
test-driver: tools ## the driver's tests
	@$(STEP) 'Tests of the driver' cargo test $(CARGO_OPTIONS) -- --test-threads $$(expr $$(getconf _NPROCESSORS_ONLN) '*' 3) $(ABOUT_TIME:%=--skip %)
	@$(STEP) 'Tests of the driver about time' cargo test $(CARGO_OPTIONS) -- $(ABOUT_TIME)

test-c: tools ## the site of the C platform: compiles without a warning, and says what it must
	@$(STEP) 'Tests of the C platform' $(MAKE) --silent -C platforms/c/spice test SITE='$(CURDIR)/.build/test-c'

test-go: development ## the tests of the Go platform, with a PostgreSQL around them
	@$(STEP) 'Tests of the Go platform' sh -c '$(IN_GO) ../../.venv/bin/python ../../checks/with_database.py go test -race ./...'

# In a folder of its own, so that it never meets a build in the platform's; Maven keeps there what it has compiled.
test-java: tools ## the tests of the Jakarta platform that need no server
	@if command -v mvn >/dev/null; then \
	    $(STEP) 'Tests of the Jakarta platform' sh -c 'cd platforms/jakarta && mvn -q -B test -Dbuild.folder="$(CURDIR)/.build/test-java"'; \
	    else echo 'Tests of the Jakarta platform: skipped, there is no mvn'; fi

test-spring-boot: tools ## the tests of the Spring Boot platform, which need no database
	@if command -v mvn >/dev/null; then \
	    $(STEP) 'Tests of the Spring Boot platform' sh -c 'cd platforms/spring-boot/brokerage && mvn -q -B test -Dbuild.folder="$(CURDIR)/.build/test-spring-boot"'; \
	    else echo 'Tests of the Spring Boot platform: skipped, there is no mvn'; fi

# Three workers for two CPUs, as much of a test is waiting, at most six: each has a PostgreSQL and a browser of its own.
# The tests of a file stay together; the files that take longest are begun first.
PYTEST_WORKERS = -n $$(expr $$(getconf _NPROCESSORS_ONLN) '*' 3 / 2) --maxprocesses 6 --dist loadfile --no-loadscope-reorder
PYTEST_MARKS := not full
test-lab: development ## the lab's tests
	@$(STEP) 'Tests of the lab' $(PYTEST) -m '$(PYTEST_MARKS)' $(PYTEST_WORKERS) --junitxml $(DURATIONS)/lab.xml lab/tests $(PYTEST_OPTIONS)

# What `make quick` chooses.
test-chosen: development
	@$(STEP) 'Tests of what has changed' $(PYTEST) -m '$(PYTEST_MARKS)' $(PYTEST_WORKERS) --junitxml $(DURATIONS)/quick.xml $(TESTS) $(PYTEST_OPTIONS)

mutation: development ## change the Go application in hundreds of ways; conformance and audit must tell (an hour or more)
	.venv/bin/python -m checks.mutation named --out results/mutation/named.ndjson
	.venv/bin/python -m checks.mutation made --out results/mutation/made.ndjson

mutation-jakarta: development ## the same with a list of changes of the Jakarta application on Open Liberty
	.venv/bin/python -m checks.mutation named --subject jakarta@liberty --jobs 1 --out results/mutation/jakarta.ndjson

mutation-spring-boot: development ## the same with a list of changes of the Spring Boot application
	.venv/bin/python -m checks.mutation named --subject spring-boot --jobs 1 --out results/mutation/spring-boot.ndjson

FUZZ_SECONDS ?= 60
fuzz: tools development ## look for bytes on which driver or import breaks a promise, FUZZ_SECONDS=60 for each target
	driver/fuzz/fuzz.sh $(FUZZ_SECONDS)
	.venv/bin/python lab/tests/fuzz_session_import.py $(FUZZ_SECONDS)

bench-driver: setup ## what the driver costs, beside wrk, ab, hey, oha, k6 and Hyperfoil (an hour on a quiet machine)
	.venv/bin/python -m checks.bench_driver

bench-same-list: setup ## the rate that the driver and wrk get from one server over one list of paths (5 minutes on a quiet machine)
	.venv/bin/python -m checks.bench_driver.same_list

bench-verdicts: setup ## how often equal builds are said to differ here, and what is said of one that burns more (two hours on a quiet machine)
	.venv/bin/python -m checks.verdicts go
	.venv/bin/python -m checks.verdicts spring-boot
	.venv/bin/python -m checks.verdicts slow-compiler --runs 1

SUBJECTS ?= go jakarta@liberty
clients: setup ## call the services with clients that others wrote: node-soap, Apache CXF, zeep, grpcurl, schemathesis (SUBJECTS="go")
	.venv/bin/python -m checks.clients $(SUBJECTS)

schemas: $(SCHEMAS) ## the JSON Schemas of file formats for editors, into docs/reference

release: .build/package ## the wheel of lab and driver with the JSON Schemas beside it, into .build/release
	@rm -rf .build/release && mkdir .build/release
	@$(STEP) 'Build the wheel' sh -c 'PATH="$$(pwd)/.venv/bin:$$PATH" $(PIP) wheel --no-index --no-deps --no-build-isolation --wheel-dir .build/release .'
	@$(STEP) 'Write the JSON Schemas beside it' .venv/bin/python -m middlemark.schemas .build/release

clean: ## remove everything that was built; results stay
	rm -rf .venv .build driver/target driver/fuzz/target .mypy_cache .ruff_cache .pytest_cache docs/reference/*.schema.json
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

tools:
	@checks/toolchain.sh

tools-for-tests:
	@checks/toolchain.sh --test

development: .build/development

# The programs in .venv hold absolute paths: a moved checkout or another interpreter needs a new one. The file is
# rewritten, and so newer than what was installed, only when one of the two has changed.
.venv/made-for: FORCE | tools
	@now="$$(pwd) $$($(PYTHON) -c 'import sys; print(sys.base_prefix, *sys.version_info[:3])')"; \
	if [ "$$(cat $@ 2>/dev/null)" != "$$now" ]; then \
	    if [ -f $@ ]; then rm -rf .venv; fi; \
	    $(STEP) 'Make .venv' $(PYTHON) -m venv .venv && echo "$$now" >$@; \
	fi

.build/dependencies: .venv/made-for requirements.lock
	@$(STEP) 'Install the libraries of requirements.lock' $(PIP) install --require-hashes --only-binary :all: -r requirements.lock
	@mkdir -p .build && touch $@

.build/package: .build/dependencies pyproject.toml $(DRIVER_SOURCES)
	@$(STEP) 'Build the driver and install middlemark' sh -c \
	    'PATH="$$(pwd)/.venv/bin:$$PATH" $(PIP) install --no-index --no-deps --no-build-isolation --editable .'
	@touch $@

$(SCHEMAS): .build/package $(LAB_SOURCES)
	@$(STEP) 'Write the JSON Schemas into docs/reference' .venv/bin/python -m middlemark.schemas docs/reference

.build/development: requirements-dev.lock .build/package
	@$(STEP) 'Install the libraries of requirements-dev.lock' $(PIP) install --require-hashes --only-binary :all: -r requirements-dev.lock
	@touch $@
