"""``scripts/faults``: puts each fault of the catalogue into a copy of the tree, and says which test saw it."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from tests.faults.catalogue import Fault, read_catalogue
from tests.faults.trial import TreeCopy, Verdict


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/faults", description="Show that the tests can fail.")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="faults, or kinds of them")
    parser.add_argument("--list", action="store_true", help="print the catalogue and run nothing")
    parser.add_argument("--json", type=Path, default=Path("build/faults.json"), help="where the report goes")
    options = parser.parse_args()
    catalogue = read_catalogue()
    unknown = set(options.only) - {each.name for each in catalogue} - {each.kind for each in catalogue}
    if unknown:
        parser.error(f"no such fault or kind: {', '.join(sorted(unknown))}")
    chosen = [each for each in catalogue if not options.only or {each.name, each.kind} & set(options.only)]
    if options.list:
        for fault in chosen:
            print(f"{fault.kind:20} {fault.name:36} {fault.wrong}")
        return 0
    # A shell starts what it runs in the background with SIGINT ignored, and the tests send it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        verdicts = _tried(TreeCopy(Path(folder)), chosen)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps([asdict(each) for each in verdicts], indent=2) + "\n", encoding="utf-8")
    survivors = [each for each in verdicts if each.killed_by is None]
    print(f"\n{len(verdicts)} faults, {len(verdicts) - len(survivors)} seen by a test, {len(survivors)} not.")
    return 1 if survivors or not verdicts else 0


def _tried(copy: TreeCopy, faults: list[Fault]) -> list[Verdict]:
    if failure := copy.all_pass(faults):
        print(f"The tests fail without any fault: {failure}", file=sys.stderr)
        return []
    verdicts: list[Verdict] = []
    for fault in faults:
        verdict = copy.try_out(fault)
        verdicts.append(verdict)
        seen = verdict.killed_by or f"NOT SEEN: {verdict.why.splitlines()[0][:120] if verdict.why else ''}"
        print(f"{fault.kind:20} {fault.name:36} {verdict.seconds:5.1f} s  {seen}", flush=True)
    return verdicts


if __name__ == "__main__":
    sys.exit(main())
