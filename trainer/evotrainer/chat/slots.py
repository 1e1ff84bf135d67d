"""A key-value cache of slots: each row continues at its own length, whatever the others do.

A row's numbers must not depend on the rest of the batch, or its text would. So a prompt or a reply
is read alone, keys stand at their own positions with nothing before them, and a step of one token
always has a multiple of ROWS rows: on the CPUs that were tried, matrix products of sixteen rows and
more give every row the same bits, those of fewer do not on all of them.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from transformers.cache_utils import Cache, CacheLayerMixin

ROWS = 16
POSITIONS = 64


@dataclass
class Place:
    """Where the next keys go: `row` alone from `start` on, or one position in every row."""

    lengths: Tensor
    row: int | None = None
    start: int = 0


class SlotLayer(CacheLayerMixin):
    """Keys and values, [rows, heads, positions, head]; unread positions hold zeros."""

    is_sliding = False

    def __init__(self, rows: int):
        super().__init__()
        self.rows, self.place, self.end = rows, Place(torch.zeros(0)), 0

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        heads = key_states.shape[1]
        self.keys = key_states.new_zeros(self.rows, heads, 0, key_states.shape[3])
        self.values = value_states.new_zeros(self.rows, heads, 0, value_states.shape[3])
        self.is_initialized = True

    def update(
        self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any
    ) -> tuple[Tensor, Tensor]:
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        assert self.keys is not None and self.values is not None
        if self.keys.shape[2] < self.end:
            self.keys, self.values = (self._grown(old) for old in (self.keys, self.values))
        row, start = self.place.row, self.place.start
        if row is None:
            every = torch.arange(self.rows, device=key_states.device)
            self.keys[every, :, self.place.lengths] = key_states[:, :, 0]
            self.values[every, :, self.place.lengths] = value_states[:, :, 0]
            return self.keys[:, :, : self.end], self.values[:, :, : self.end]
        self.keys[row, :, start : self.end] = key_states[0]
        self.values[row, :, start : self.end] = value_states[0]
        own = slice(row, row + 1)
        return self.keys[own, :, : self.end], self.values[own, :, : self.end]

    def _grown(self, old: Tensor) -> Tensor:
        positions = max(_round_up(self.end, POSITIONS), old.shape[2] * 3 // 2)
        new = old.new_zeros(*old.shape[:2], positions, old.shape[3])
        new[:, :, : old.shape[2]] = old
        return new

    def copy(self, source: int, target: int, length: int) -> None:
        assert self.keys is not None and self.values is not None
        for states in (self.keys, self.values):
            states[target, :, :length] = states[source, :, :length]

    def keep(self, rows: Tensor) -> None:
        self.rows = len(rows)
        if self.keys is None or self.values is None:
            return
        self.keys, self.values = self.keys.index_select(0, rows), self.values.index_select(0, rows)

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        return self.end, 0

    def get_seq_length(self) -> int:
        return self.place.start

    def get_max_length(self) -> int:
        return -1


class SlotCache(Cache):
    """The cache of a model; `step` and `read` are its only ways forward."""

    def __init__(self, model: Any, rows: int):
        self.model, self.rows = model, _round_up(rows, ROWS)
        self.slots = [SlotLayer(self.rows) for _ in range(model.config.num_hidden_layers)]
        super().__init__(layers=list(self.slots))

    def read(self, row: int, start: int, tokens: list[int]) -> None:
        """One row takes `tokens` from position `start` on."""
        device, end = self.model.device, start + len(tokens)
        positions = torch.arange(start, end, device=device)
        mask = torch.arange(end, device=device) <= positions[:, None]
        place = Place(positions, row, start)
        self._forward(torch.tensor([tokens]), positions[None], mask[None, None], place, end)

    def step(self, tokens: list[int], lengths: list[int]) -> Tensor:
        """Every row takes one token at its own length; the logits that follow, [rows, words]."""
        unused = self.rows - len(tokens)
        at = torch.tensor([*lengths, *[0] * unused], device=self.model.device)
        end = _round_up(max(lengths) + 1, POSITIONS)
        mask = torch.arange(end, device=at.device) <= at[:, None]
        given = torch.tensor([*tokens, *[0] * unused])[:, None]
        logits = self._forward(given, at[:, None], mask[:, None, None], Place(at), end)
        return logits[: len(tokens), -1]

    def _forward(
        self, tokens: Tensor, positions: Tensor, mask: Tensor, place: Place, end: int
    ) -> Tensor:
        for layer in self.slots:
            layer.place, layer.end = place, end
        return self.model(
            input_ids=tokens.to(self.model.device),
            attention_mask=mask,
            position_ids=positions,
            past_key_values=self,
            use_cache=True,
            logits_to_keep=1,
        ).logits

    def copy(self, source: int, target: int, length: int) -> None:
        """The first positions of one row become those of another."""
        for layer in self.slots:
            layer.copy(source, target, length)

    def keep(self, rows: list[int]) -> None:
        """Only these rows go on; they move to the front, and the number of rows shrinks."""
        self.rows = _round_up(len(rows), ROWS)
        index = torch.tensor([*rows, *[rows[0]] * (self.rows - len(rows))])
        for layer in self.slots:
            layer.keep(index.to(self.model.device))


def _round_up(count: int, unit: int) -> int:
    return -(-count // unit) * unit
