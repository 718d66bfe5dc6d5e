"""One process that changes skill roots at random, the way people's programs do, and writes down what it did.

Run as ``python -m tests.stress.mutations PLAN.json``. Every process has names of its own, so that the state of the
disk is the states of all names side by side.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from tests.stress.history import Change, Value, write_change

_PERIOD, _BURST = 1.0, 0.4

Manner = Literal["wild", "bursts", "gentle"]


@dataclass(frozen=True)
class Plan:
    """What one process is to do. ``own_root`` is nobody else's; ``shared_root`` takes everybody's entries.

    ``manner``: ``wild`` does everything all the time; ``bursts`` rests a part of each second, at the same moments as
    the other processes; ``gentle`` does only what leaves no name without a value in between.
    """

    process: str
    seed: int
    seconds: float
    own_root: str
    shared_root: str
    outside: str
    log: str
    pause: float
    manner: Manner = "wild"
    git: bool = False

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")


class Log:
    """Writes each change down with the moments around it."""

    def __init__(self, path: str) -> None:
        self._file = open(path, "a", encoding="utf-8")  # noqa: SIM115
        self.values: dict[str, Value] = {}

    @contextlib.contextmanager
    def change(self, values: dict[str, Value], at_once: bool = False) -> Iterator[None]:
        start = time.monotonic()
        yield
        end = time.monotonic()
        before = {name: self.values.get(name) for name in values}
        self._file.write(
            write_change(Change(start, end, {name: (before[name], values[name]) for name in values}, at_once))
        )
        self.values.update(values)

    def write(self, start: float, end: float, values: dict[str, tuple[Value, Value]]) -> None:
        self._file.write(write_change(Change(start, end, values)))

    def close(self) -> None:
        self._file.close()


@dataclass
class Slot:
    """An entry of this process: where it lies (None: nowhere), and how it comes by its name."""

    label: str
    kind: str
    place: Path | None = None
    named: bool = True
    name: str = ""

    @property
    def file(self) -> Path:
        assert self.place is not None
        return self.place if self.kind == "flat" else self.place / "SKILL.md"


class Mutator:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.random = random.Random(plan.seed)
        self.log = Log(plan.log)
        self.serial = 0
        self.own, self.shared, self.outside = Path(plan.own_root), Path(plan.shared_root), Path(plan.outside)
        self.outside.mkdir(parents=True, exist_ok=True)
        self.slots = [Slot(f"{plan.process}-b{number}", "bundle") for number in range(6)]
        self.slots += [Slot(f"{plan.process}-f{number}", "flat") for number in range(3)]
        self.slots += [Slot(f"{plan.process}-l{number}", "link") for number in range(2)]

    # Text.

    def description(self) -> str:
        self.serial += 1
        return f"{self.plan.process} number {self.serial}"

    def text(self, slot: Slot, description: str) -> str:
        name = f"name: {slot.name}\n" if slot.named else ""
        body = "".join(f"Line {line} of the body.\n" for line in range(self.random.randrange(40)))
        return f"---\n{name}description: {description}\n---\n\n# Body\n{body}"

    # Ways of saving a file.

    def save(self, slot: Slot) -> None:
        description = self.description()
        text = self.text(slot, description)
        if self.plan.manner == "gentle":
            self._save_by_rename(slot, text, description)
            return
        ways = [self._save_in_place, self._save_in_halves, self._save_by_rename, self._save_like_vim]
        self.random.choice([*ways, self._save_with_old_aside])(slot, text, description)

    def _save_in_place(self, slot: Slot, text: str, description: str) -> None:
        with self.log.change({slot.name: None}):
            file = os.open(slot.file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        with self.log.change({slot.name: description}):
            os.write(file, text.encode())
        os.close(file)

    def _save_in_halves(self, slot: Slot, text: str, description: str) -> None:
        with self.log.change({slot.name: None}):
            file = os.open(slot.file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.write(file, text[:12].encode())
        time.sleep(self.random.uniform(0.0, 0.08))
        with self.log.change({slot.name: description}):
            os.write(file, text[12:].encode())
        os.close(file)

    def _save_by_rename(self, slot: Slot, text: str, description: str) -> None:
        temporary = slot.file.with_name(f".{slot.file.name}.tmp")
        temporary.write_text(text)
        with self.log.change({slot.name: description}):
            temporary.replace(slot.file)

    def _save_like_vim(self, slot: Slot, text: str, description: str) -> None:
        backup = slot.file.with_name(f"{slot.file.name}~")
        probe = slot.file.with_name(f"4913-{slot.label}")
        probe.write_bytes(b"")
        probe.unlink()
        if slot.file.exists():
            with self.log.change({slot.name: None}):
                slot.file.replace(backup)
        self._save_in_place(slot, text, description)
        backup.unlink(missing_ok=True)

    def _save_with_old_aside(self, slot: Slot, text: str, description: str) -> None:
        new, old = slot.file.with_name(f"___new-{slot.label}"), slot.file.with_name(f"___old-{slot.label}")
        new.write_text(text)
        if slot.file.exists():
            with self.log.change({slot.name: None}):
                slot.file.replace(old)
        with self.log.change({slot.name: description}):
            new.replace(slot.file)
        old.unlink(missing_ok=True)

    # What can be done to an entry.

    def create(self, slot: Slot) -> None:
        root = self.random.choice([self.own, self.shared])
        slot.name = slot.label
        if slot.kind == "flat":
            slot.named = True
            slot.place = root / f"{slot.label}.md"
        elif slot.kind == "link":
            slot.named = True
            slot.place = root / slot.label
            self._link(slot)
            return
        else:
            slot.named = self.random.random() < 0.6
            slot.place = root / slot.label
            slot.place.mkdir()
        self.save(slot)

    def _link(self, slot: Slot) -> None:
        """Points a link at a new bundle outside, by one rename over the old one or by removing and making it."""
        assert slot.place is not None
        description = self.description()
        target = self.outside / f"{slot.label}-{self.serial}"
        target.mkdir()
        (target / "SKILL.md").write_text(self.text(slot, description))
        if slot.place.is_symlink() and self.plan.manner != "gentle" and self.random.random() < 0.5:
            with self.log.change({slot.name: None}):
                slot.place.unlink()
        if slot.place.is_symlink():
            new = slot.place.with_name(f".{slot.label}.new")
            new.symlink_to(target)
            with self.log.change({slot.name: description}):
                new.replace(slot.place)
        else:
            with self.log.change({slot.name: description}):
                slot.place.symlink_to(target)

    def edit(self, slot: Slot) -> None:
        if slot.kind == "link" and self.random.random() < 0.5:
            self._link(slot)
        else:
            self.save(slot)

    def edit_body(self, slot: Slot) -> None:
        with slot.file.open("a") as file:
            file.write("One more line.\n")

    def remove(self, slot: Slot) -> None:
        assert slot.place is not None
        with self.log.change({slot.name: None}):
            if slot.kind == "bundle":
                slot.file.unlink()
            else:
                slot.place.unlink()
        if slot.kind == "bundle":
            shutil.rmtree(slot.place)
        slot.place = None

    def rename(self, slot: Slot) -> None:
        """Renames a bundle's folder: one without a name of its own is then another skill."""
        assert slot.place is not None
        if slot.kind != "bundle":
            return
        self.serial += 1
        new = slot.place.with_name(f"{slot.label}-as{self.serial}")
        if slot.named:
            slot.place.rename(new)
        else:
            value = self.log.values[slot.name]
            with self.log.change({slot.name: None, new.name: value}, at_once=True):
                slot.place.rename(new)
            slot.name = new.name
        slot.place = new

    def move_out_and_in(self, slot: Slot) -> None:
        assert slot.place is not None
        aside = self.outside / f"aside-{slot.label}"
        value = self.log.values[slot.name]
        with self.log.change({slot.name: None}):
            slot.place.rename(aside)
        time.sleep(self.random.choice([0.0, 0.002, 0.05, 0.35]))
        with self.log.change({slot.name: value}):
            aside.rename(slot.place)

    def move_to_the_other_root(self, slot: Slot) -> None:
        assert slot.place is not None
        other = self.shared if slot.place.parent == self.own else self.own
        slot.place.rename(other / slot.place.name)
        slot.place = other / slot.place.name

    def permissions(self, slot: Slot) -> None:
        mode = slot.file.stat().st_mode & 0o777
        slot.file.chmod(self.random.choice([0o600, 0o000, 0o755]))
        time.sleep(self.random.uniform(0.0, 0.03))
        slot.file.chmod(mode)

    def break_and_mend(self, slot: Slot) -> None:
        """A definite error, written in one go and moved into place."""
        temporary = slot.file.with_name(f".broken-{slot.label}.tmp")
        temporary.write_text(f"---\nname: {slot.name}\ndescription: [a, list]\n---\n")
        with self.log.change({slot.name: None}, at_once=True):
            temporary.replace(slot.file)
        time.sleep(self.random.choice([0.0, 0.02, 0.1]))
        self.save(slot)

    def resources(self, slot: Slot) -> None:
        if slot.kind != "bundle":
            return
        assert slot.place is not None
        folder = slot.place / self.random.choice(["references", "scripts", "node_modules"])
        folder.mkdir(exist_ok=True)
        (folder / f"{self.random.randrange(5)}.md").write_text("x")

    def swap_root(self) -> None:
        """Takes the whole root away for a moment, as a sync program does."""
        mine = {slot.name: self.log.values[slot.name] for slot in self.slots if self._in_own(slot)}
        aside = self.outside / "root-aside"
        with self.log.change(dict.fromkeys(mine), at_once=True):
            self.own.rename(aside)
        time.sleep(self.random.choice([0.0, 0.01, 0.3]))
        with self.log.change(mine):
            aside.rename(self.own)

    def remove_root(self) -> None:
        """``rm -rf`` of the root, and a new one."""
        for slot in self.slots:
            if self._in_own(slot):
                self.remove(slot)
        shutil.rmtree(self.own)
        time.sleep(self.random.choice([0.0, 0.01, 0.1]))
        self.own.mkdir()

    def _in_own(self, slot: Slot) -> bool:
        return slot.place is not None and slot.place.parent == self.own

    def step(self) -> None:
        gentle = self.plan.manner == "gentle"
        if not gentle and self.random.random() < 0.03:
            self.random.choice([self.swap_root, self.remove_root])()
            return
        slot = self.random.choice(self.slots)
        if slot.place is None:
            self.create(slot)
            return
        acts: list[tuple[int, Callable[[Slot], None]]] = [
            (8, self.edit),
            (3, self.edit_body),
            (3, self.rename),
            (2, self.move_to_the_other_root),
            (2, self.resources),
        ]
        if not gentle:
            acts += [(3, self.remove), (2, self.move_out_and_in), (1, self.permissions), (2, self.break_and_mend)]
        self.random.choices([act for _, act in acts], [weight for weight, _ in acts])[0](slot)

    def run(self) -> None:
        until = time.monotonic() + self.plan.seconds
        while time.monotonic() < until:
            rest_over(self.plan)
            self.step()
            time.sleep(self.random.choice([0.0, 0.2, 1.0, 1.0, 4.0]) * self.plan.pause)
        self.log.close()


