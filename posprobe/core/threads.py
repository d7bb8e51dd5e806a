"""How many threads a result was computed with."""

import os
import sys


def thread_count() -> int:
    """Return torch's threads; where nothing needed torch, those that it would start with.

    It is not imported for that: it takes longer than a table takes to be measured.
    """
    torch = sys.modules.get("torch")
    if torch is not None:
        return torch.get_num_threads()
    asked = os.environ.get("OMP_NUM_THREADS", "")
    if asked.isdecimal() and int(asked) > 0:
        return int(asked)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
