"""Splits the variance of a sum among its terms."""

import numpy as np
from jaxtyping import Float

_NOTHING = 1e-20
"""Variance below this part of the mean square is rounding in float64."""


def variance_shares(
    products: Float[np.ndarray, "*axes term term"], energy: Float[np.ndarray, "*axes"]
) -> tuple[Float[np.ndarray, "*axes _term"], Float[np.ndarray, "*axes _term"]]:
    """Return each term's share of the variance of the sum, and of the sum of variances.

    Args:
        products: Sums of products of the centred terms; the last row and column belong to
            the sum of the terms.
        energy: Sums of squares of the terms before centring, to tell nothing from little.

    Returns:
        Cov(term, sum) / Var(sum), which sums to 1 and may be negative; and
        Var(term) / Σ Var. NaN where there is no variance to share.

    >>> one_term_and_its_sum = np.array([[[2.0, 2.0], [2.0, 2.0]]])
    >>> variance_shares(one_term_and_its_sum, np.array([2.0]))[0].tolist()
    [[1.0]]
    """
    parts = np.diagonal(products, axis1=-2, axis2=-1)[..., :-1]
    whole, spread = products[..., -1, -1], parts.sum(axis=-1)
    return shares_of(products[..., :-1, -1], whole, energy), shares_of(parts, spread, energy)


def shares_of(
    parts: Float[np.ndarray, "*axes term"],
    whole: Float[np.ndarray, "*axes"],
    energy: Float[np.ndarray, "*axes"],
) -> Float[np.ndarray, "*axes term"]:
    """Divide parts of a variance by the whole; NaN where it is nothing but rounding.

    Args:
        parts: What the whole is the sum of.
        whole: The variance, in the units of the parts.
        energy: The mean square or the sum of squares that the variance is a part of.
    """
    defined = np.broadcast_to((whole > _NOTHING * energy)[..., None], parts.shape)
    nothing = np.full(parts.shape, np.nan)
    return np.divide(parts, whole[..., None], out=nothing, where=defined)
