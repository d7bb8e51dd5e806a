"""How many threads Numba's loops have: those that torch has, not those of the machine."""

import numba
import torch
from numba.core import config


def as_many_as_torch() -> None:
    """Let Numba use as many threads as torch does."""
    wanted = torch.get_num_threads()
    most: int = config.NUMBA_NUM_THREADS  # pyright: ignore[reportAttributeAccessIssue]
    numba.set_num_threads(min(wanted, most))
    # Numba's threads are OpenMP's, and when they start they set how many torch has.
    torch.set_num_threads(wanted)
