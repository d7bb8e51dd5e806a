from typing import get_args

from posprobe.analysis import probe_features
from posprobe.analysis.probes import ProbeKind
from posprobe.pipeline import options


def test_the_names_on_the_command_line_are_those_of_the_measure():
    assert options.FEATURES == probe_features.FEATURES
    assert get_args(ProbeKind) == options.PROBES
