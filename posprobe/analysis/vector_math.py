"""Exponentials and logarithms that a compiler turns into vector instructions.

A call to the mathematics library takes one number at a time, which is most of the time that a
softmax takes. These are plain arithmetic, so that a loop around them takes several numbers at a
time. All are right to the last bits of float64; tests hold them to NumPy's.
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
_ONE_BITS = 1023 << 52
_ROOT_HALF_BITS = int(np.float64(math.sqrt(0.5)).view(np.int64))
_ALL_BUT_SIGN = (1 << 63) - 1
_FACTORIALS = tuple(1.0 / math.factorial(k) for k in range(13, -1, -1))
_ODDS = tuple(2.0 / k for k in range(19, 0, -2))
_CONTRACT = {"contract"}


# `no_type_check` keeps the shape checker of the tests out of what the compiler reads.


@njit(cache=True, nogil=True, fastmath=_CONTRACT)
@no_type_check
def exponential(value):
    """Return the exponential of a number up to 0."""
    value = max(value, _LEAST)
    shifted = np.float64(value * _LOG2E + _SHIFT)
    twos = shifted - _SHIFT
    rest = (value - twos * _LN2_HIGH) - twos * _LN2_LOW
    power = 0.0
    for factor in _FACTORIALS:
        power = power * rest + factor
    return power * np.int64((shifted.view(np.int64) << 52) + _ONE_BITS).view(np.float64)


# A look at whether a divisor is zero, which none is, would keep a loop from becoming vectors.
@njit(cache=True, nogil=True, fastmath=_CONTRACT, error_model="numpy")
@no_type_check
def logarithm(value):
    """Return the logarithm of a number from 1e-300."""
    bits = np.float64(value).view(np.int64)
    # As 2ᵗ · m, with m between √½ and √2.
    twos = (bits - _ROOT_HALF_BITS) >> 52
    rest = np.int64(bits - (twos << 52)).view(np.float64)
    ratio = (rest - 1.0) / (rest + 1.0)
    square = ratio * ratio
    series = 0.0
    for factor in _ODDS:
        series = series * square + factor
    return twos * _LN2_HIGH + (twos * _LN2_LOW + series * ratio)


@njit(cache=True, nogil=True)
@no_type_check
def largest(values, row, size):
    """Return the largest of the first numbers of a row."""
    # Bits of floats, with those below zero turned round, are in order as whole numbers, and of
    # whole numbers a compiler takes the largest several at a time.
    top = np.int64(-_ALL_BUT_SIGN)
    for i in range(size):
        bits = np.float64(values[row, i]).view(np.int64)
        top = max(top, bits ^ ((bits >> 63) & _ALL_BUT_SIGN))
    return np.int64(top ^ ((top >> 63) & _ALL_BUT_SIGN)).view(np.float64)
