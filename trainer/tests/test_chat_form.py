"""The built-in domains in chat form: the same states and grades as by tokens, and real models."""

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytest.importorskip("transformers")

from evotrainer.chat.calls import assistant_message
from evotrainer.chat.player import play_chat
from evotrainer.chat.policy_folder import HfPolicy
from evotrainer.chat.seal import check_seal
from evotrainer.chat.tiny import make_tiny
from evotrainer.demonstrate import play_tokens
from evotrainer.digest import ROOT
from evotrainer.domains import MODULES, Submission, Task, find_domain
from evotrainer.failures import ConfigInvalid
from evotrainer.randomness import Stream
from evotrainer.reward.episodes import ChatEpisodes
from evotrainer.reward.told import read_completion
from evotrainer.sampling import Decoding
from evotrainer.sandbox.bubblewrap import find_bubblewrap
from evotrainer.tables import read_table
from tests.chat_models import SpeakerModel, tiny_policy
from tests.jobs import RECIPE, SECRET, TRAIN, WARMUP, changed
from tests.jobs import stage as stage_job
from tests.test_chat_jobs import play
from tests.test_chat_tools import seen
from tests.test_conformance import draw, wander

SPRAYED = " ".join(f"# {digit}" for digit in range(10))
REPAIRS = "code.listprog with repairs"
FORMS: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, {}) for name in MODULES},
    REPAIRS: ("code.listprog", {"repair_turns": 2, "constructs": "conditions"}),
    "swe.minirepo with history": ("swe.minirepo", {"history_tool": True}),
}


def form_of(kind: str) -> Any:
    name, options = FORMS[kind]
    return find_domain(name, {**options, "chat": True})


@pytest.fixture(params=FORMS)
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


def judged(domain: Any, task: Task, made: Submission) -> list[Any]:
    """What every judge of an episode says, and what it left."""
    return [
        domain.grade(task, made),
        domain.oracle(task, made.artifact),
        domain.second_score(task, made.artifact),
        domain.tampered(task, made),
        (made.artifact, made.answers, made.changes, made.submitted),
    ]


def expressible(kind: str, domain: Any, task: Task, tokens: list[str]) -> list[str]:
    """A call of a tool is whole: it has no words of a program that END did not close."""
    if kind != REPAIRS or play_tokens(domain, task, tokens).terminated:
        return tokens
    while tokens and tokens[-1] != "END":
        tokens = tokens[:-1]
    return tokens


def test_the_same_actions_end_in_the_same_state_and_grades(kind: str) -> None:
    domain, stream, right = form_of(kind), Stream(17), 0
    for index in range(120):
        task = draw(domain, index, stream)
        if index % 4 == 3:
            task = domain.canary(task, stream)
        tokens = expressible(kind, domain, task, wander(domain, task, stream))
        by_tokens = play_tokens(domain, task, tokens)
        by_messages = domain.script(task, tokens).submit()
        assert judged(domain, task, by_messages) == judged(domain, task, by_tokens.submission)
        assert by_messages.messages is not None
        right += domain.oracle(task, by_messages.artifact)[0]
    assert 5 < right < 115


def test_solutions_are_right_and_planted_wrong_is_what_it_is_by_tokens(kind: str) -> None:
    domain, stream = form_of(kind), Stream(5)
    for index in range(20):
        task = draw(domain, index, stream)
        made = domain.script(task, domain.solution(task)).submit()
        visible, hidden = domain.grade(task, made)
        truth = domain.oracle(task, made.artifact)[0]
        second = domain.second_score(task, made.artifact)
        assert (visible["score"], hidden["score"], truth, second) == (1, 1, 1, 1)
        for name, tokens in domain.wrong_solutions(task).items():
            if kind == REPAIRS and "END" not in tokens:
                continue
            by_messages = domain.script(task, list(tokens)).submit()
            by_tokens = play_tokens(domain, task, tokens).submission
            assert judged(domain, task, by_messages) == judged(domain, task, by_tokens), name
            assert domain.oracle(task, by_messages.artifact)[0] == 0


def test_chat_forms_keep_tasks_and_splits(kind: str) -> None:
    name, options = FORMS[kind]
    chat, plain = form_of(kind), find_domain(name, options)
    drawn = [draw(domain, 3, Stream(1)) for domain in (chat, plain)]
    assert drawn[0] == drawn[1]
    assert (chat.name, chat.levels) == (plain.name, plain.levels)
    assert chat.environment_version != plain.environment_version
    shifted: Any = chat.shifted()
    task = draw(shifted, 0, Stream(2))
    assert shifted.script(task, shifted.solution(task)).done


