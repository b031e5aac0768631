# SPDX-License-Identifier: Apache-2.0
"""Tries mutations of files against the tests that concern them, and keeps what comes out.

Results are lines of JSON, added as they come: a run that is stopped goes on where it was. What
belongs to an older text of a file does not count any more.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath

from mutation import elaboration, equivalence, python, systemverilog
from mutation.checkout import BadTestsError, Checkout, Run
from mutation.site import Finder, Site, ordered, shuffled
from mutation.targets import Tests, find_tests

# A run may take this many times as long as with the unmodified file, plus this many seconds.
_PATIENCE, _GRACE = 4.0, 30.0
_FIRST_SECONDS = 1800.0
_SELECTOR_FILE = "rtl/platform/contract/mutation_pkg.sv"
_CANDIDATES = 6  # candidates examined per mutation wanted


@dataclass(frozen=True)
class Result:
    """`verdict`: caught, timeout (caught too), survived, equivalent (proved), broken (does not
    build: not counted)."""

    file: str
    content: str  # of the file: a hash
    line: int
    operator: str
    start: int
    end: int
    old: str
    new: str
    verdict: str
    by: str = ""
    seconds: float = 0.0


def content_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _finder(file: str) -> Finder:
    return systemverilog.sites if file.endswith(".sv") else python.sites


class Journal:
    """The results so far."""

    def __init__(self, file: Path) -> None:
        self.file = file
        lines = file.read_text().splitlines() if file.exists() else []
        self.results = [Result(**json.loads(line)) for line in lines]

    def of(self, file: str, content: str) -> dict[tuple[int, int, str], Result]:
        return {
            (result.start, result.end, result.new): result
            for result in self.results
            if (result.file, result.content) == (file, content)
        }

    def add(self, result: Result) -> None:
        self.results.append(result)
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a") as journal:
            journal.write(json.dumps(asdict(result)) + "\n")


@dataclass
class Campaign:
    """Mutations of files in a checkout. `thorough`: also builds whole designs for single mutations
    that cannot share a build. `again`: tries survivors again, against tests that are new."""

    checkout: Checkout
    journal: Journal
    seed: int
    thorough: bool = False
    again: bool = False
    _passing: set[str] = field(default_factory=set)  # tests that pass without a mutation

    def run(self, file: str, count: int) -> Iterator[Result]:
        """Tests `count` mutations of a file, without those already tested."""
        tests = find_tests(PurePosixPath(file))
        if tests is None:
            raise BadTestsError(
                f"tools/mutation/targets.py does not say which tests concern {file}"
            )
        text = (self.checkout.folder / file).read_text()
        done = {
            key
            for key, result in self.journal.of(file, content_of(text)).items()
            if not (self.again and result.verdict == "survived")
        }
        wanted = self._wanted(file, text, count)
        todo = [site for site in wanted if (site.start, site.end, site.new) not in done]
        if todo:
            yield from self._try(file, text, todo, tests)

    def sample(self, files: Sequence[str], count: int) -> Iterator[Result]:
        """The first `count` mutations of all in the files, in an order by the seed: those that
        have been tried with their verdicts, the others as they are tried."""
        texts = {file: (self.checkout.folder / file).read_text() for file in files}
        everything = [
            (file, site) for file in files for site in ordered(_finder(file)(texts[file]))
        ]
        random.Random(self.seed).shuffle(everything)
        found = 0
        for file, site in everything:
            if found == count:
                return
            text, tests = texts[file], find_tests(PurePosixPath(file))
            before = self.journal.of(file, content_of(text)).get((site.start, site.end, site.new))
            if before is None:
                if tests is None:
                    raise BadTestsError(f"tools/mutation/targets.py does not name {file}")
                if file.endswith(".sv") and not elaboration.elaborates(file, site.applied(text)):
                    continue
                before = next(iter(self._try(file, text, [site], tests)))
            found += before.verdict not in ("broken", "equivalent")
            yield before

    def _try(self, file: str, text: str, todo: list[Site], tests: Tests) -> Iterator[Result]:
        is_rtl = file.endswith(".sv")
        shared = self._shared(file, text, todo) if is_rtl else {}
        alone = [site for site in todo if site not in shared.values()]
        if shared:
            for result in self._try_shared(file, text, shared, tests):
                self.journal.add(result)
                yield result
        if alone and not is_rtl:
            self._check_tests(tests)
        for site in alone:
            result = self._try_alone(file, text, site, tests)
            self.journal.add(result)
            yield result

    def _check_tests(self, tests: Tests) -> None:
        """Tests that fail anyway would catch everything."""
        for stage in tests.unit:
            if stage in self._passing:
                continue
            if self.checkout.test(stage, _FIRST_SECONDS).verdict != "passed":
                raise BadTestsError(f"pytest {stage} fails without a mutation")
            self._passing.add(stage)

    def _wanted(self, file: str, text: str, count: int) -> list[Site]:
        """The first mutations, in the order of the seed, that elaborate."""
        if file.endswith(".sv") and not elaboration.elaborates(file, text):
            raise BadTestsError(f"{file} does not elaborate as it is")
        order = shuffled(_finder(file)(text), Path(file), self.seed)
        found: list[Site] = []
        for site in order[: _CANDIDATES * count]:
            if len(found) == count:
                break
            if not file.endswith(".sv") or elaboration.elaborates(file, site.applied(text)):
                found.append(site)
        return found

    def _shared(self, file: str, text: str, sites: list[Site]) -> dict[int, Site]:
        """Those that can be built into one file, by number."""
        if file.endswith("_pkg.sv"):
            return {}
        fit = [
            site
            for site in sites
            if not site.is_constant
            and elaboration.elaborates(
                file, systemverilog.selectable(text, {1: site}), systemverilog.PACKAGE
            )
        ]
        return dict(enumerate(fit, start=1))

    def _try_shared(
        self, file: str, text: str, shared: dict[int, Site], tests: Tests
    ) -> Iterator[Result]:
        texts = {
            file: systemverilog.selectable(text, shared),
            _SELECTOR_FILE: systemverilog.PACKAGE,
        }
        survivors = dict(shared)
        for stage in (*tests.unit, *tests.design):
            if not survivors:
                return
            with self.checkout.changed(texts):
                plain = self.checkout.test(stage, _FIRST_SECONDS)
                if plain.verdict != "passed":
                    # They do not fit into one file after all, so each is built alone.
                    for site in survivors.values():
                        yield self._try_alone(file, text, site, tests)
                    return
                limit = plain.seconds * _PATIENCE + _GRACE
                for number, site in list(survivors.items()):
                    run = self.checkout.test(stage, limit, **{systemverilog.VARIABLE: str(number)})
                    if run.verdict != "passed":
                        del survivors[number]
                        yield self._result(file, text, site, run)
        for site in survivors.values():
            yield self._survivor(file, text, site, tests)

    def _try_alone(self, file: str, text: str, site: Site, tests: Tests) -> Result:
        stages = (*tests.unit, *(tests.design if self.thorough or not tests.unit else ()))
        with self.checkout.changed({file: site.applied(text)}):
            for stage in stages:
                run = self.checkout.test(stage, 600.0)
                if run.verdict != "passed":
                    return self._result(file, text, site, run)
        return self._survivor(file, text, site, tests)

    def _survivor(self, file: str, text: str, site: Site, tests: Tests) -> Result:
        """Handles a mutation that no test caught: a proof may catch it, or it may change
        nothing.
        """
        changed = site.applied(text)
        if file.endswith(".sv") and equivalence.is_equivalent(self.checkout.folder, file, changed):
            return self._result(file, text, site, Run("passed", 0.0, "", ""), "equivalent")
        if tests.proofs:
            stage = f"tests/platform/formal/test_formal.py -k 'holds and ({tests.proofs})'"
            with self.checkout.changed({file: changed}):
                run = self.checkout.test(stage, 600.0)
            if run.verdict != "passed":
                return self._result(file, text, site, run)
        return self._result(file, text, site, Run("passed", 0.0, "", ""))

    def _result(
        self, file: str, text: str, site: Site, run: Run, verdict: str | None = None
    ) -> Result:
        names = {"passed": "survived", "failed": "caught"}
        return Result(
            file=file,
            content=content_of(text),
            line=site.line(text),
            operator=site.operator,
            start=site.start,
            end=site.end,
            old=site.old(text),
            new=site.new,
            verdict=verdict or names.get(run.verdict, run.verdict),
            by=run.test,
            seconds=round(run.seconds, 1),
        )


def current(journal: Journal, repository: Path) -> list[Result]:
    """The results for the current files: the last one of each mutation."""
    texts = {
        file: content_of((repository / file).read_text())
        for file in {result.file for result in journal.results}
        if (repository / file).is_file()
    }
    last = {
        (result.file, result.start, result.end, result.new): result
        for result in journal.results
        if texts.get(result.file) == result.content
    }
    return list(last.values())
