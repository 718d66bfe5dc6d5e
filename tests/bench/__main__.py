"""``scripts/bench [PART…]``: measures, prints a table, and writes the numbers as JSON. It never fails on a number."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

from tests.bench.table import render

PARTS = ("core", "session", "ui", "popup")


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Measure how fast this program is.")
    parser.add_argument("parts", nargs="*", default=[], metavar="PART", help=f"what to measure: {', '.join(PARTS)}")
    parser.add_argument("--sizes", default="100,1000,3000,10000", help="numbers of skills, for core")
    parser.add_argument(
        "--peers", action="store_true", help="install chokidar in a temporary folder and measure it too"
    )
    parser.add_argument("--json", type=Path, default=Path("build/bench.json"), help="where the numbers go")
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    found: dict[str, Any] = {"machine": machine()}
    for part in options.parts or PARTS:
        if part == "core":
            from tests.bench import core_bench

            found[part] = asyncio.run(
                core_bench.measure([int(size) for size in options.sizes.split(",")], options.peers)
            )
            print(render(core_bench.ROWS, found[part]))
        else:
            from tests.bench import popup_bench, session_bench, ui_bench

            found[part] = {"session": session_bench, "ui": ui_bench, "popup": popup_bench}[part].main()
            print(render([(name, name) for name in found[part]], {"": found[part]}))
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    print(f"\nnumbers in seconds: {options.json}", file=sys.stderr)


def machine() -> dict[str, Any]:
    return {
        "system": platform.system(),
        "release": platform.release(),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
    }


if __name__ == "__main__":
    main()
