"""Where a training runs: one process or many, on what is there."""

import os
from contextlib import AbstractContextManager, nullcontext

import torch
from accelerate import Accelerator, DistributedDataParallelKwargs
from accelerate.state import AcceleratorState
from torch.nn.attention import SDPBackend, sdpa_kernel

from posprobe.core.errors import UserError
from posprobe.models.config import DecoderConfig, EncoderConfig
from posprobe.training.config import TrainConfig

_RANKS = ("LOCAL_RANK", "WORLD_SIZE", "PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE")


def make_accelerator(config: TrainConfig) -> Accelerator:
    """Join the processes that `accelerate launch` or `torchrun` started, if there are any.

    Raises:
        UserError: If the launcher was asked for several processes and started one.
    """
    _refuse_lone_process()
    if config.threads:
        torch.set_num_threads(config.threads)
    # accelerate keeps the precision of the first training in this process for all that follow.
    AcceleratorState._reset_state()
    # Left to itself on a machine without accelerators, it would not join the processes.
    cpu = config.device == "cpu" or not torch.accelerator.is_available()
    handler = DistributedDataParallelKwargs(find_unused_parameters=_has_idle_norm(config.model))
    return Accelerator(cpu=cpu, mixed_precision=config.mixed_precision, kwargs_handlers=[handler])


def fast_attention(accelerator: Accelerator) -> AbstractContextManager[object]:
    """Choose the attention kernels that a forward pass with gradients is fastest with.

    In bfloat16 on a CPU the fused kernel's backward pass takes six times as long as that of plain
    matrix products, and more than all the rest of a small model.
    """
    if accelerator.device.type == "cpu" and accelerator.mixed_precision == "bf16":
        return sdpa_kernel(SDPBackend.MATH)
    return nullcontext()


def _has_idle_norm(model: EncoderConfig | DecoderConfig) -> bool:
    """Tell whether the position stream ends in a norm that no head reads."""
    return isinstance(model, EncoderConfig) and model.position == "dstg" and model.head == "sem"


def _refuse_lone_process() -> None:
    # With --cpu and no MPI, `accelerate launch --num_processes 2` starts one process and says
    # nothing; only the address of the others' meeting point tells that there were to be more.
    alone = not any(name in os.environ for name in _RANKS)
    if alone and "ACCELERATE_USE_CPU" in os.environ and "MASTER_PORT" in os.environ:
        raise UserError(
            "accelerate launch started one process where several were asked for, as its --cpu does "
            "without MPI; use --multi_gpu instead of --cpu, with --set device=cpu"
        )