def test_what_is_said_around_an_answer_of_math_is_read_as_words() -> None:
    domain = form_of("math.chain")
    task = domain.draw(2, "levels_1_2", Stream(4))
    gold, other = task.gold, str((int(task.gold) + 1) % 10)
    said = {
        f"# {gold}": (1, 1, 1),
        f"First I multiply. The answer is #{gold}.": (1, 1, 1),
        f"**Answer:** # {gold}\n": (1, 1, 1),
        f"# {gold} is the answer": (1, 0, 0),
        f"# the answer {gold}": (0, 0, 0),
        f"# {other} no, # {gold}": (1, 0, 0),
        f"# {gold}{gold}": (0, 0, 0),
        f"# {gold} END": (1, 0, 0),
        "": (0, 0, 0),
        "\x00 ☃ <|im_start|>": (0, 0, 0),
    }
    for text, scores in said.items():
        talk = domain.conversation(task)
        talk.act({"role": "assistant", "content": text})
        made = talk.submit()
        visible, hidden = domain.grade(task, made)
        truth = domain.oracle(task, made.artifact)[0]
        assert (visible["score"], hidden["score"], truth) == scores, text
        assert made.messages[-1]["content"] == text
    cut = domain.conversation(task)
    cut.cut({"role": "assistant", "content": f"# {gold}"})
    assert not cut.done and domain.oracle(task, cut.submit().artifact)[0] == 0


def test_a_program_is_read_from_a_fence_and_other_words_make_it_none() -> None:
    domain = form_of("code.listprog")
    task = domain.draw(3, "depth_1_3", Stream(4))
    program = domain.script(task, domain.solution(task)).messages[-1]["content"]
    assert " " not in program.replace(", ", "")
    for text, score in {
        f"Here it is:\n```python\n{program}\n```\nIt sorts.": 1,
        f"```\n{program}": 1,
        f"The answer is {program}": 0,
        program.replace("x", "y"): 0,
        f"__import__('os').system('ls') or {program}": 0,
    }.items():
        talk = domain.conversation(task)
        talk.act({"role": "assistant", "content": text})
        made = talk.submit()
        assert domain.grade(task, made)[0]["score"] == score, text
        assert domain.second_score(task, made.artifact) == score


HOSTILE = [
    ("look", "{}"),
    ("", "{}"),
    ("run_tests", '{"all": true}'),
    ("run_tests", "not JSON"),
    ("run_tests", "[]"),
    ("find", "{}"),
    ("find", '{"name": ["F0"]}'),
    ("open", '{"path": "../../etc/passwd"}'),
    ("open", '{"path": "src/z", "path": {"a": 1}}'),
    ("edit", '{"path": "src/a", "line": 99, "code": "X + 1"}'),
    ("edit", '{"path": "src/a", "line": 1, "code": "X + 1 ; SUBMIT"}'),
    ("edit", '{"path": "src/a", "line": true, "code": "X + 1"}'),
    ("edit", '{"path": "src/a", "line": 1, "code": 7}'),
    ("edit", '{"path": "tests", "line": 1, "code": "X + 1"}'),
    ("revert", '{"path": "SUBMIT"}'),
    ("log", "{}"),
    ("try_program", '{"program": 7}'),
    ("try_program", '{"program": "x END sum(x)"}'),
]


@pytest.mark.parametrize("kind", ["swe.minirepo", REPAIRS])
def test_calls_that_are_none_are_data(kind: str) -> None:
    domain = form_of(kind)
    task = domain.draw(1, next(iter(domain.categories)), Stream(4))
    talk = domain.conversation(task)
    for name, arguments in HOSTILE:
        call = {"type": "function", "function": {"name": name, "arguments": arguments}}
        (reply,) = talk.act({"role": "assistant", "content": "", "tool_calls": [call]})
        assert reply["content"].lower().startswith(("error", "failed", "the program")), name
    made = talk.submit()
    assert not made.submitted or kind == REPAIRS
    assert all(change["path"] == "program.py" for change in made.changes)
    assert domain.grade(task, made)[0]["score"] == 0
    assert {action["ok"] for action in made.actions if action["kind"] == "edit"} <= {False}


def test_calls_after_the_end_change_nothing() -> None:
    domain = form_of("swe.minirepo")
    task = domain.draw(1, "operator", Stream(4))
    talk = domain.script(task, [*domain.solution(task), "EDIT", "tests", "1", "0"])
    made = talk.submit()
    assert [m["content"] for m in made.messages if m["role"] == "tool"][-1].startswith("Error: ")
    assert domain.oracle(task, made.artifact)[0] == 1


