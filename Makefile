# Two commands do everything on a fresh Debian or Ubuntu machine with Swift: `make demo` and `make test`. Each command
# prints and installs the packages that it needs. It uses sudo only if it does not run as root.

SWIFT ?= swift
CONFIGURATION ?= release
# The demo's programs are listed by name, so that `make demo` does not build the tests' own programs. The examples are a package
# of their own, which builds in the same folder.
DEMO = annex Misbehaver Silent
DEMO_EXAMPLES = PictureEditor Pictures Shout ShoutApp
DEMO_TODAY = annex annexd
DEMO_TODAY_EXAMPLES = ToDoListApp ToDoAdder ToDoWidget WeatherApp WeatherWidget NewsApp NewsWidget
PAGE = Sources/Page/annex-today
TRANSFER = Sources/Transfer/annex-transfer
# What only annex-transfer needs, for .ci/install-needs.
TRANSFER_NEEDS = '/usr/include/*/curl/curl.h:libcurl4-openssl-dev'
# $(call build,FLAGS,PRODUCTS OF ANNEX,EXAMPLES)
build = for product in $(2); do $(SWIFT) build $(1) --product $$product || exit 1; done; \
	for product in $(3); do SWIFT="$(SWIFT)" .ci/build-beside Examples $(1) --product $$product || exit 1; done
# The flags of all debug builds. A debug build with other flags would compile everything anew.
STRICT = -Xswiftc -warnings-as-errors
# The flags of all release builds. A release build with other flags would compile everything anew.
# The second line makes types known to the compiler by calls rather than by names. Otherwise each first use of a generic type
# searches all conformances of the program, which costs a whole `annex run` a tenth of its processor time.
SHIPPED = --static-swift-stdlib -Xswiftc -use-ld=lld \
	-Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors
BIN = $(shell $(SWIFT) build -c $(CONFIGURATION) --show-bin-path)
DEBUG = $(shell $(SWIFT) build --show-bin-path)

.PHONY: help setup transfer-needs transfer-program ready demo demo-today today-picture browser try test policies attack proof attacks-page tool-page promises-page house-plan counts hooks programs install docs bench bench-peers bench-transfers bench-smoke bench-short bench-micro readme-table bench-run bench-hosts bench-groups bench-today bench-install bench-neighbours gates fuzz tsan format containers soak kill-soak change-soak transfer-kills chaos stress units vm load-soak hostile-soak outside macros guide clean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-18s %s\n", $$1, $$2}'

setup: ## install the C libraries that the build needs, where they are missing
	@sh .ci/install-needs

ready: setup ## say whether this system lets a process make a sandbox, and if not what helps
	@sh .ci/preflight

# The demos are debug builds: a first build takes half of the time of a release build, and `make test` needs it anyway.
demo: ready ## edit a picture with untrusted code, then run its attacks (PICTURE=FILE: your own picture)
	@$(call build,$(STRICT),$(DEMO),$(DEMO_EXAMPLES))
	@sh Examples/assemble "$(DEBUG)" "$(DEBUG)"
	@"$(DEBUG)/annex" demo $(if $(PICTURE),-- "$(PICTURE)")

demo-today: ready ## the Today view: widgets of three apps in the terminal, and as a page in the browser
	@$(call build,$(STRICT),$(DEMO_TODAY),$(DEMO_TODAY_EXAMPLES))
	@SWIFT="$(SWIFT)" .ci/build-beside $(PAGE) $(STRICT) --product annex-today
	@.ci/demo-today "$(DEBUG)"

today-picture: browser ## the README's picture of the Today view, made anew by the page itself
	@cp .build/browser/light-1100.png Docs/Pictures/today.png

browser: setup ## the page of annex-today in Chromium: its rules, its attackers, and pictures of it in .build/browser
	@.ci/build-tests
	@.ci/browser

