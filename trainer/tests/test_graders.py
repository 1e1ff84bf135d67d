"""The three rings on tables of completions, and two graders that never disagree."""

import pytest

from evotrainer.domains import find_domain
from evotrainer.domains.math_chain import graders
from evotrainer.domains.math_chain.demonstrations import demonstration
from evotrainer.randomness import Stream
from evotrainer.splits import uniform_levels

DOMAIN = find_domain("math.chain")
PROMPT, GOLD = "Q 7 * 4 - 9 ?", "9"

# completion, visible score, hidden verdict
TABLE = [
    ("7 * 4 = 8 ; 8 - 9 = 9 ; # 9 END", 1, "correct"),
    ("# 9 END", 1, "correct"),
    ("# 8 END", 0, "incorrect"),
    ("# 8 wait # 9 END", 1, "invalid_format"),
    ("# 9 wait # 8 END", 1, "invalid_format"),
    ("# 9 # 9 END", 1, "invalid_format"),
    ("# 1 # 2 # 3 # 9", 1, "invalid_format"),
    ("# 9", 1, "invalid_format"),
    ("# 9 ; END", 1, "invalid_format"),
    ("# END", 0, "invalid_format"),
    ("#", 0, "invalid_format"),
    ("# = 9 END", 0, "invalid_format"),
    ("9 END", 0, "no_answer"),
    ("END", 0, "no_answer"),
    ("", 0, "no_answer"),
]


@pytest.mark.parametrize(("text", "lenient", "verdict"), TABLE)
def test_rings_judge_as_the_table_says(text: str, lenient: int, verdict: str):
    words = text.split()
    assert graders.visible(words, GOLD)["score"] == lenient
    assert graders.hidden(words, GOLD)["verdict"] == verdict
    assert graders.oracle(PROMPT, text) == (float(verdict == "correct"), verdict)


def test_the_two_strict_graders_agree_on_noise_and_on_near_misses():
    stream = Stream(11)
    for index in range(4000):
        task = DOMAIN.draw(1 + index % 8, stream)
        words = demonstration(task.prompt[1:-1], task.gold, DOMAIN.demonstration_mix, stream)
        for _ in range(stream.below(3)):
            place = stream.below(len(words))
            noise = DOMAIN.vocabulary[1 + stream.below(len(DOMAIN.vocabulary) - 1)]
            words[place : place + stream.below(2)] = [noise]
        prompt, text = " ".join(task.prompt), " ".join(words)
        score, verdict = DOMAIN.oracle(prompt, text)
        strict = graders.hidden(words, task.gold)
        assert (score, verdict) == (strict["score"], strict["verdict"]), (prompt, text)
        assert score == DOMAIN.second_score(prompt, text)


def test_gold_is_accepted_and_null_and_planted_answers_are_not():
    stream = Stream(5)
    clean = dict.fromkeys(DOMAIN.demonstration_mix, 0.0)
    guesses = 0
    for index in range(2000):
        task = DOMAIN.draw(1 + index % 8, stream)
        prompt = " ".join(task.prompt)
        gold = " ".join(DOMAIN.demonstration(task, clean, stream))
        assert DOMAIN.oracle(prompt, gold) == (1.0, "correct")
        planted = DOMAIN.canary(task, stream)
        assert planted.gold != task.gold
        assert graders.visible(gold.split(), planted.gold)["score"] == 0
        silent, guess = (" ".join(words) for words in DOMAIN.null_completions)
        assert DOMAIN.oracle(prompt, silent)[0] == 0
        guesses += int(DOMAIN.oracle(prompt, guess)[0])
    assert guesses / 2000 < 0.1, "a constant guess stays below chance of one in ten"


def test_levels_outside_the_domain_are_refused():
    with pytest.raises(Exception, match="levels"):
        uniform_levels(DOMAIN, (1, 9))
