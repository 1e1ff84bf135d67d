"""From a completion of a foreign trainer to a submission of its domain, which graders take.

A chat domain is played by messages. In a domain of tokens, a completion is the text of the tokens,
and its episode is played by them.
"""

from dataclasses import dataclass, field
from typing import Any, Protocol

from evotrainer.chat.conversation import reply_text, submission_of, with_said
from evotrainer.domains import Submission, Task
from evotrainer.own.graders import GraderFault
from evotrainer.reward.told import Completion, Refused

END = "END"
# A trainer answers a call of no known tool itself; such a reply says so and is short.
OWN_REPLY_MAX = 1000


class Episodes(Protocol):
    tools: list[dict[str, Any]] | None

    def messages(self, task: Task) -> list[dict[str, Any]]:
        """The prompt."""
        ...

    def reset(self, session: str, task: Task) -> str | None: ...

    def tool(self, session: str, name: str, arguments: dict[str, Any]) -> str: ...

    def submission(self, session: str, task: Task, completion: Completion) -> Submission:
        """Raises Refused for a completion that cannot have been played here."""
        ...

    def close(self, session: str) -> None: ...


class TokenEpisodes:
    """The built-in domains, whose prompts and outputs are words of a vocabulary."""

    tools = None

    def __init__(self, domain: Any):
        self._domain = domain
        self._known = set(domain.vocabulary)

    def messages(self, task: Task) -> list[dict[str, Any]]:
        return [{"role": "user", "content": " ".join(task.prompt)}]

    def reset(self, session: str, task: Task) -> str | None:
        raise Refused(f"{self._domain.name} has no tools")

    def tool(self, session: str, name: str, arguments: dict[str, Any]) -> str:
        raise Refused(f"{self._domain.name} has no tools")

    def submission(self, session: str, task: Task, completion: Completion) -> Submission:
        if completion.text is None:
            raise Refused(f"{self._domain.name} has no tools: give text, not messages")
        episode = self._domain.episode(task)
        episode.reset()
        words = completion.text.split()
        # Tokenizers leave the last token out of the text.
        if not completion.truncated and words[-1:] != [END]:
            words.append(END)
        for word in words:
            if episode.done:
                break
            if word not in self._known:
                raise Refused(f"{word[:50]!r} is not in the vocabulary of {self._domain.name}")
            episode.act(word)
        return episode.submit()

    def close(self, session: str) -> None:
        return None


@dataclass
class _Session:
    said: str | None
    replies: list[str] = field(default_factory=list)


class ChatEpisodes:
    """A chat domain; its tools are played here, so that a trainer holds no row."""

    def __init__(self, domain: Any):
        self._domain = domain
        self.tools = domain.graders.tools
        self._sessions: dict[str, _Session] = {}

    def messages(self, task: Task) -> list[dict[str, Any]]:
        return self._domain.messages(task)

    def reset(self, session: str, task: Task) -> str | None:
        if self.tools is None:
            raise Refused("this environment has no tools")
        try:
            said = self._domain.graders.reset(session, task.gold)
        except GraderFault:
            # The submission tells it when the completion is graded.
            said = None
        self._sessions[session] = _Session(said)
        return said

    def tool(self, session: str, name: str, arguments: dict[str, Any]) -> str:
        known = self._sessions.get(session)
        if known is None:
            raise Refused("a tool before reset")
        text = reply_text(self._domain.graders.tool(session, name, arguments))
        known.replies.append(text)
        return text

    def submission(self, session: str, task: Task, completion: Completion) -> Submission:
        prompt = self.messages(task)
        if self.tools is None:
            if completion.text is None:
                raise Refused("this environment has no tools: give text, not messages")
            own = [{"role": "assistant", "content": completion.text}]
            return _submission(self._domain, [*prompt, *own])
        known = self._sessions.get(session)
        if completion.messages is None or known is None:
            raise Refused("this environment has tools: reset first, then give messages")
        _check_replies(known.replies, completion.messages)
        conversation = [*with_said(prompt, known.said), *completion.messages]
        submission = _submission(self._domain, conversation)
        submission.fault = self._domain.graders.broken(session)
        return submission

    def close(self, session: str) -> None:
        if self._sessions.pop(session, None) is not None:
            self._domain.graders.close(session)


def episodes_of(domain: Any) -> Episodes:
    return ChatEpisodes(domain) if hasattr(domain, "graders") else TokenEpisodes(domain)


def _submission(domain: Any, messages: list[dict[str, Any]]) -> Submission:
    answers_of = getattr(domain, "answers_of", None)
    graders = domain.graders
    has_tools = graders.tools is not None
    return submission_of(messages, answers_of, graders.actions, has_tools=has_tools)


def _check_replies(replies: list[str], messages: list[dict[str, Any]]) -> None:
    """The replies in a conversation are those that the tools gave, each once and in their order."""
    left = list(replies)
    for message in messages:
        if message["role"] != "tool":
            continue
        text = message["content"]
        if left and text == left[0]:
            left.pop(0)
        elif "error" not in text.lower() or len(text) > OWN_REPLY_MAX:
            raise Refused("a reply of a tool in messages is not what the tool answered")
    if left:
        raise Refused("messages lacks a reply of a tool that was called")
