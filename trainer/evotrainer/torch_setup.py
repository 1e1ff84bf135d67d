"""One thread and deterministic kernels: only so do two runs of a job end in the same bytes."""

import torch


def prepare_torch() -> None:
    torch.set_num_threads(1)
    # Says the same as use_deterministic_algorithms(True) without importing the compiler.
    torch.set_deterministic_debug_mode("error")
    # Nothing here reads what it has not written; filling every new tensor costs one part in twenty.
    torch.utils.deterministic.fill_uninitialized_memory = False
    torch.set_flush_denormal(True)
