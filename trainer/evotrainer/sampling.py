"""Lock-step decoding: all episodes advance one position at a time, with a queue of forced words.

At each position an episode takes the next word of its queue (prompt, observation), then of its
guide (words forced on the policy, which the episode hears as if they were sampled), or samples one.
No padding, many turns for free. The words that all prompts have at least are read in one pass, a
prompt that many rows share once. The draw of a row at a position is the number of that row's own
stream, so rows never disturb each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from evotrainer.domains import Domain, Episode, Submission, Task
from evotrainer.policy import KeyValueCache, Policy
from evotrainer.randomness import uniforms


@dataclass
class Playing:
    """One episode while it is played, and everything recorded of it afterwards."""

    task: Task
    seed: int
    episode: Episode
    queue: list[int]
    guide: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    sampled: list[bool] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    entropies: list[float] = field(default_factory=list)
    prompt_tokens: int = 0
    guided_words: int = 0
    guided_turns: int = 0
    stop_reason: str = "end"
    submission: Submission | None = None

    @property
    def token_count(self) -> int:
        return len(self.logprobs)

    @property
    def truncated(self) -> bool:
        """A limit ended it, not the policy."""
        return not self.episode.done


@dataclass(frozen=True)
class Decoding:
    """Limits on sampled tokens and on turns (null: none), and the temperature of the draws."""

    max_tokens: int
    temperature: float
    max_turns: int | None = None


def word_ids(domain: Domain) -> dict[str, int]:
    return {word: index for index, word in enumerate(domain.vocabulary)}


def encode(domain: Domain, words: Sequence[str]) -> list[int]:
    ids = word_ids(domain)
    return [ids[word] for word in words]


def play(
    policy: Policy,
    domain: Domain,
    items: Sequence[tuple[Task, int]],
    decoding: Decoding,
    guides: Sequence[Sequence[str]] = (),
) -> list[Playing]:
    """Play every (task, seed) to its end or to a limit, and close its episode.

    `guides`, where there are any, holds for each item the words that are forced on it first.
    """
    ids = word_ids(domain)
    rows = [_open(domain, task, seed, ids) for task, seed in items]
    for row, words in zip(rows, guides, strict=False):
        row.guide = [ids[word] for word in words]
    active = list(rows)
    cache = KeyValueCache(policy.shape, len(rows), policy.shape.max_position_embeddings)
    with torch.inference_mode():
        _read_prompts(policy, rows, cache)
        for _ in range(cache.length, policy.shape.max_position_embeddings):
            going = [index for index, row in enumerate(active) if _goes_on(row, decoding)]
            if not going:
                break
            if len(going) < 0.75 * len(active):
                cache.keep(torch.tensor(going))
                active = [active[index] for index in going]
                going = list(range(len(active)))
            _advance(policy, domain, ids, active, going, cache, decoding)
    for row in rows:
        row.submission = row.episode.submit()
        row.stop_reason = _stop_reason(row, decoding)
    return rows


def _open(domain: Domain, task: Task, seed: int, ids: dict[str, int]) -> Playing:
    episode = domain.episode(task)
    prompt = [ids[word] for word in episode.reset()]
    row = Playing(task, seed, episode, prompt[1:], prompt_tokens=len(prompt))
    row.tokens.append(prompt[0])
    row.sampled.append(False)
    return row


def _read_prompts(policy: Policy, rows: Sequence[Playing], cache: KeyValueCache) -> None:
    """All but the last word of the shortest prompt, for every row."""
    length = min((len(row.queue) for row in rows), default=0)
    if length == 0:
        return
    place: dict[tuple[int, ...], int] = {}
    places = []
    for row in rows:
        words = row.tokens + row.queue[:length]
        places.append(place.setdefault(tuple(words[:-1]), len(place)))
        row.tokens, row.queue = words, row.queue[length:]
        row.sampled += [False] * length
    read = KeyValueCache(policy.shape, len(place), length)
    policy(torch.tensor(list(place)), read)
    cache.take(read, torch.tensor(places))


def _goes_on(row: Playing, decoding: Decoding) -> bool:
    turns_left = decoding.max_turns is None or row.episode.turns < decoding.max_turns
    return not row.episode.done and row.token_count < decoding.max_tokens and turns_left


def _stop_reason(row: Playing, decoding: Decoding) -> str:
    if row.episode.done:
        return "submitted" if row.submission and row.submission.submitted else "end"
    is_spent = decoding.max_turns is not None and row.episode.turns >= decoding.max_turns
    return "turn_limit" if is_spent else "token_limit"


def _advance(
    policy: Policy,
    domain: Domain,
    ids: dict[str, int],
    active: list[Playing],
    going: list[int],
    cache: KeyValueCache,
    decoding: Decoding,
) -> None:
    """One position for all active rows; rows that are over ride along until the next compaction."""
    logits = policy(torch.tensor([[row.tokens[-1]] for row in active]), cache)[:, 0]
    free = [index for index in going if not active[index].queue and not active[index].guide]
    for row in (active[index] for index in going):
        if row.queue:
            row.tokens.append(row.queue.pop(0))
            row.sampled.append(False)
        elif row.guide:
            _force(row, domain, ids)
    if not free:
        return
    seeds = np.array([active[index].seed for index in free], dtype=np.uint64)
    draws = torch.from_numpy(uniforms(seeds, cache.length))
    for index, drawn in zip(
        free, draw_words(logits[free], draws, decoding.temperature), strict=True
    ):
        row, (word, logprob, entropy) = active[index], drawn
        row.tokens.append(word)
        row.sampled.append(True)
        row.logprobs.append(logprob)
        row.entropies.append(entropy)
        row.queue += [ids[seen] for seen in row.episode.act(domain.vocabulary[word])]


def _force(row: Playing, domain: Domain, ids: dict[str, int]) -> None:
    """The next word of the guide, which the episode takes as the policy's own."""
    word = row.guide.pop(0)
    row.tokens.append(word)
    row.sampled.append(False)
    row.guided_words += 1
    row.queue += [ids[seen] for seen in row.episode.act(domain.vocabulary[word])]
    row.guided_turns = row.episode.turns


def draw_words(
    logits: torch.Tensor, draws: torch.Tensor, temperature: float
) -> list[tuple[int, float, float]]:
    """Inverse-CDF draw of one word a row: (word, its log-probability, entropy in nats)."""
    logprobs = torch.log_softmax(logits.double() / temperature, dim=-1)
    probabilities = logprobs.exp()
    cumulative = probabilities.cumsum(dim=-1)
    reached = cumulative < draws.unsqueeze(1) * cumulative[:, -1:]
    words = reached.sum(dim=-1).clamp(max=logits.shape[1] - 1)
    chosen = logprobs.gather(1, words.unsqueeze(1)).squeeze(1)
    entropies = -(probabilities * logprobs).sum(dim=-1)
    return list(zip(words.tolist(), chosen.tolist(), entropies.tolist(), strict=True))
