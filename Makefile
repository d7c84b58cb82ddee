# Needs git, make, Python >= 3.11 (with venv) and a Rust toolchain; everything else it fetches into .uv and .venv.
#
#   make reproduce    the paper's figures beside the paper's numbers (ARGS="--quick" for a first look)
#   make setup        .venv/bin/dupack, ready to use; does nothing the second time
#   make develop      the same, with what tests and the site need: pytest, mypy, Sphinx, Jupyter, Ray
#   make test         all tests, Rust and Python, except the two below; property tests draw from a fixed seed (.cargo/config.toml).
#                     Prints which tests are skipped and why, and the ten slowest of both languages; the whole output of the Rust
#                     tests is in out/test.log
#   make test-seeds   each property test with 1,000 fresh seeds, or SEEDS=n; about 1.8 hours on 2 cores. For a failure it prints
#                     the seed and the command that repeats it. With ARGS=--resume it goes on where it was ended, if the build is the same
#   make test-kills   kills a sweep at each of its changes to the disk, and at times drawn from 100 seeds, and lets each change fail;
#                     about 8 minutes; needs strace
#   make test-cluster the tests that start a Ray cluster on this machine and kill parts of it
#   make fuzz         each property test with 20 fresh seeds, or SEEDS=n, which takes 2 minutes; then fresh changes of each of seven files
#                     that Python reads; then a coverage-guided fuzzer of plans, of files that they name, of disciplines, of packets, and
#                     of acks. Each of these takes an hour, or TIME=seconds (FUZZED=queue: one of them; FUZZED=readers: the seven files).
#                     The fuzzers need nightly Rust (`rustup toolchain install nightly`), a C++
#                     compiler and cargo-fuzz (`cargo install cargo-fuzz`); a find is in fuzz/artifacts; a description of an
#                     hour's run is kept in fuzz/last.toml
#   make fuzz-corpus  keeps the smallest sets of inputs with the coverage that `make fuzz` has reached; the tests replay it
#   make lint         formatting, clippy, rustdoc, ruff, types, spelling, and links and sentences of the texts: every file, without a
#                     warning; part of make test
#   make generate     writes what is generated from the code: stubs, README's words, the reference, drawings. A test fails if
#                     they are stale
#   make docs         the site, out/site/index.html (ARGS=--full with full reports of the papers, if there are none); also as make site
#   make web          the playground, which `dupack play` serves: python/dupack/playground; needs npm (Node 20.11 or newer), and adds the
#                     Rust target for it with rustup. Done by make docs and make wheels where there is npm
#   make test-web     the playground in a browser, all of it: about 4 minutes; needs chromium. A short part belongs to make test.
#                     The soak in it takes a minute, with DUPACK_SOAK=10 ten
#   make bench-web    how fast the playground simulates, beside the native engine
#   make wheels       out/wheels: a wheel for each system whose Rust target is installed, the source distribution, and an SBOM of the
#                     Python packages; that of the crates is in the wheels. Looks into each wheel, and runs the one for this machine, and
#                     one built from the source distribution, in clean environments
#   make wheels-again builds the wheels of out/wheels again, from nothing, and compares them: two builds of a commit in the same
#                     directory, with the same Rust, have the same bytes
#   make targets      installs the Rust targets of the wheels, with rustup
#   make audit        compares crates and Python packages with lists of known holes, and crates with deny.toml: licences and sources;
#                     needs cargo-deny, which `make audit-tools` installs
#   make bench        how fast dupack is, beside ns-2 and ns-3 where they are installed, and beside htsim if HTSIM=folder names a build of
#                     it (its folder sim after `make libhtsim.a`); writes docs/benchmarks.md in less than 10 minutes
#                     (ARGS=--quick: each case once, without ns-3 and without the page)
#   make bench-parts  the benchmarks of the crates: cells, packets, push-out; and instructions, with the cost of each part
#   make verify       checks against independent programs, formulas and standards; writes docs/verification.md (ARGS=--quick: fewer
#                     cases, and no page; ARGS with names of checks: only their sections are made again; NS3=folder names another
#                     ns-3 than Debian's: the folder ns3 of its Python wheel, unpacked)

UV_VERSION := 0.13.8
# The first Python that is new enough and can make a virtual environment, whatever its name.
NAMES := python3 python3.15 python3.14 python3.13 python3.12 python3.11 python /usr/bin/python3
SUITS := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))
ifndef PYTHON
PYTHON := $(shell for p in $(NAMES); do "$$p" -c '$(SUITS)' >/dev/null 2>&1 && echo "$$p" && break; done)
endif

