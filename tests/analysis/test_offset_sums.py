import numpy as np
import torch

from posprobe.analysis.offset_sums import offset_sums


def test_every_diagonal_is_summed_with_leading_axes():
    matrices = torch.randn(2, 3, 5, 5, dtype=torch.float64, generator=torch.manual_seed(0))
    found = offset_sums(matrices).numpy()
    assert found.shape == (2, 3, 9)
    for offset in range(-4, 5):
        expected = np.trace(matrices.numpy(), offset, axis1=2, axis2=3)
        np.testing.assert_allclose(found[..., offset + 4], expected, rtol=1e-12)
