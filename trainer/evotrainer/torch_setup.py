"""One thread and deterministic kernels: only so do two runs of a job end in the same bytes."""

import torch


def prepare_torch() -> None:
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    torch.set_flush_denormal(True)