def rest_over(plan: Plan) -> None:
    """Waits for the next burst when the plan has bursts and this is a rest. All processes have one clock."""
    phase = time.monotonic() % _PERIOD
    if plan.manner == "bursts" and phase > _BURST:
        time.sleep(_PERIOD - phase)


class GitMutator:
    """Switches between two branches of a project whose skills lie in ``own_root``."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.random = random.Random(plan.seed)
        self.log = Log(plan.log)
        self.root = Path(plan.own_root)
        self.project = self.root.parent.parent
        self.branches: dict[str, dict[str, str]] = {"one": {}, "two": {}}

    def git(self, *arguments: str) -> None:
        identity = ["-c", "user.name=stress", "-c", "user.email=stress@example.invalid", "-c", "gc.auto=0"]
        subprocess.run(["git", *identity, *arguments], cwd=self.project, check=True, capture_output=True)

    def prepare(self) -> None:
        """Two branches: common skills, changed ones, and some that only one of them has."""
        self.git("commit", "-q", "--allow-empty", "-m", "start")
        for branch, skills in self.branches.items():
            self.git("checkout", "-q", "--orphan", branch)
            for number in range(20):
                name = f"{self.plan.process}-g{number}"
                if number % 3 == 0 and (branch == "one") == (number % 2 == 0):
                    continue
                skills[name] = f"branch {branch if number % 2 else 'any'} number {number}"
            shutil.rmtree(self.root)
            self.root.mkdir()
            for name, description in skills.items():
                (self.root / name).mkdir()
                (self.root / name / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {description}\n---\nx\n")
            self.git("add", "-A", ".")
            self.git("commit", "-q", "-m", branch)
        now = time.monotonic()
        self.log.write(now, now, {name: (None, value) for name, value in self.branches["two"].items()})

    def run(self) -> None:
        until = time.monotonic() + self.plan.seconds
        at = "two"
        while time.monotonic() < until:
            rest_over(self.plan)
            to = "one" if at == "two" else "two"
            before, after = self.branches[at], self.branches[to]
            names = [name for name in before.keys() | after.keys() if before.get(name) != after.get(name)]
            start = time.monotonic()
            self.git("checkout", "-q", to)
            end = time.monotonic()
            # Git takes each file away and writes it anew, in an order of its own: each name changes by itself.
            for name in names:
                old, new = before.get(name), after.get(name)
                steps = [(old, None), (None, new)] if old is not None and new is not None else [(old, new)]
                for change in steps:
                    self.log.write(start, end, {name: change})
            at = to
            time.sleep(self.random.choice([0.1, 0.4, 2.0] if self.plan.manner == "gentle" else [0.0, 0.1, 0.4]))
        self.log.close()


def main() -> None:
    plan = Plan(**json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    if plan.git:
        mutator = GitMutator(plan)
        mutator.prepare()
    else:
        mutator = Mutator(plan)
    print("ready", flush=True)
    sys.stdin.readline()
    mutator.run()


if __name__ == "__main__":
    main()
