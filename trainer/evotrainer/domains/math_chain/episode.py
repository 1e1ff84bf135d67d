"""Playing a chain: one turn, nothing to observe, over at END."""

from collections.abc import Sequence

from evotrainer.domains import Submission, Task
from evotrainer.domains.math_chain.chain import marked_answers


class ChainEpisode:
    def __init__(self, task: Task):
        self.task = task
        self.words: list[str] = []
        self.done = False
        self.turns = 0

    def reset(self) -> Sequence[str]:
        return self.task.prompt

    def act(self, word: str) -> Sequence[str]:
        self.words.append(word)
        self.done = word == "END"
        self.turns = int(self.done)
        return ()

    def submit(self) -> Submission:
        answers = marked_answers(self.words)
        text = " ".join(self.words)
        turn = {
            "role": "policy",
            "tool": None,
            "arguments": None,
            "text": text,
            "status": "ok" if answers else "malformed",
            "exit_code": None,
            "forced": False,
        }
        return Submission(text, answers, [turn], [_submit_action(answer) for answer in answers])


def _submit_action(answer: str) -> dict:
    return {
        "turn": 0,
        "kind": "submit",
        "verb": "#",
        "args": [answer],
        "paths": [],
        "wrote": False,
        "url": None,
        "ok": True,
        "exit_code": None,
    }
