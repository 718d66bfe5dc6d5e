"""Prints the table of ``app/docs/offline-model.md``."""

from __future__ import annotations

import argparse
import asyncio

from tests.core.offline.routing import Measurement, Tally, case_entries, measure, stored, stored_set, without_glossary

TITLES = {
    "requests": "shared cases and bundled skills",
    "everyday": "everyday skills",
    "native": "skills that are not in English",
    "heldout": "held out",
    "independent": "independent",
}


def row(title: str, skills: int, language: str, tally: Tally) -> str:
    cells = [title, str(skills), language]
    cells += [f"{tally.first} of {tally.asked}", f"{tally.among_three} of {tally.asked}"] if tally.asked else ["", ""]
    cells.append(f"{tally.left_alone} of {tally.idle}" if tally.idle else "")
    return f"| {' | '.join(cells)} |"


def rows(title: str, skills: int, result: Measurement) -> list[str]:
    parts = [("English", result.english), ("other", result.other)]
    return [row(title, skills, language, tally) for language, tally in parts if tally.asked or tally.idle]


def main() -> None:
    parser = argparse.ArgumentParser(description="How well the offline model routes.")
    parser.add_argument("-v", "--verbose", action="store_true", help="also print what went wrong")
    verbose = parser.parse_args().verbose
    sets = {"requests": (asyncio.run(case_entries()), stored("requests"))}
    sets |= {name: stored_set(name) for name in ("everyday", "native", "heldout", "independent")}
    print("| requests for | skills | language | top 1 | top 3 | none fits, rightly |")
    print("|---|---|---|---|---|---|")
    misses: list[str] = []
    for name, (entries, requests) in sets.items():
        result = measure(entries, requests)
        misses += [f"{TITLES[name]}: {miss}" for miss in result.misses]
        print("\n".join(rows(TITLES[name], len(entries), result)))
    for name, (entries, _) in sets.items():
        idle = measure(entries, stored("chatter")).all
        print(row(f"general questions: {TITLES[name]}", len(entries), "all", idle))
    with without_glossary():
        for name, (entries, requests) in sets.items():
            print("\n".join(rows(f"{TITLES[name]}, without the glossary", len(entries), measure(entries, requests))))
    if verbose:
        print("\n" + "\n".join(misses))


if __name__ == "__main__":
    main()
