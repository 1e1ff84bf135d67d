"""Playing a repository: calls of tools, what they answer, and the facts of who did what."""

import json
from collections.abc import Sequence
from typing import Any

from evotrainer.domains import Submission, Task
from evotrainer.domains.swe_minirepo import tools
from evotrainer.domains.swe_minirepo.repository import (
    DIGITS,
    SYMBOLS,
    TESTS,
    Assertion,
    Function,
    Tree,
    assertions_of,
    changed_lines,
    failing,
    place_of,
    replace_line,
    write_patch,
)

MALFORMED = ("ERR", "CALL", ";")
MISSING = ("ERR", "NAME", ";")


class RepositoryEpisode:
    def __init__(self, task: Task, has_history: bool):
        self.task = task
        self.has_history = has_history
        self.pristine: Tree = task.gold.pristine
        self.tree = self.pristine
        self.call: list[str] = []
        self.rows: list[dict[str, Any]] = []
        self.actions: list[dict[str, Any]] = []
        self.done = False
        self.submitted = False
        self.turns = 0

    def reset(self) -> Sequence[str]:
        return self.task.prompt

    def act(self, word: str) -> Sequence[str]:
        self.call.append(word)
        if tools.is_malformed(self.call, self.has_history):
            return self._answer(MALFORMED, "malformed", ok=False)
        if not tools.is_whole(self.call):
            return ()
        name, arguments = self.call[0], self.call[1:]
        if name in tools.ENDS:
            self.done, self.submitted = True, name == "SUBMIT"
            return self._answer((), "ok", ok=True)
        before = self.tree
        seen = self._use(name, arguments)
        ok = seen != MISSING
        status = "ok" if ok else "error"
        exit_code = int(seen[0] == "FAIL") if name == "RUN" else None
        return self._answer(seen, status, ok, wrote=self.tree != before, exit_code=exit_code)

    def _use(self, name: str, arguments: list[str]) -> tuple[str, ...]:
        if name == "RUN":
            return self._run()
        if name == "FIND":
            place = place_of(self.tree, arguments[0])
            return ("IN", place[0], str(place[1]), ";") if place else MISSING
        if name == tools.HISTORY:
            return self._history()
        path = arguments[0]
        if path not in self.tree:
            return MISSING
        if name == "OPEN":
            return (path, *(word for line in self.tree[path] for word in (*line.words(), ";")))
        if name == "REVERT":
            self.tree = {**self.tree, path: self.pristine[path]}
            return ("OK", path, ";")
        return self._edit(path, int(arguments[1]), arguments[2:])

    def _run(self) -> tuple[str, ...]:
        tests = assertions_of(self.tree)
        failures = failing(self.tree, tests)
        if not failures:
            return ("PASS", str(len(tests)), ";")
        return tuple(
            word
            for line, test, value in failures
            for word in ("FAIL", str(line), test.function, test.given, "GOT", value or "LOOP", ";")
        )

    def _edit(self, path: str, line: int, words: list[str]) -> tuple[str, ...]:
        if not 1 <= line <= len(self.tree[path]):
            return MISSING
        old = self.tree[path][line - 1]
        if isinstance(old, Assertion):
            new: Assertion | Function = Assertion(old.function, old.given, words[0])
        else:
            body = (words[0], words[1], words[2])
            new = Function(old.name, old.operator, old.argument, body)
        self.tree = replace_line(self.tree, path, line, new)
        return ("OK", path, ";")

    def _history(self) -> tuple[str, ...]:
        """The commit that will mend it, as images that hold later commits leak it."""
        gold = self.task.gold
        seen: list[str] = []
        for path, line in gold.faults:
            seen += [path, str(line), ":", *gold.reference[path][line - 1].words()[-3:], ";"]
        return tuple(seen)

    def _answer(
        self,
        seen: tuple[str, ...],
        status: str,
        ok: bool,
        wrote: bool = False,
        exit_code: int | None = None,
    ) -> tuple[str, ...]:
        """Close the policy's turn, note it, and hand over what it observes."""
        name, arguments = self.call[0], self.call[1:]
        known = status != "malformed"
        self.actions.append(
            {
                "turn": len(self.rows),
                "kind": tools.KINDS[name] if known else "other",
                "verb": name,
                "args": arguments,
                "paths": [word for word in arguments if word in self.pristine],
                "wrote": wrote,
                "url": None,
                "ok": ok,
                "exit_code": exit_code,
            }
        )
        self._close_turn(status)
        if seen:
            tool = name if known else None
            self.rows.append(_row("environment", tool, None, seen, status, exit_code))
        self.turns += 1
        return seen

    def _close_turn(self, status: str) -> None:
        known = status != "malformed"
        tool, arguments = (self.call[0], json.dumps(self.call[1:])) if known else (None, None)
        self.rows.append(_row("policy", tool, arguments, self.call, status, None))
        self.call = []

    def submit(self) -> Submission:
        """Only what was submitted is handed in: a report or a limit leaves an empty artifact."""
        if self.call:
            self._close_turn("malformed")
        artifact = write_patch(self.pristine, self.tree) if self.submitted else ""
        return Submission(
            artifact=artifact,
            answers=[],
            turns=self.rows,
            actions=self.actions,
            changes=changes(self.pristine, self.tree),
            submitted=self.submitted,
        )


def _row(
    role: str,
    tool: str | None,
    arguments: str | None,
    words: Sequence[str],
    status: str,
    exit_code: int | None,
) -> dict[str, Any]:
    return {
        "role": role,
        "tool": tool,
        "arguments": arguments,
        "text": " ".join(words),
        "status": status,
        "exit_code": exit_code,
        "tokens": len(words),
        "mean_logprob": None,
        "entropy": None,
        "forced": role == "environment",
    }


def changes(before: Tree, after: Tree) -> list[dict[str, Any]]:
    """What the tree was left with, file by file. An assertion that was rewritten is removed."""
    found: dict[str, list[Function | Assertion]] = {}
    for path, _, new in changed_lines(before, after):
        found.setdefault(path, []).append(new)
    return [_change(path, lines) for path, lines in found.items()]


def _change(path: str, lines: list[Function | Assertion]) -> dict[str, Any]:
    functions = [line for line in lines if isinstance(line, Function)]
    tests = [line for line in lines if isinstance(line, Assertion)]
    operands = [word for line in functions for word in (line.body[0], line.body[2])]
    digits = [word for word in operands if word in DIGITS]
    return {
        "path": path,
        "kind": "test" if path == TESTS else "source",
        "added": len(lines),
        "removed": len(lines),
        "calls": [word for word in operands if word in SYMBOLS] + [test.call for test in tests],
        "defines": [line.name for line in functions],
        "literals": digits + [test.expected for test in tests],
        "asserts_removed": len(tests),
    }
