"""The settled problem codes: how severe each is, and how to mend it.

Every code that a skill file can cause stands here once, also those that discovery finds; ``app/docs/problems.md``
explains each of them with an example.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from skills_core.problem import Severity, SkillProblem, problem_order

PROBLEMS_MAX = 20
"""At most this many problems of one file are reported; of more, the first error still is."""


@dataclass(frozen=True, slots=True)
class ProblemKind:
    """One code: its usual severity and the usual hint, in which ``{key}`` stands for the key concerned.

    ``found_by`` says who finds it: the reading of the document, the discovery of files, or the registry.
    """

    severity: Severity
    hint: str
    found_by: str = "document"


_QUOTE = "Put the whole value in double quotes, or write `{key}: >-` and the text on indented lines below."

PROBLEM_KINDS: dict[str, ProblemKind] = {
    # The file itself.
    "file.dangling-link": ProblemKind("error", "Point the link at a file that exists, or remove it.", "discovery"),
    "file.link-loop": ProblemKind(
        "error", "Point the link at a real file instead of at another link of the loop.", "discovery"
    ),
    "file.link-outside": ProblemKind(
        "error", "Copy the file into the skill's folder, or link the whole folder.", "discovery"
    ),
    "file.not-regular": ProblemKind("error", "Replace it by a plain text file.", "discovery"),
    "file.unreadable": ProblemKind(
        "error", "Give yourself read permission (chmod u+r), or remove the entry.", "discovery"
    ),
    "file.letter-case": ProblemKind("warning", "Rename it to `SKILL.md`.", "discovery"),
    "file.too-deep": ProblemKind(
        "warning", "Move the folder up into the root, or raise the setting `discovery_depth`.", "discovery"
    ),
    "file.too-large": ProblemKind(
        "error", "Keep the frontmatter below 64 KiB and the file below 1 MiB; move long material to files beside it."
    ),
    "file.empty": ProblemKind(
        "error", "Write a frontmatter with `name` and `description` between two lines of `---`, then the instructions."
    ),
    "file.utf16": ProblemKind("error", "Save the file as UTF-8."),
    "file.not-utf8": ProblemKind(
        "warning", "Save the file as UTF-8, so that the marked characters read as they were meant."
    ),
    "file.unexpected": ProblemKind(
        "error",
        "Simplify the frontmatter to `name` and `description`, and report the file, for this is a fault of the reader.",
    ),
    # The fences around the frontmatter.
    "frontmatter.missing": ProblemKind(
        "error", "Begin the file with a line `---`, then `name:` and `description:`, then another line `---`."
    ),
    "frontmatter.no-opening-fence": ProblemKind(
        "error", "Write a line of exactly three dashes, `---`, above the first key."
    ),
    "frontmatter.unclosed": ProblemKind("error", "Write a line `---` after the last key, before the instructions."),
    "frontmatter.fence-indented": ProblemKind("error", "Move the three dashes to the beginning of their line."),
    "frontmatter.in-code-fence": ProblemKind(
        "error", "Remove the first line and the last line, the marks of the code block."
    ),
    "frontmatter.late": ProblemKind("warning", "Move the line `---` to the very first line of the file."),
    "frontmatter.long-fence": ProblemKind("warning", "Write exactly three dashes, `---`."),
    "frontmatter.merge-conflict": ProblemKind(
        "error",
        "Keep one side of the conflict and remove the lines that begin with `<<<<<<<`, `=======` and `>>>>>>>`.",
    ),
    "frontmatter.not-a-mapping": ProblemKind(
        "error", "Write keys with values, one a line: `name: my-skill` and `description: What it does`."
    ),
    # YAML, one code for each cause.
    "yaml.unquoted-colon": ProblemKind("warning", _QUOTE),
    "yaml.quotes-in-quotes": ProblemKind(
        "warning",
        "Write `\\\"` for a double quote inside double quotes and `''` for a single quote inside single quotes.",
    ),
    "yaml.text-after-quote": ProblemKind(
        "warning", "End the value with its closing quote, or put all of it between the quotes."
    ),
    "yaml.unclosed-quote": ProblemKind("warning", "Write the closing quote at the end of the value."),
    "yaml.bad-escape": ProblemKind(
        "warning", "Between double quotes write `\\\\` for a backslash; or put the value in single quotes."
    ),
    "yaml.text-after-bracket": ProblemKind("warning", "Put the whole value in double quotes."),
    "yaml.unclosed-bracket": ProblemKind(
        "warning", "Close the bracket, or put the whole value in double quotes if it is text."
    ),
    "yaml.bracket-syntax": ProblemKind(
        "warning", "Separate the items by commas and quote items that hold `:`, `#` or brackets."
    ),
    "yaml.reserved-start": ProblemKind("warning", _QUOTE),
    "yaml.block-header": ProblemKind("warning", "Begin the text on the line after `|` or `>`, indented by two spaces."),
    "yaml.unindented-text": ProblemKind("warning", "Indent the text by two spaces below `{key}: >-`."),
    "yaml.indentation": ProblemKind(
        "warning", "Begin every key at the first column, and indent what belongs to a key by the same number of spaces."
    ),
    "yaml.tab": ProblemKind("warning", "Indent with spaces; YAML allows no tabs there."),
    "yaml.comment": ProblemKind("warning", "Put the value in double quotes if the text after ` #` belongs to it."),
    "yaml.missing-space": ProblemKind("warning", "Write a colon and a space after the key: `{key}: value`."),
    "yaml.stray-text": ProblemKind(
        "warning", "Remove the line, give it a key, or indent it below the key that it belongs to."
    ),
    "yaml.duplicate-key": ProblemKind("error", "Keep one line with `{key}` and remove the other."),
    "yaml.alias-limit": ProblemKind("warning", "Write the value out instead of `*name`; aliases are not followed."),
    "yaml.too-deep": ProblemKind("warning", "Nest at most 64 lists and maps in each other."),
    "yaml.too-many-keys": ProblemKind("error", "Remove keys that no program reads; a frontmatter has about ten."),
    "yaml.syntax": ProblemKind("warning", "Write the value as text in double quotes, or leave the key out."),
    # Names.
    "name.missing": ProblemKind("warning", "Write `name: ` and the skill's name, for instance `name: my-skill`."),
    "name.format": ProblemKind("warning", "Write small letters a to z, digits, and single hyphens between them."),
    "name.type": ProblemKind("error", "Write the name as one word on the line: `name: my-skill`."),
    "name.too-long": ProblemKind("warning", "Shorten the name to 64 characters."),
    "name.directory-mismatch": ProblemKind("warning", "Give the folder and the skill the same name."),
    "name.shadowed": ProblemKind("warning", "Give one of the two another name, or remove it.", "discovery"),
    # Descriptions.
    "description.missing": ProblemKind(
        "error", "Write `description: ` and one or two sentences on what the skill does and when to use it."
    ),
    "description.empty": ProblemKind(
        "error", "Write after `description: ` one or two sentences on what the skill does and when to use it."
    ),
    "description.type": ProblemKind(
        "error", "Write the description as text; put it in double quotes if it begins with a bracket."
    ),
    "description.too-long": ProblemKind(
        "warning", "Shorten the description to 1,024 characters; details belong in the instructions."
    ),
    # Who may invoke the skill. All fail closed.
    "invocation.spelling": ProblemKind("error", "Write `{key}`."),
    "invocation.value": ProblemKind("error", "Write `{key}: true` or `{key}: false`."),
    "invocation.unreadable": ProblemKind(
        "error", "Write `{key}: true` or `{key}: false` on a line of its own, beginning at the first column."
    ),
    "invocation.nested": ProblemKind(
        "warning", "Write `{key}` as a key of its own at the first column, if it is meant to restrict this skill."
    ),
    # Other keys, text, templates.
    "field.type": ProblemKind("warning", "Write the value of `{key}` as text on one line."),
    "field.repeated": ProblemKind("warning", "Keep `{key}` only."),
    "text.control-character": ProblemKind(
        "warning", "Delete the invisible characters; retyping the line is the surest way."
    ),
    "template.placeholder": ProblemKind("error", "Replace the placeholder by the skill's own `{key}`."),
    # The program behind a source of skills.
    "provider.malformed": ProblemKind(
        "error", "This is a fault of the provider's program, not of a skill file: report it to its authors.", "registry"
    ),
}


class ProblemList:
    """Gathers the problems of one file, whose decoded text gives the places."""

    __slots__ = ("_found", "_path", "_text", "failed")

    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self._text = text
        self._found: list[SkillProblem] = []
        self.failed = False
        """Whether an error was added, so that the skill cannot be offered."""

    def add(
        self,
        code: str,
        message: str,
        *,
        at: int | None,
        key: str = "name",
        hint: str | None = None,
        severity: Severity | None = None,
    ) -> None:
        """Add a problem; ``at`` is the index of its cause in the text (None: no place)."""
        kind = PROBLEM_KINDS[code]
        severity = severity or kind.severity
        known_to_fail = self.failed
        if severity == "error":
            self.failed = True
        if len(self._found) >= PROBLEMS_MAX and (severity == "warning" or known_to_fail):
            return
        line, column = (None, None) if at is None else place(self._text, at)
        self._found.append(
            SkillProblem(
                code=code,
                severity=severity,
                path=self._path,
                message=message,
                hint=hint if hint is not None else kind.hint.replace("{key}", key),
                line=line,
                column=column,
            )
        )

    def __bool__(self) -> bool:
        return bool(self._found)

    def has(self, code: str) -> bool:
        """Whether a problem of this code was added."""
        return any(problem.code == code for problem in self._found)

    def soften(self) -> None:
        """Make warnings of the errors so far: the file is probably no skill, and nothing is lost with it."""
        self._found = [replace(problem, severity="warning") for problem in self._found]
        self.failed = False

    def finished(self, skill: str | None) -> tuple[SkillProblem, ...]:
        """All problems in order of their places; ``skill`` is the offered name, if there is one."""
        if not self._found:
            return ()
        found = self._found
        if skill is not None:
            found = [replace(problem, skill=skill) for problem in found]
        return tuple(sorted(found, key=problem_order))


def place(text: str, index: int) -> tuple[int, int]:
    """Line and column of ``index`` in ``text``, both from 1, in code points."""
    before = text[:index]
    line = before.count("\n") + 1
    start = before.rfind("\n") + 1
    if "\r" in before:
        returns = before.count("\r") - before.count("\r\n")
        if index < len(text) and before.endswith("\r") and text[index] == "\n":
            returns -= 1
        line += returns
        alone = before.rfind("\r")
        if alone >= start and not text.startswith("\n", alone + 1):
            start = alone + 1
    return line, index - start + 1
