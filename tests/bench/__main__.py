"""``scripts/bench [PART…]``: measures, prints tables, and writes the numbers as JSON. It never fails on a number."""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

from tests.bench.table import render, render_measures

PARTS = {
    "core": "discovery, refresh, the quiet step, and how soon a write is seen, for each number of skills",
    "session": "opening long sessions, the look for the catalog, appending, listing",
    "start": "--help and --version, the import of skills_core, the first frame",
    "ui": "a key until the popup is painted; pages of a long transcript, and a reply streamed into it",
    "popup": "a write on the disk until the open popup on a terminal shows it",
    "idle": "the whole program at rest: processor and memory; what watching many projects holds open",
}
_SIZES = "100,1000,3000,10000"
_QUICK_SIZES = "10"


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="scripts/bench",
        description="Measure how fast this program is.",
        epilog="parts (all of them when none is named):\n"
        + "\n".join(f"  {part:9}{what}" for part, what in PARTS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("parts", nargs="*", default=[], metavar="PART", help="what to measure, see below")
    parser.add_argument("--sizes", help=f"numbers of skills, for core ({_SIZES})")
    parser.add_argument(
        "--peers", action="store_true", help="install chokidar in a temporary folder and measure it too"
    )
    parser.add_argument(
        "--quick", action="store_true", help="the smallest size of everything: shows that it works, not how fast it is"
    )
    parser.add_argument("--json", type=Path, default=Path("build/bench.json"), help="where the numbers go")
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    sizes = options.sizes or (_QUICK_SIZES if options.quick else _SIZES)
    found: dict[str, Any] = {"machine": machine()}
    for part in options.parts or PARTS:
        print(f"measuring {part}", file=sys.stderr)
        if part == "core":
            found[part] = _core([int(size) for size in sizes.split(",")], options.peers, options.quick)
        else:
            measures = importlib.import_module(f"tests.bench.{part}_bench").main(options.quick)
            found[part] = [each.as_json() for each in measures]
            print(render_measures(measures), end="\n\n", flush=True)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    print(f"times in seconds: {options.json}", file=sys.stderr)


def _core(sizes: list[int], peers: bool, quick: bool) -> dict[str, dict[str, float]]:
    from tests.bench import core_bench

    effort = core_bench.QUICK if quick else core_bench.FULL
    found = asyncio.run(core_bench.measure(sizes, peers, effort))
    print(render(core_bench.ROWS, found), end="\n\n", flush=True)
    aims = core_bench.aims(found)
    if aims:
        print(render_measures(aims), end="\n\n", flush=True)
    return found


def machine() -> dict[str, Any]:
    """The load is that of the last minute, at the start: other work makes every number larger."""
    return {
        "system": platform.system(),
        "release": platform.release(),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
    }


if __name__ == "__main__":
    main()
