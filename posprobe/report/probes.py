"""The page section of the `probe` measure."""

from collections.abc import Iterator
from typing import Any

from posprobe.analysis.probes import ProbesResult
from posprobe.figures.probes_features import feature_figures, feature_groups
from posprobe.figures.probes_layers import TOGETHER, layer_figures, layer_groups, layers_id
from posprobe.figures.probes_tracks import Asked, Track, by_question, tracks
from posprobe.figures.probes_words import PROBES, SCORES, target_words
from posprobe.figures.words import upper_first
from posprobe.report.probes_headline import best_lines, headline, left_out
from posprobe.report.probes_tables import feature_table, overview, score_table, stream_table
from posprobe.report.section import Block, Section
from posprobe.report.table import Table

COLUMNS = {
    "checkpoint": "the model",
    "condition": "`checkpoint`, or `random init` for the same architecture with random weights",
    "site": "hook name of the states",
    "layer": "layer, −1 for the token embedding; empty where there is no order of layers",
    "stream": "`ap` or `sem` for a stream of its own, `whole` for the whole state",
    "feature": "what of the state is read: `state`, `cosine`, `norm`, or several joined by `+`",
    "target": "what is read of a token",
    "probe": "`linear`, or `mlp` and `mlp-small` for networks with hidden layers",
    "metric": "`r2`, `nrmse` (root mean squared error / range of the target) and `pearson` for "
    "numbers, `macro_f1` and `accuracy` for classes",
    "quantity": "what `value` is: the score on held-out documents (`value`), the ends of its 95 % "
    "bootstrap interval over documents (`low`, `high`), the score of one seed of the probe "
    "(`by_seed`), a control (`shuffled`, `identity`), the score over that control "
    "(`selectivity_…`), or the ridge `penalty` per training token",
    "seed": "seed of the probe, from 0, for `by_seed`",
    "value": "the number; empty where it is undefined",
}
"""The columns of `probe.csv`; the JSON file adds how many tokens each probe saw."""


def probes_section(result: ProbesResult) -> Section:
    """Describe what a page says of a result of probes.

    Args:
        result: Scores by checkpoint, site, stream, feature and target.
    """
    return Section(
        measure="probe",
        title="Where which position can be read",
        headline=headline(result),
        what="A probe learns to tell something of a token, such as its place in the document, "
        "from the model's states, whose weights stay as they are. It learns from some documents "
        "and is examined on others.",
        reading="R² is the share of the target's variance that is read right: 1 is all of it, 0 is "
        "no better than its mean; for classes macro-F1 averages over the classes. Compare a score "
        "with its controls: what the token alone tells, what chance tells, and what the same "
        "architecture tells with random weights. Selectivity is the score over a control.",
        source="Targets and streams follow “Give it Space!” (arXiv 2605.30022), the features "
        "(cosine, norm) and the MLP “Position Information Emerges in Causal Transformers Without "
        "Positional Encodings” (arXiv 2501.00073). Controls and selectivity are after Hewitt and "
        "Liang (2019); the shuffle within documents and the intervals are ours.",
        limits="A probe shows that something can be read, not that the model uses it: for that, "
        "intervene. Random weights often let position through, so only what is above that line "
        "was learned. What a linear probe cannot read may be there in another form. The intervals "
        "cover the choice of test documents, not that of the training documents.",
        overview=overview(result),
        blocks=_blocks(result),
        columns=COLUMNS,
        glance=_glance(result),
    )


def _glance(result: ProbesResult) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for track in (track for lines in best_lines(result) for track in lines):
        name = f"{target_words(track.target).name}: {SCORES[track.best.headline.metric]}"
        numbers = found.setdefault(track.best.checkpoint, {})
        numbers[f"{name} where it is best"] = track.best.headline.value
        numbers[f"{name} in the last layer"] = track.last.headline.value
    return found


def _blocks(result: ProbesResult) -> tuple[Block, ...]:
    groups = _read(result)
    drawn = layer_groups(result)
    blocks = []
    for figure in layer_figures(result):
        own = [asked for asked in drawn if figure.id in (TOGETHER, layers_id(asked))]
        tables = _tables({asked: groups[asked] for asked in own})
        blocks.append(Block(figure=figure, tables=tables))
    features = feature_groups(result)
    for figure, lines in zip(feature_figures(result), features.values(), strict=True):
        blocks.append(Block(figure=figure, tables=(feature_table(lines),)))
    rest = {asked: lines for asked, lines in groups.items() if asked not in drawn | features}
    remark = " ".join((*left_out(result), *_notes(result.notes)))
    if rest or remark:
        blocks.append(Block(figure=None, tables=_tables(rest), remark=remark))
    return tuple(blocks)


def _notes(notes: dict[str, str]) -> Iterator[str]:
    for name, words in notes.items():
        what = PROBES.get(name) or target_words(name).name
        yield f"{upper_first(what)}: {words.rstrip('.')}."


def _read(result: ProbesResult) -> dict[Asked, tuple[Track, ...]]:
    """Return the lines of whole states by question, where there is any score."""
    groups = by_question(track for track in tracks(result) if track.feature == "state")
    return {
        asked: lines for asked, lines in groups.items() if any(track.defined for track in lines)
    }


def _tables(groups: dict[Asked, tuple[Track, ...]]) -> tuple[Table, ...]:
    found = []
    for lines in groups.values():
        if len({track.owner.stream for track in lines}) > 1:
            found.append(stream_table(lines))
        found.append(score_table(lines))
    return tuple(found)
