"""Two graders written apart agree on programs, near misses and noise of every environment."""

import pytest

from evotrainer.domains import find_domain
from evotrainer.domains.code_listprog.language import CONSTANT_MAPS, OPERATORS, SYNTAX
from evotrainer.randomness import Stream

ENVIRONMENTS = [{}, {"constructs": "conditions"}, {"fuel": 700}]


def noisy(words: list[str], vocabulary: tuple[str, ...], stream: Stream) -> list[str]:
    """Up to two words replaced, left out or added; half of them by words of programs."""
    words = list(words)
    code = (*OPERATORS, *CONSTANT_MAPS, *SYNTAX, "0", "3")
    for _ in range(stream.below(3)):
        place = stream.below(len(words) + 1)
        pool = code if stream.uniform() < 0.7 else vocabulary
        kind = stream.below(3)
        put = [] if kind == 0 else [pool[stream.below(len(pool))]]
        words[place : place + (kind < 2)] = put
    return words


@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=str)
def test_the_graders_agree(environment: dict):
    domain, stream = find_domain("code.listprog", environment), Stream(21)
    differ, right = [], 0
    for index in range(1200):
        task = domain.draw(1 + index % 5, "depth_1_3", stream)
        shown = list(domain.demonstration(task, domain.demonstration_mix, stream))[:-1]
        program = " ".join(noisy(shown, domain.vocabulary, stream))
        score, verdict = domain.oracle(task, program)
        assert verdict != "grader_error"
        right += int(score)
        if score != domain.second_score(task, program):
            differ.append((task.content, program))
    assert differ == []
    assert right > 200


def test_no_planted_wrong_program_of_a_thousand_passes():
    domain, stream = find_domain("code.listprog"), Stream(22)
    planted = 0
    for index in range(150):
        task = domain.draw(1 + index % 5, "depth_1_3", stream)
        for words in domain.wrong_solutions(task).values():
            program = " ".join(words[:-1]) if words[-1] == "END" else ""
            assert domain.second_score(task, program) == 0
            planted += 1
    assert planted > 1000