export UV_PYTHON_DOWNLOADS := never
export UV_SYSTEM_CERTS := 1
export UV_PROJECT_ENVIRONMENT := .venv
# Where PYTHONDONTWRITEBYTECODE is set, every command would compile what it imports again, which doubles the time that it starts in.
export UV_COMPILE_BYTECODE := 1
COMPILE := .venv/bin/python -m compileall -q python
# An active virtual environment is ignored.
unexport VIRTUAL_ENV

UV := .uv/bin/uv
DUPACK := .venv/bin/dupack

PYTHON_FILES := python tests verify docs fuzz/record.py web/tests

RUST_TESTS := cargo test --workspace --exclude dupack-py --no-fail-fast

# Crates outside the workspace, with the same profile, so that the crates of others that both need are built once.
OWN := --manifest-path examples/own-controller/Cargo.toml
S2N := --manifest-path examples/s2n-quic-cubic/Cargo.toml
# A part of `make verify`, which builds and runs it.
STREAMS := --manifest-path verify/streams/Cargo.toml

SEEDS := 1000
fuzz: SEEDS := 20

TIME := 3600
FUZZED := readers plan file queue packet transport
# The sanitizers look for what safe Rust does not do.
FUZZ := cargo +nightly fuzz run --sanitizer none

# Systems of the wheels, by Rust's names.
TARGETS := x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu x86_64-unknown-linux-musl aarch64-unknown-linux-musl
WHEELS := out/wheels
TOOLS := $(UV) run --quiet --locked --isolated --python .uv/bin/python

# What differs from build to build: times of files, the numbers that a crate draws while it is compiled, and directories.
REPRODUCIBLE = SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) CONST_RANDOM_SEED=dupack CARGO_TARGET_DIR=target/for-wheels \
  RUSTFLAGS="--remap-path-prefix=$(CURDIR)=dupack --remap-path-prefix=$${CARGO_HOME:-$$HOME/.cargo}=cargo"
MATURIN = $(REPRODUCIBLE) $(TOOLS) --only-group wheels maturin

PIP_AUDIT := pip-audit==2.10.0

.PHONY: setup develop cargo reproduce wheels wheels-again targets audit-tools audit wasm web web-if-possible test test-builds test-web bench-web test-seeds test-kills test-cluster docs site fuzz fuzz-corpus verify lint format generate bench bench-parts clean

# rustc warns of a make that runs several jobs and does not hand it their tokens.
NO_TOKENS := env -u MAKEFLAGS -u MFLAGS

# What dupack itself needs: figures, stores, data frames. `--inexact` leaves what `develop` has installed.
setup: $(UV)-$(UV_VERSION) cargo
	@test -x $(DUPACK) || echo "make: installing Python packages and building dupack in release mode; this takes 2 to 4 minutes, once"
	@$(UV) sync --locked --no-default-groups --inexact --extra figures --extra frames --extra store --python .uv/bin/python --quiet
	@$(COMPILE)

# The same with what tests, the site and a cluster need: pytest, mypy, Sphinx, Jupyter, Ray.
develop: $(UV)-$(UV_VERSION) cargo
	@test -x .venv/bin/pytest || echo "make: installing what the tests and the site need: about 1 GB, once"
	@$(NO_TOKENS) $(UV) sync --locked --all-extras --python .uv/bin/python --quiet
	@$(COMPILE)

cargo:
	@command -v cargo >/dev/null || { echo >&2 "make: dupack is built with Rust, and there is no cargo here"; exit 1; }

$(UV)-$(UV_VERSION):
	@test -n "$(PYTHON)" || { echo >&2 "make: dupack needs Python 3.11 or newer with its venv module, and found none as: $(NAMES)"; \
	  echo >&2 "make: install one (on Debian: python3 and python3-venv), or name it: make $(MAKECMDGOALS) PYTHON=/path/to/python"; exit 1; }
	@rm -rf .uv
	@"$(PYTHON)" -m venv .uv
	@.uv/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	@touch $@

reproduce: setup
	@$(DUPACK) reproduce $(ARGS)

BROWSER := $(firstword $(shell command -v chromium chromium-browser google-chrome 2>/dev/null))

# Empty where the tests of the page cannot run.
PAGE_TESTED := $(and $(BROWSER),$(shell command -v npm 2>/dev/null))