def by_server(domain: Any, task: Task, played: Submission) -> Submission:
    """As a foreign trainer plays it: tools through the server, then its own messages."""
    episodes, start = ChatEpisodes(domain), len(domain.messages(task))
    assert episodes.reset("s", task) is None
    messages, waiting = [], []
    for message in played.messages[start:]:
        if message["role"] == "tool":
            name, arguments = waiting.pop(0)
            text = episodes.tool("s", name, json.loads(arguments))
            messages.append({**message, "content": text})
            continue
        calls = [call["function"] for call in message.get("tool_calls", ())]
        waiting += [(call["name"], call["arguments"]) for call in calls]
        messages.append(message)
    told = read_completion({"index": 0, "sample": 0, "messages": messages}, 0)
    made = episodes.submission("s", task, told)
    episodes.close("s")
    return made


def as_said(message: dict[str, Any]) -> str:
    functions = [call["function"] for call in message.get("tool_calls", ())]
    calls = [
        f'<tool_call>{{"name": "{one["name"]}", "arguments": {one["arguments"]}}}</tool_call>'
        for one in functions
    ]
    return message["content"] + "".join(calls)


def test_script_player_and_foreign_trainer_leave_the_same_rows(model: Path) -> None:
    domain: Any = form_of("swe.minirepo")
    policy = HfPolicy.load(model)
    policy.model.config.max_position_embeddings = 2048
    task = domain.draw(1, "operator", Stream(4))
    tokens = domain.wrong_solutions(task)["fix and a right test changed"]
    script = domain.script(task, ["RUN", *tokens]).submit()
    said = [as_said(message) for message in script.messages if message["role"] == "assistant"]
    speaker = HfPolicy(SpeakerModel(policy, said), policy.tokenizer, policy.seal, policy.place)
    (row,) = play_chat(speaker, domain, [(task, 1)], Decoding(1500, 1.0))
    assert row.stop_reason == "submitted" and row.submission is not None
    for made in (row.submission, by_server(domain, task, script)):
        assert made.messages == script.messages
        assert seen(made) == seen(script)
        assert made.actions == script.actions
        assert judged(domain, task, made) == judged(domain, task, script)
    assert script.submitted and domain.tampered(task, script)