programs: setup transfer-needs ## `annex`, `annexd`, `annex-today` and `annex-transfer`, for `make install`
	@$(call build,-c $(CONFIGURATION) $(SHIPPED),annex annexd)
	@SWIFT="$(SWIFT)" .ci/build-beside $(PAGE) -c $(CONFIGURATION) $(SHIPPED) --product annex-today
	@$(MAKE) --no-print-directory transfer-program

transfer-program:
	@SWIFT="$(SWIFT)" .ci/build-beside $(TRANSFER) -c $(CONFIGURATION) $(SHIPPED) --product annex-transfer

# The library that moves the bytes of background transfers. Only annex-transfer and its tests need it.
transfer-needs:
	@sh .ci/install-needs $(TRANSFER_NEEDS)

install: ## the built programs with units, manual and completions below PREFIX (/usr/local), in DESTDIR if there is one
	@.ci/install-programs "$(BIN)" "$(or $(PREFIX),/usr/local)" "$(DESTDIR)"

docs: setup ## the documentation of the libraries, as DocC archives in .build/docs
	@SWIFT="$(SWIFT)" .ci/docs

try: setup ## build and run some tests: TEST=AnnexChannelTests, a suite, or a part of a test's name
	@.ci/try "$(TEST)"

test: setup transfer-needs ## every test, as the user you are; as root also as an ordinary user
	@.ci/test

soak: setup ## 1,000 launches that leave every count as it was (LAUNCHES=N: as many as you like)
	ANNEX_LAUNCHES=$(or $(LAUNCHES),1000) .ci/some-tests LIFE-05

kill-soak: setup ## 100 hosts killed at random moments leave nothing behind (KILLS=N: as many as you like)
	ANNEX_KILLS=$(or $(KILLS),100) .ci/some-tests killed.host

change-soak: setup ## annexd killed 10,000 times in changes and 10,000 in migrations: the old state or the new (KILLS=N SEED=S)
	ANNEX_KILLS=$(or $(KILLS),10000) $(if $(SEED),ANNEX_SEED=$(SEED)) .ci/some-tests "KilledChangeTests|KilledMigrationTests"

transfer-kills: setup transfer-needs ## 1,000 agents, daemons and extensions killed in transfers: one outcome each, right bytes (KILLS=N SEED=S)
	@.ci/build-beside $(TRANSFER) --product annex-transfer -Xswiftc -warnings-as-errors
	ANNEX_TRANSFER_KILLS=$(or $(KILLS),1000) $(if $(SEED),ANNEX_SEED=$(SEED)) .ci/some-tests KilledTransferTests

chaos: setup ## 10,000 launches, each with a random accident or limit: right reasons, nothing left (LAUNCHES=N SEED=S LANES=N)
	ANNEX_CHAOS=$(or $(LAUNCHES),10000) ANNEX_CHAOS_LANES=$(or $(LANES),4) $(if $(SEED),ANNEX_SEED=$(SEED)) .ci/some-tests AccidentTests

stress: setup ## stress-ng's stressors inside a sandbox, the machine's own round trips meanwhile (SECONDS_EACH=N: 4)
	@sh .ci/install-needs stress-ng
	@$(SWIFT) build -c $(CONFIGURATION) $(SHIPPED) --product annex && ANNEX="$(BIN)/annex" SECONDS_EACH=$(or $(SECONDS_EACH),4) .ci/stress

load-soak: setup ## many sessions with ends of all kinds for MINUTES=N (15, at most 19): memory of host and warden stays flat
	ANNEX_LOAD_MINUTES=$(or $(MINUTES),15) .ci/some-tests LoadTests

hostile-soak: setup ## an extension writes over its shared memory at full speed while its host calls (MINUTES=N: 5, at most 15)
	ANNEX_HOSTILE_MINUTES=$(or $(MINUTES),5) .ci/some-tests ScribblingPeer

fuzz: setup ## libFuzzer over every reader of hostile bytes (RUNS=N: that many runs of each, ONLY=NAME: one of them)
	@.ci/fuzz $(or $(RUNS),20000) $(ONLY)

