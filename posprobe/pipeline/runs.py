"""Running measures on the checkpoints that they apply to."""

from collections.abc import Iterator, Sequence
from typing import Any

from posprobe.core.errors import UserError
from posprobe.data.corpora import open_corpus
from posprobe.pipeline.applying import APPLIED, Facts, facts_of, options_for
from posprobe.pipeline.opening import short_names
from posprobe.pipeline.progress import Progress
from posprobe.pipeline.report_options import ReportOptions
from posprobe.pipeline.tokens import GENERATED, RANDOM
from posprobe.report.report import Report


class Runs:
    """Runs measures on checkpoints and keeps why some were left out."""

    def __init__(self, refs: Sequence[str], chosen: ReportOptions, progress: Progress) -> None:
        """Open each checkpoint and the corpus, so that a mistake costs no time.

        Args:
            refs: The checkpoints.
            chosen: The options of the page.
            progress: Shows how far the work is.

        Raises:
            UserError: If a checkpoint or the corpus is not to be had.
        """
        self._facts = [facts_of(ref, chosen) for ref in refs]
        if chosen.corpus not in (None, GENERATED, RANDOM):
            next(open_corpus(chosen.corpus)[1], None)
        self._names = dict(zip(refs, short_names(list(refs)), strict=True))
        self._chosen, self._progress = chosen, progress
        self.left_out: list[str] = []

    def of(self, measure: str) -> Iterator[Report]:
        """Run one measure on every checkpoint that it applies to.

        Args:
            measure: One of `MEASURES`.
        """
        applied = APPLIED[measure]
        fit = [facts for facts in self._facts if self._applies(measure, facts)]
        groups = [fit] if applied.together and fit else [[facts] for facts in fit]
        for group in groups:
            options = options_for(measure, self._chosen)
            if not applied.together:
                options |= applied.extra(group[0], self._chosen)
            try:
                refs = [facts.ref for facts in group]
                yield applied.run(*refs, progress=self._progress, **options)
            except UserError as error:
                self._leave_out(measure, group, str(error))

    def plan(self) -> dict[str, Any]:
        """Return for each checkpoint which measures would run, and why others would not."""
        facts = {}
        for measure in self._chosen.chosen_measures():
            for item in self._facts:
                obstacle = APPLIED[measure].obstacle(item)
                words = f"left out, since {obstacle}" if obstacle else "runs"
                facts[f"{measure} of {self._names[item.ref]}"] = words
        return facts

    def _applies(self, measure: str, facts: Facts) -> bool:
        obstacle = APPLIED[measure].obstacle(facts)
        if obstacle is not None:
            self._leave_out(measure, [facts], obstacle)
        return obstacle is None

    def _leave_out(self, measure: str, group: list[Facts], reason: str) -> None:
        names = ", ".join(self._names[facts.ref] for facts in group)
        self.left_out.append(f"Left out: {measure} of {names}, since {reason.rstrip('.')}.")
