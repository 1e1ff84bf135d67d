"""What every task must pass before anybody is judged by it."""

from evotrainer.demonstrate import show
from evotrainer.domains import Domain, Task


def validate(domain: Domain, task: Task) -> list[str]:
    """Complaints about a task; none means it is sound.

    Gold is accepted by every ring and both graders, null answers are refused by the oracle, and so
    are all planted wrong solutions, of which there is at least one.
    """
    place = f"{domain.name} {task.content[:60]!r}"
    complaints = []
    gold = show(domain, task, domain.solution(task))
    if not gold.terminated:
        complaints.append(f"{place}: its solution does not end the episode")
    for ring, score in _scores(domain, task, gold.submission).items():
        if score != 1:
            complaints.append(f"{place}: {ring} gives its solution {score}")
    nulls = {f"null answer {index}": words for index, words in enumerate(domain.null_completions)}
    wrong = domain.wrong_solutions(task)
    if not wrong:
        complaints.append(f"{place}: has no planted wrong solution")
    for name, words in {**nulls, **wrong}.items():
        submission = show(domain, task, words).submission
        scores = _scores(domain, task, submission)
        is_lucky_guess = name in nulls and scores["oracle"] == scores["second grader"] == 1
        if scores["oracle"] != scores["second grader"]:
            complaints.append(f"{place}: the graders differ on {name}")
        elif scores["oracle"] != 0 and not is_lucky_guess:
            complaints.append(f"{place}: the oracle accepts {name}")
    return complaints


def _scores(domain: Domain, task: Task, submission) -> dict[str, float]:
    visible, hidden = domain.grade(task, submission)
    return {
        "visible": visible["score"],
        "training-hidden": hidden["score"],
        "oracle": domain.oracle(task, submission.artifact)[0],
        "second grader": domain.second_score(task, submission.artifact),
    }