# All three, whatever comes of the first. The end of the release build keeps one processor busy for minutes; meanwhile the other builds what the
# tests of the page and of Rust need.
test: $(UV)-$(UV_VERSION) cargo
	@lint=passed rust=passed python=passed; \
	$(MAKE) --no-print-directory --jobs=2 --keep-going develop test-builds || python=FAILED; \
	$(MAKE) --no-print-directory --silent lint || lint=FAILED; \
	"$(PYTHON)" tests/brief.py out/test.log $(RUST_TESTS) || rust=FAILED; \
	cargo test $(OWN) --target-dir target --quiet || rust=FAILED; \
	cargo test $(S2N) --target-dir target --quiet || rust=FAILED; \
	.venv/bin/python -m pytest -q -n auto --dist worksteal --durations=10 || python=FAILED; \
	echo "make test: lint $$lint, Rust $$rust, Python $$python"; \
	test "$$lint $$rust $$python" = "passed passed passed"

# What does not compile here is told when the tests are run.
test-builds: cargo $(if $(PAGE_TESTED),web)
	@$(NO_TOKENS) $(RUST_TESTS) --no-run --quiet 2>/dev/null || true

test-seeds:
	@"$(PYTHON)" tests/seeds.py $(ARGS) $(SEEDS)

test-kills: develop
	EVERY=1 .venv/bin/python -m pytest -q -n auto tests/python/test_durable.py

WASM := target/for-web/wasm32-unknown-unknown/web/dupack_wasm.wasm
PAGE := python/dupack/playground

# In a directory of its own, so that it waits for no other build.
wasm: cargo
	@test -d "$$($(NO_TOKENS) rustc --print target-libdir --target wasm32-unknown-unknown)" || rustup --quiet target add wasm32-unknown-unknown
	@$(NO_TOKENS) cargo build --profile web --quiet --locked -p dupack-wasm --target wasm32-unknown-unknown --target-dir target/for-web

web: wasm
	@command -v npm >/dev/null || { echo >&2 "make: the playground is built with npm, and there is none here"; exit 1; }
	@cp $(WASM) web/src/engine/dupack.wasm
	@cd web && { cmp -s package-lock.json node_modules/.made-of || { npm ci --silent && cp package-lock.json node_modules/.made-of; }; }
	@cd web && npm run --silent build -- --logLevel warn

# Where there is npm; elsewhere what needs the page does without it.
web-if-possible:
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory web; \
	else echo "make: without npm there is no playground"; fi

test-web: develop web
	cd web && npm run --silent test && npm run --silent test:browser

bench-web: develop web
	@cd web && node tests/bench.mjs

test-cluster: develop
	.venv/bin/python -m pytest -q -m cluster

docs: develop web-if-possible
	@.venv/bin/python -m docs.site $(ARGS)

site: docs

wheels: $(UV)-$(UV_VERSION) cargo web-if-possible
	@rm -rf $(WHEELS) && mkdir -p $(WHEELS)
	@for target in $(TARGETS); do \
	  if test -d "$$(rustc --print target-libdir --target $$target)"; then \
	    $(MATURIN) build --release --locked --zig --target $$target --out $(WHEELS) || exit 1; \
	  else echo "make: no wheel for $$target, whose Rust target is not installed (make targets)"; fi; \
	done
	@$(MATURIN) sdist --out $(WHEELS)
	@$(UV) export --quiet --locked --all-extras --no-default-groups --no-emit-project --format cyclonedx1.5 \
	  --preview-features sbom-export --output-file $(WHEELS)/python.cdx.json >/dev/null
	@"$(PYTHON)" tests/wheels.py $(WHEELS) $(UV)

