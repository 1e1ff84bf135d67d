"""Multi-turn environments for TRL's environment_factory: proxies of the reward server.

The trainer holds no row and plays nothing itself: `reset` and every tool ask the server.
"""

import json
from collections.abc import Callable
from typing import Any

RESERVED = {"reset", "get_reward"}


def tool_schemas(tasks: list[dict[str, Any]]) -> list[dict[str, Any]] | None:
    """The tools of the environment, or None. All tasks of an environment have the same."""
    schemas = tasks[0].get("tools") or None
    for task in tasks:
        if (task.get("tools") or None) != schemas:
            raise ValueError(f"tasks.jsonl: task {task['index']} has other tools than the first")
    for schema in schemas or []:
        name = schema["function"]["name"]
        if not name.isidentifier() or name.startswith("_") or name in RESERVED:
            raise ValueError(f"tasks.jsonl: {name!r} cannot be the name of a tool")
    return schemas


def environment_factory(
    rewards: Any, schemas: list[dict[str, Any]], samples: int
) -> Callable[[], Any]:
    """A factory whose n-th instance plays the n-th completion of every batch.

    TRL keeps its instances and hands them out in the order in which it made them.
    """
    made = 0

    def initialize(self: Any) -> None:
        nonlocal made
        self._sample = made % samples
        self._index = -1
        made += 1

    def reset(self: Any, index: int, **_: Any) -> str | None:
        self._index = index
        return rewards.reset(index, self._sample)

    def tool(name: str, text: str) -> Callable[..., str]:
        def call(self: Any, **arguments: Any) -> str:
            return rewards.tool(self._index, self._sample, name, arguments)

        call.__name__ = name
        call.__doc__ = text
        return call

    functions = [schema["function"] for schema in schemas]
    methods = {one["name"]: tool(one["name"], one.get("description", "")) for one in functions}
    return type("Environment", (), {"__init__": initialize, "reset": reset, **methods})


def openai_messages(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """TRL's messages in OpenAI's form: calls have ids, their arguments are text, replies name them.

    TRL answers the calls of a message in their order.
    """
    made, waiting, count = [], [], 0
    for message in messages:
        if message["role"] == "tool":
            reply = {"role": "tool", "tool_call_id": waiting.pop(0), "content": message["content"]}
            made.append(reply)
            continue
        calls = []
        for call in message.get("tool_calls") or ():
            function = call["function"]
            text = json.dumps(function.get("arguments") or {}, ensure_ascii=False)
            named = {"name": function["name"], "arguments": text}
            calls.append({"id": f"call_{count}", "type": "function", "function": named})
            count += 1
        waiting = [call["id"] for call in calls]
        own = {key: value for key, value in message.items() if key != "tool_calls"}
        made.append(own | ({"tool_calls": calls} if calls else {}))
    return made