units: setup ## the systemd units, live: a system of its own starts them, and extensions run under them (root)
	@sh .ci/install-needs systemd-nspawn:systemd-container
	@$(call build,$(STRICT),annexd host-fixture $(DEMO),$(DEMO_EXAMPLES))
	@.ci/units

containers: setup ## Annex in containers of Podman: Docker's and Podman's profiles, messages and options (root)
	@sh .ci/install-needs podman:podman crun:crun
	@$(call build,$(STRICT),$(DEMO),$(DEMO_EXAMPLES))
	@.ci/containers

policies: setup ## Policies/compiled.bin, the compiled policies, made anew of the texts in Policies/
	@$(SWIFT) build $(STRICT) --product CompilePolicies
	@"$$($(SWIFT) build --show-bin-path)/CompilePolicies" Policies

vm: setup ## Debian 12 and 13 as real machines, in an emulator: doctor, demo, attacks, suites, units, as three users (root; SUITE=NAME)
	@.ci/vm $(SUITE)

attack: setup ## run every attack of the catalogue against POLICY (default: compute)
	@$(SWIFT) build -c $(CONFIGURATION) $(SHIPPED) --product annex && "$(BIN)/annex" attack --policy $(or $(POLICY),compute)

proof: setup ## every shipped policy with each layer left out and each alone: what then gets through is what the table says
	ANNEX_PROVE=all .ci/some-tests ProofTests

house-plan: setup ## the picture of the house plan in CONTRIBUTING.md, made anew from the tested plan
	ANNEX_WRITES_PLAN=1 .ci/some-tests house.plan

counts: ## the size and the seams of the source: walks, targets, lines, folders, threads (COMMIT=C: of that commit)
	@.ci/counts $(COMMIT)

hooks: ## Git checks the subject of each commit, and the format of its Swift files, before it makes the commit
	git config core.hooksPath .ci/hooks

promises-page: setup ## Docs/Reference/Promises.md, made anew from the specification, the list of its tests, and the tests
	ANNEX_WRITES_PROMISES=1 .ci/some-tests page.of.promises

tool-page: setup ## Docs/Reference/ToolPolicy.md, made anew from the policy `tool`
	@$(SWIFT) build $(STRICT) --product annex && "$$($(SWIFT) build --show-bin-path)/annex" policy explain tool --document > Docs/Reference/ToolPolicy.md

attacks-page: setup ## Docs/Reference/Attacks.md, made anew from the catalogue
	@$(SWIFT) build $(STRICT) --product annex && "$$($(SWIFT) build --show-bin-path)/annex" attack --document > Docs/Reference/Attacks.md

bench: setup ## measure the speed of sandboxed extensions against optimised C (ONLY=SCENE,… OUT=FOLDER)
	@sh .ci/install-needs bwrap:bubblewrap
	@.ci/bench build
	@Benchmarks/.build/release/annex-bench all $(if $(ONLY),--only $(ONLY)) $(if $(OUT),--out "$(OUT)")

bench-peers: setup ## the same beside what others offer, of which it builds all whose packages are installed
	@sh .ci/install-needs bwrap:bubblewrap
	@.ci/bench build
	@.ci/bench peers
	@Benchmarks/.build/release/annex-bench all --peers $(if $(ONLY),--only $(ONLY)) $(if $(OUT),--out "$(OUT)")

bench-transfers: setup transfer-needs ## annex-transfer beside curl, and its memory with 64 transfers (GIGABYTES=N: 1 each)
	@.ci/bench-transfers $(or $(GIGABYTES),1)

bench-smoke: setup ## everything that is measured runs and is verified, in seconds; says nothing about speed
	@.ci/bench-smoke

bench-short: setup ## the benchmarks build, and two scenes of them run and are verified; for every change
	@.ci/bench-short

bench-micro: setup ## single steps of calls and launches, by the ecosystem's benchmark package (ONLY=REGEX)
	@.ci/bench micro $(if $(ONLY),--filter "$(ONLY)")