def test_a_reply_that_a_limit_cut_off_stands_in_the_archive() -> None:
    """The call was carried out, and TRL leaves out a reply for which there is no room."""
    domain = form_of("swe.minirepo")
    task = domain.draw(1, "operator", Stream(4))
    episodes = ChatEpisodes(domain)
    episodes.reset("s", task)
    text = episodes.tool("s", "run_tests", {})
    message = assistant_message('<tool_call>{"name": "run_tests"}</tool_call>', True)
    told = read_completion({"index": 0, "sample": 0, "messages": [message]}, 0)
    made = episodes.submission("s", task, told)
    assert made.messages[-1] == {
        **{"role": "tool", "tool_call_id": "call_0", "name": "run_tests"},
        "content": text,
    }
    assert made.actions[0]["exit_code"] == 1


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model whose tokenizer knows the words of all three domains."""
    folder, texts = tmp_path_factory.mktemp("model") / "policy", []
    for name in MODULES:
        domain = form_of(name)
        for index in range(10):
            task = draw(domain, index, Stream(index))
            talk = domain.script(task, domain.solution(task))
            texts += [as_said(message) for message in talk.messages]
            texts += [json.dumps(tool) for tool in domain.tools or ()]
    make_tiny(folder, texts, words=2048)
    return folder


@pytest.mark.parametrize("name", MODULES)
def test_a_real_model_plays_rollouts_select_canaries_and_nulls(
    name: str, model: Path, tmp_path: Path, monkeypatch
) -> None:
    given = {"domain": name, "environment": {"chat": True}}
    levels = find_domain(name).levels
    recipe = changed(RECIPE, rollout__max_tokens=12, curriculum__levels=list(levels))
    spec = {"recipe": recipe, "train": {"tasks": 3, "samples": 2}, "diag": {"tasks": 4}}
    spec["diag"]["samples"] = 2
    rolled = stage_job(tmp_path / "rollout", "rollout", spec, {"policy": model}, **given)
    summary, _ = play(rolled)
    assert (summary["train"]["trajectories"], summary["diag"]["trajectories"]) == (6, 8)
    rows = read_table(rolled / "trajectories" / "diag.parquet", "trajectory").to_pylist()
    for row in rows:
        messages = json.loads(row["messages"])
        assert [one["role"] for one in messages[:3]] == ["system", "user", "assistant"]
        assert len(row["turns"]) == len(messages)
        assert row["turns"][2]["text"] == messages[2]["content"]
        assert row["visible"]["score"] is not None and row["reward"] is not None
    assert {row["environment_version"] for row in rows} == {f"{name}/1/chat.1"}
    (tmp_path / "secret").write_text(SECRET)
    monkeypatch.setenv("EVO_GATE_SECRET_FILE", str(tmp_path / "secret"))
    spec = {
        "mode": "select",
        "streams_of": "chat",
        "made_under": {"epoch": None, "policies": {}},
        "label_sets": ["b0"],
        "policies": ["b0"],
        "select": {"tasks": 3, "samples": 2},
        "canary": {"tasks": 4, "samples": 1},
        "decoding": {"max_tokens": 12, "temperature": 1, "max_turns": None},
    }
    inputs = {
        "policies/b0": model,
        "trajectories/b0.parquet": rolled / "trajectories" / "diag.parquet",
    }
    path = stage_job(tmp_path / "select", "evaluate", spec, inputs, **given)
    play(path)
    assert len(read_table(path / "labels" / "b0.parquet", "label")) == 8
    select = read_table(path / "sealed" / "select.parquet", "sealed-result").to_pylist()
    canary = read_table(path / "sealed" / "canary.parquet", "sealed-result").to_pylist()
    assert [row["policy"] for row in select] == ["b0"] * 6 + ["null"] * 6
    assert [row["item"] for row in canary] == [0, 1, 2, 3]
    assert all(row["error_kind"] is None for row in [*select, *canary])


def test_warm_up_teaches_the_styles_of_the_domain_as_messages(model: Path, tmp_path: Path) -> None:
    short = {"levels": [1, 1], "mix": {"wrong_constant": 0, "malformed": 1}, "batch_size": 2}
    for name, steps, options in (("math.chain", 6, {}), ("swe.minirepo", 1, short)):
        spec = changed(WARMUP, optimizer_steps=steps, learning_rate=3e-3, **options)
        spec["policy"] = {"dtype": "float32", "lora": None}
        given = {"domain": name, "environment": {"chat": True}}
        path = stage_job(tmp_path / name, "warmup", spec, {"policy": model}, **given)
        play(path)
        lines = (path / "optimizer_metrics.jsonl").read_text().splitlines()
        losses = [json.loads(line)["loss"] for line in lines]
        assert len(losses) == steps
        if name == "math.chain":
            assert losses[-1] < 0.8 * losses[0]


@pytest.mark.skipif(find_bubblewrap() is None, reason="bubblewrap is not installed")
def test_a_foreign_trainer_trains_a_real_model_on_drawn_tasks(model: Path, tmp_path: Path) -> None:
    settings = {
        **{"type": "command", "folder": str(ROOT.parent / "trainers" / "command" / "examples")},
        **{"command": ["python3", "toy.py"], "extra": {"says": SPRAYED}, "lock_sha256": None},
        **{"repeatable": True, "refused": []},
    }
    spec = changed(
        {**TRAIN, "trainer": settings}, recipe__rollout__max_tokens=10, budget__optimizer_steps=2
    )
    given = {"domain": "math.chain", "environment": {"chat": True}}
    path = stage_job(tmp_path / "job", "train", spec, {"policy": model}, **given)
    summary, _ = play(path)
    assert (summary["optimizer_steps"], summary["diag"]["trajectories"]) == (2, 8)
    assert check_seal(path / "policy") == check_seal(model)
    (shard,) = (path / "trajectories").iterdir()
    rows = read_table(shard, "trajectory").to_pylist()
    assert {row["artifact"] for row in rows} == {f"{SPRAYED} END"}
    assert {len(row["answers"]) for row in rows} == {10}
    assert {(row["visible"]["score"], row["hidden"]["score"]) for row in rows} == {(1, 0)}


def test_a_domain_without_a_chat_form_and_a_wrong_option_are_refused(monkeypatch) -> None:
    with pytest.raises(ConfigInvalid, match="environment/chat"):
        find_domain("math.chain", {"chat": "yes"})
    # A module with make(environment), and none named chat beside it.
    monkeypatch.setitem(MODULES, "bits.parity", "evotrainer.hooks.parity")
    module: Any = ModuleType("evotrainer.hooks.parity")
    module.make = lambda _: object()
    monkeypatch.setitem(sys.modules, "evotrainer.hooks.parity", module)
    with pytest.raises(ConfigInvalid, match=r"bits.parity has no chat form"):
        find_domain("bits.parity", {"chat": True})


def test_a_context_without_room_for_an_episode_is_refused(model: Path, tmp_path: Path) -> None:
    """A tokenizer of other texts needs a token for nearly every letter of the tools."""
    tiny_policy(tmp_path / "sums")
    spec = changed(WARMUP, optimizer_steps=0, policy={"dtype": "float32", "lora": None})
    spec["levels"] = [1, 1]
    given = {"domain": "swe.minirepo", "environment": {"chat": True}}
    for policy in (model, tmp_path / "sums"):
        name = f"{policy.name} of a job"
        path = stage_job(tmp_path / name, "warmup", spec, {"policy": policy}, **given)
        if policy == model:
            play(path)
            assert check_seal(path / "policy") == check_seal(model)
        else:
            with pytest.raises(ConfigInvalid, match="reads 1024; use a policy with a longer"):
                play(path)