# A copy of what is there, because `wheels` begins with nothing.
wheels-again:
	@ls $(WHEELS)/*.whl >/dev/null || { echo >&2 "make: no wheels in $(WHEELS) to compare with; make wheels builds them"; exit 1; }
	@rm -rf $(WHEELS)-before target/for-wheels && cp -r $(WHEELS) $(WHEELS)-before
	@$(MAKE) --no-print-directory wheels
	@cd $(WHEELS) && for wheel in *.whl *.tar.gz; do cmp "$$wheel" "../$(notdir $(WHEELS))-before/$$wheel" || exit 1; done
	@rm -rf $(WHEELS)-before; echo "make: the same bytes"

targets: cargo
	rustup target add $(TARGETS)

audit-tools: cargo
	@cargo deny --version >/dev/null 2>&1 || cargo install --quiet --locked cargo-deny

# All of them, whatever comes of the first.
audit: $(UV)-$(UV_VERSION) cargo
	@mkdir -p out; failed=0; \
	if cargo deny --version >/dev/null 2>&1; then \
	  for manifest in Cargo.toml fuzz/Cargo.toml; do \
	    cargo deny --manifest-path $$manifest --config deny.toml check || failed=1; \
	  done; \
	else echo "make: the crates were not checked: cargo-deny is not installed (make audit-tools)"; fi; \
	$(UV) export --quiet --locked --all-extras --all-groups --no-emit-project --output-file out/requirements.txt >/dev/null && \
	$(UV) tool run --quiet --python .uv/bin/python $(PIP_AUDIT) --strict --disable-pip --require-hashes --requirement out/requirements.txt || failed=1; \
	exit $$failed

verify: develop
	@.venv/bin/python -m verify $(ARGS)

fuzz: develop
	@"$(PYTHON)" tests/seeds.py $(SEEDS)
	$(if $(filter readers,$(FUZZED)),FRESH=$(TIME) .venv/bin/python -m pytest -q -n auto tests/python/test_readers.py)
	@for target in $(filter-out readers,$(FUZZED)); do \
	  mkdir -p fuzz/found/$$target && \
	  "$(PYTHON)" fuzz/record.py $$target $(FUZZ) $$target fuzz/found/$$target fuzz/corpus/$$target -- \
	    -max_total_time=$(TIME) -max_len=4096 -timeout=20 -print_final_stats=1 || exit 1; \
	done

fuzz-corpus:
	@for target in $(filter-out readers,$(FUZZED)); do \
	  rm -rf fuzz/kept && mkdir -p fuzz/kept fuzz/found/$$target && \
	  $(FUZZ) $$target fuzz/kept fuzz/corpus/$$target fuzz/found/$$target -- -merge=1 -set_cover_merge=1 -use_counters=0 && \
	  rm -rf fuzz/corpus/$$target && mv fuzz/kept fuzz/corpus/$$target || exit 1; \
	done

# Rust files by name, too: what a macro declared would be hidden from `cargo fmt`.
# Clippy leaves out fuzz/: libfuzzer-sys compiles C++, and lint needs no C++ compiler.
RUST_FILES := git ls-files -z '*.rs'

# mypy wants the names of packages to be names of Python, and papers' folders have others.
TYPES := out/types/dupack_papers

lint: develop
	cargo fmt --check
	cargo fmt --check --manifest-path fuzz/Cargo.toml
	cargo fmt --check $(OWN)
	cargo fmt --check $(S2N)
	cargo fmt --check $(STREAMS)
	$(RUST_FILES) | xargs -0 rustfmt --edition 2024 --check
	cargo clippy --workspace --all-targets --quiet -- --deny warnings
	cargo clippy $(OWN) --target-dir target --all-targets --quiet -- --deny warnings
	cargo clippy $(S2N) --target-dir target --all-targets --quiet -- --deny warnings
	RUSTDOCFLAGS="--deny warnings" cargo doc --workspace --no-deps --quiet
	.venv/bin/ruff check $(PYTHON_FILES)
	.venv/bin/ruff format --check $(PYTHON_FILES)
	.venv/bin/mypy
	@for paper in papers/*/ python/dupack/studies/*/ docs/howto/paper/*/; do mkdir -p $(TYPES) && ln -sfn "$$PWD/$$paper" $(TYPES)/$$(basename $$paper | tr - _); done
	MYPYPATH=$(dir $(TYPES)) .venv/bin/mypy -p $(notdir $(TYPES))
	git ls-files -z | xargs -0 .venv/bin/codespell
	.venv/bin/python -m docs.links
	.venv/bin/python -m docs.prose

# The page of licences lists the packages of all extras.
generate: develop
	@.venv/bin/python -m docs.generate

# The files of lint.
format: develop
	cargo fmt
	cargo fmt --manifest-path fuzz/Cargo.toml
	cargo fmt $(OWN)
	cargo fmt $(S2N)
	cargo fmt $(STREAMS)
	$(RUST_FILES) | xargs -0 rustfmt --edition 2024
	.venv/bin/ruff check --fix $(PYTHON_FILES)
	.venv/bin/ruff format $(PYTHON_FILES)

bench: develop
	@.venv/bin/python -m verify.bench $(ARGS)

bench-parts:
	cargo bench --workspace --exclude dupack-py

clean:
	rm -rf .venv .uv target out python/dupack/*.so $(PAGE) web/node_modules web/src/engine/dupack.wasm
