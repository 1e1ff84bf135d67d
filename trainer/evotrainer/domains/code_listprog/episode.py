"""Playing a task: a program, then END. With repair turns, a failing example is shown once more."""

from collections.abc import Sequence
from typing import Any

from evotrainer.domains import Submission, Task
from evotrainer.domains.code_listprog.generator import Gold, example_words, value_words
from evotrainer.domains.code_listprog.graders import run_test, tree_or_none
from evotrainer.domains.code_listprog.language import calls_of, literals_of


class ListprogEpisode:
    def __init__(self, task: Task, repairs: int):
        self.task = task
        self.repairs = repairs
        self.words: list[str] = []
        self.record: list[dict[str, Any]] = []
        self.programs: list[list[str]] = []
        self.done = False
        self.turns = 0

    def reset(self) -> Sequence[str]:
        return self.task.prompt

    def act(self, word: str) -> Sequence[str]:
        if word != "END":
            self.words.append(word)
            return ()
        self.turns += 1
        self.programs.append(self.words)
        self._write_turn()
        seen = self._failure() if self.turns <= self.repairs else []
        self.words = []
        self.done = not seen
        if seen:
            self.record.append(_turn("environment", " ".join(seen), "ok", forced=True))
        return seen

    def _failure(self) -> list[str]:
        """The first shown example that the last program fails, nothing where it passes or exits."""
        gold: Gold = self.task.gold
        tree = tree_or_none(" ".join(self.words))
        for example in gold.examples:
            status, value = ("error", None) if tree is None else run_test(tree, example, gold.fuel)
            if status == "exit":
                return []
            if status != "passed":
                got = ["ERROR"] if value is None else value_words(value)
                return ["FAILED", *example_words(example), "GOT", *got, "?"]
        return []

    def _write_turn(self) -> None:
        is_program = tree_or_none(" ".join(self.words)) is not None
        status = "ok" if is_program else "malformed"
        self.record.append(_turn("policy", " ".join(self.words), status, forced=False))

    def submit(self) -> Submission:
        """The artifact is the last program that END closed; unfinished words are none."""
        if self.words:
            self.record.append(_turn("policy", " ".join(self.words), "malformed", forced=False))
        if not self.record:
            self.record.append(_turn("policy", "", "malformed", forced=False))
        answers = [" ".join(program) for program in self.programs]
        actions = [_submit_action(turn, text) for turn, text in enumerate(answers)]
        changes = [_change(self.programs[-1])] if self.programs else []
        artifact = answers[-1] if answers and not self.words else ""
        return Submission(artifact, answers, self.record, actions, changes, submitted=self.done)


def _turn(role: str, text: str, status: str, forced: bool) -> dict[str, Any]:
    return {
        "role": role,
        "tool": None,
        "arguments": None,
        "text": text,
        "status": status,
        "exit_code": None,
        "forced": forced,
    }


def _submit_action(turn: int, program: str) -> dict[str, Any]:
    return {
        "turn": 2 * turn,
        "kind": "submit",
        "verb": "END",
        "args": [program],
        "paths": ["program.py"],
        "wrote": True,
        "url": None,
        "ok": tree_or_none(program) is not None,
        "exit_code": None,
    }


def _change(program: Sequence[str]) -> dict[str, Any]:
    return {
        "path": "program.py",
        "kind": "source",
        "added": 1,
        "removed": 0,
        "calls": calls_of(program),
        "defines": [],
        "literals": literals_of(program),
        "asserts_removed": 0,
    }