readme-table: setup ## the README's figures and the tables of Benchmarks.md, made of results (RESULT="result.json …"; PAGE: another page)
	@test -n "$(RESULT)" || { echo "annex: say which: annex bench all --peers --json > result.json; make readme-table RESULT=result.json" >&2; exit 64; }
	@.ci/bench command
	@Benchmarks/.build/release/annex-bench table $(RESULT) $(foreach page,$(or $(PAGE),README.md Docs/Reference/Benchmarks.md),--into "$(page)")

bench-run: setup ## `annex run` against bubblewrap, and what a filter costs on a hot call
	@sh .ci/install-needs bwrap:bubblewrap
	$(SWIFT) build -c release $(SHIPPED) --product annex
	Benchmarks/run-ratio "$(BIN)/annex"
	Benchmarks/filter-cost "$(BIN)/annex"

bench-hosts: setup ## what a named host costs a program: connects, handshakes, one GiB with and without a check (root; ROUNDS=N: 5)
	@sh .ci/install-needs ip:iproute2 curl openssl
	$(SWIFT) build -c release $(SHIPPED) --product annex
	Benchmarks/named-hosts "$(BIN)/annex" $(ROUNDS)

bench-groups: setup ## what a member of an app group pays: coordinated reads, durable writes, news, launches (FOLDER: where, /tmp)
	@$(call build,-c release $(SHIPPED),annex host-fixture,Shout ShoutApp)
	@work=$$(mktemp -d -p $(or $(FOLDER),/tmp)) && trap 'rm -rf "$$work"' EXIT && mkdir "$$work/groups" && \
		sh Examples/assemble "$(BIN)" "$$work" Shout && rights=Examples/ToDoList/ToDoList.app/ToDoList.entitlements && \
		cp $$rights "$$work/Shout.app/Shout.entitlements" && cp $$rights "$$work/Shout.app/PlugIns/Loud.appex/Loud.entitlements" && \
		"$(BIN)/annex" key new bench --out "$$work/key" >/dev/null && "$(BIN)/annex" sign "$$work/Shout.app" --key "$$work/key" >/dev/null && \
		ln -s "$(BIN)/host-fixture" "$$work/measures-groups" && "$$work/measures-groups" "$$work/groups" "$$work/Shout.app"

bench-today: setup ## Today views of twelve widgets: first and fresh content, memory, and wake-ups of an idle view (SECONDS: 600)
	@$(call build,-c release $(SHIPPED),annex extension-fixture host-fixture,NewsApp NewsWidget)
	@Benchmarks/today-ratio "$(BIN)" $(or $(SECONDS),600)

bench-install: setup ## the installation of a large signed app against `cp -R` and `sha256sum` (ROUNDS=N: 15)
	@for product in annex annexd; do $(SWIFT) build -c release $(SHIPPED) --product $$product || exit 1; done
	Benchmarks/install-ratio "$(BIN)/annex" "$(BIN)/annexd" $(ROUNDS)

bench-neighbours: setup ## `annex list` beside another user that connects to the same daemon without end, as root (ROUNDS=N: 40)
	@for product in annex annexd; do $(SWIFT) build -c release $(SHIPPED) --product $$product || exit 1; done
	Benchmarks/daemon-neighbours "$(BIN)/annex" "$(BIN)/annexd" $(ROUNDS)

tsan: setup ## the channel's tests under the thread sanitizer (SANITIZER=address: the other one)
	@.ci/sanitize $(or $(SANITIZER),thread)

gates: setup ## format, layering, self-contained examples, warnings as errors
	@.ci/gates

outside: setup ## a package outside the tree, made of the README's own listings, builds and runs
	@.ci/outside

macros: setup ## the package annex-macros builds and passes its tests, and its page builds and runs outside the tree
	@.ci/macros

guide: setup transfer-needs ## the commands of five pages of the guide run, and print what the pages show
	@.ci/reachable sh -c '.ci/build-tests && .ci/guide'

format: ## rewrite the sources in the house format
	$(SWIFT) format -i -r -p Package.swift Sources Tests Examples

clean: ## remove everything that was built
	rm -rf .build
