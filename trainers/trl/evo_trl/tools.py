"""Multi-turn environments for TRL's environment_factory: proxies of the reward server.

The trainer holds no row and plays nothing itself: `reset` and every tool ask the server.
"""

import json
from collections.abc import Callable
from typing import Any

from trl.chat_template_utils import add_response_schema

from evo_trl.translate import ConfigInvalid

RESERVED = {"reset", "get_reward"}
# How transformers reads calls in the form of Qwen and Hermes. TRL knows it only by whole templates.
RESPONSE_TEMPLATE = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|im_start|>assistant\n",
    "fields": {
        "tool_calls": {
            "open": "<tool_call>",
            "close_pattern": r"</tool_call>\s*",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": "{content}"},
        },
        "content": {"close_pattern": r"<\|im_end\|>\s*", "content": "text"},
    },
}


def tool_schemas(tasks: list[dict[str, Any]]) -> list[dict[str, Any]] | None:
    """The tools of the environment, or None. All tasks of an environment have the same."""
    schemas = tasks[0].get("tools") or None
    for task in tasks:
        if (task.get("tools") or None) != schemas:
            raise ConfigInvalid(f"tasks.jsonl: task {task['index']} has other tools than the first")
    for schema in schemas or []:
        name = schema["function"]["name"]
        if not name.isidentifier() or name.startswith("_") or name in RESERVED:
            raise ConfigInvalid(f"tasks.jsonl: {name!r} cannot be the name of a tool")
    return schemas


def let_read_calls(tokenizer: Any) -> None:
    """Tell the tokenizer how its template writes calls, where neither it nor TRL knows."""
    if getattr(tokenizer, "response_template", None) is not None:
        return
    try:
        add_response_schema(tokenizer)
    except ValueError as error:
        marks = ("<tool_call>", "<|im_start|>", "<|im_end|>")
        if not all(mark in tokenizer.chat_template for mark in marks):
            raise ConfigInvalid(
                "policy: TRL cannot read the tool calls of this chat template; use a model of"
                " Qwen's or Llama's families, or an environment of one turn"
            ) from error
        tokenizer.response_template = RESPONSE_TEMPLATE


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
            made.append(message | {"tool_call_id": waiting.pop(0)})
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
