# SPDX-License-Identifier: Apache-2.0
"""Mutation scores of rtl/ and src/: `python tools/mutate.py run FILES...`, then `report`.

Makes small mistakes in a copy of the repository (operators, constants, conditions, terms,
assignments), runs the tests that concern the file until one fails, and reports those that none
notices. Which mistakes are made depends on the seed alone; more of one file (`--count`) adds to
those that were tried. A run that is stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from pathlib import Path

from mutation.campaign import Campaign, Journal, Result, current
from mutation.checkout import BadTestsError, Checkout

ROOT = Path(__file__).resolve().parents[1]


def _files(names: list[str]) -> list[str]:
    """Files of the repository; those of a folder."""
    found: list[str] = []
    for name in names:
        path = ROOT / name
        listed = sorted(path.rglob("*")) if path.is_dir() else [path]
        found += [
            file.relative_to(ROOT).as_posix()
            for file in listed
            if file.suffix in (".sv", ".py") and file.name != "__init__.py"
        ]
    return found


def run(arguments: argparse.Namespace) -> None:
    work = ROOT / "build" / "mutation" / arguments.name
    checkout = Checkout.of(ROOT, work / "tree", work.parent / "cache")
    journal = Journal(arguments.journal)
    campaign = Campaign(checkout, journal, arguments.seed, arguments.thorough, arguments.again)
    failed = False
    for file in _files(arguments.files):
        try:
            for result in campaign.run(file, arguments.count):
                change = f"{' '.join(result.old.split())} -> {' '.join(result.new.split())}"
                print(f"{result.file}:{result.line}: {result.verdict}: {change}", flush=True)
        except BadTestsError as error:
            # The other files can still be tested.
            print(f"{file}: not tried: {error}", file=sys.stderr, flush=True)
            failed = True
    if failed:
        sys.exit(1)


def sample(arguments: argparse.Namespace) -> None:
    """A uniform sample of the mutations of all the files."""
    work = ROOT / "build" / "mutation" / arguments.name
    checkout = Checkout.of(ROOT, work / "tree", work.parent / "cache")
    campaign = Campaign(checkout, Journal(arguments.journal), arguments.seed)
    results = []
    for result in campaign.sample(_files(arguments.files), arguments.count):
        results.append(result)
        change = f"{' '.join(result.old.split())} -> {' '.join(result.new.split())}"
        print(f"{result.file}:{result.line}: {result.verdict}: {change}", flush=True)
    print(f"| tried | caught | survived | proved equivalent | score |\n| {_score(results)}")


def _score(results: list[Result]) -> str:
    verdicts = Counter(result.verdict for result in results)
    caught = verdicts["caught"] + verdicts["timeout"]
    counted = caught + verdicts["survived"]
    share = f"{100 * caught / counted:.0f}%" if counted else ""
    return f"{counted} | {caught} | {verdicts['survived']} | {verdicts['equivalent']} | {share} |"


def report(arguments: argparse.Namespace) -> None:
    """Tables in Markdown."""
    results = current(Journal(arguments.journal), ROOT)
    by_folder: dict[str, list[Result]] = defaultdict(list)
    by_file: dict[str, list[Result]] = defaultdict(list)
    for result in sorted(results, key=lambda result: (result.file, result.line)):
        by_folder[str(Path(result.file).parent)].append(result)
        by_file[result.file].append(result)
    columns = (
        "tried | caught | survived | proved equivalent | score |\n|---|---:|---:|---:|---:|---:|"
    )
    for title, groups in (("folder", by_folder), ("file", by_file)):
        print(f"| {title} | {columns}")
        for name, group in sorted(groups.items()):
            print(f"| `{name}` | {_score(group)}")
        print()
    for result in results:
        if result.verdict == "survived":
            change = f"{' '.join(result.old.split())} -> {' '.join(result.new.split())}"
            print(f"{result.file}:{result.line}: {result.operator}: {change}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Mutation scores.")
    parser.add_argument(
        "--journal", type=Path, default=ROOT / "build" / "mutation" / "journal.jsonl"
    )
    commands = parser.add_subparsers(required=True)
    runner = commands.add_parser("run", help="try mutations of files, or of all in folders")
    runner.add_argument("files", nargs="+")
    runner.add_argument("--count", type=int, default=10, help="of each file (default 10)")
    runner.add_argument("--seed", type=int, default=1)
    runner.add_argument("--name", default="run", help="of the copy: one for each run at a time")
    runner.add_argument(
        "--again", action="store_true", help="try survivors again, not only new ones"
    )
    runner.add_argument("--thorough", action="store_true", help="build designs for each mutation")
    runner.set_defaults(action=run)
    sampler = commands.add_parser("sample", help="a uniform sample of the mutations of all files")
    sampler.add_argument("files", nargs="+")
    sampler.add_argument("--count", type=int, default=60, help="of all files (default 60)")
    sampler.add_argument("--seed", type=int, default=1)
    sampler.add_argument("--name", default="sample", help="of the copy: one for each run at a time")
    sampler.set_defaults(action=sample)
    reporter = commands.add_parser("report", help="scores and survivors so far")
    reporter.set_defaults(action=report)
    arguments = parser.parse_args()
    arguments.action(arguments)


if __name__ == "__main__":
    main()
