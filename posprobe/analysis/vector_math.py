"""Exponentials and logarithms in loops that a compiler turns into vector instructions.

A call to the mathematics library takes one number at a time, which is most of the time that a
softmax takes. Both are right to the last bits of float64; tests hold them to NumPy's.
"""

import math
from typing import no_type_check

import numpy as np
from numba import njit

_LOG2E = 1 / math.log(2.0)
# ln 2 as a sum whose first part has zeros at the end, so that small multiples of it are exact.
_LN2_HIGH = float.fromhex("0x1.62e42feep-1")
_LN2_LOW = float.fromhex("0x1.a39ef35793c76p-33")
_LEAST = -708.0
"""Below this, an exponential would have fewer digits than others; it is as good as zero."""
_SHIFT = 1.5 * 2.0**52
"""What is added to this loses its fraction, and stands in the last bits as a whole number."""
_SHIFT_BITS = int(np.float64(_SHIFT).view(np.int64))
_ONE_BITS = 1023 << 52
_ROOT_HALF_BITS = int(np.float64(math.sqrt(0.5)).view(np.int64))
_FACTORIALS = tuple(1.0 / math.factorial(k) for k in range(13, -1, -1))
_ODDS = tuple(2.0 / k for k in range(23, 0, -2))
_CONTRACT = {"contract"}


# `no_type_check` keeps the shape checker of the tests out of what the compiler reads.


@njit(cache=True, nogil=True, fastmath=_CONTRACT)
@no_type_check
def exponentials(values, size, out, work, bits):
    """Write the exponentials of numbers up to 0.

    Args:
        values: The numbers.
        size: How many of them.
        out: Where to.
        work: Room for as many numbers.
        bits: The same room as whole numbers.
    """
    for i in range(size):
        value = max(values[i], _LEAST)
        work[i] = value * _LOG2E + _SHIFT
        twos = work[i] - _SHIFT
        rest = (value - twos * _LN2_HIGH) - twos * _LN2_LOW
        power = 0.0
        for factor in _FACTORIALS:
            power = power * rest + factor
        out[i] = power
    for i in range(size):
        bits[i] = (bits[i] << 52) + _ONE_BITS
    for i in range(size):
        out[i] *= work[i]


# A look at whether a divisor is zero, which none is, would keep the loop from becoming vectors.
@njit(cache=True, nogil=True, fastmath=_CONTRACT, error_model="numpy")
@no_type_check
def logarithms(values, size, out, work, bits):
    """Write the logarithms of numbers above 1e-300; the arguments are those of `exponentials`."""
    for i in range(size):
        work[i] = values[i]
    for i in range(size):
        # As 2ᵗ · m, with m between √½ and √2.
        twos = (bits[i] - _ROOT_HALF_BITS) >> 52
        out[i] = twos
        bits[i] -= twos << 52
    for i in range(size):
        ratio = (work[i] - 1.0) / (work[i] + 1.0)
        square = ratio * ratio
        series = 0.0
        for factor in _ODDS:
            series = series * square + factor
        twos = out[i]
        out[i] = twos * _LN2_HIGH + (twos * _LN2_LOW + series * ratio)
