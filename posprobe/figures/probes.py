"""Figures of the `probe` measure."""

from posprobe.analysis.probes import ProbesResult
from posprobe.figures.description import Figure
from posprobe.figures.probes_features import feature_figures
from posprobe.figures.probes_layers import layer_figures


def probes_figures(result: ProbesResult) -> tuple[Figure, ...]:
    """Describe the figures of a result of probes.

    Args:
        result: Scores by checkpoint, site, stream, feature and target.

    Returns:
        The scores by layer, and the scores by feature of targets that are read from more than
        whole states.
    """
    return (*layer_figures(result), *feature_figures(result))
