"""One measure on a page: what is said, of whom, and under which anchors."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from posprobe.core.provenance import Provenance
from posprobe.report.section import Block, Section


@dataclass(frozen=True, kw_only=True)
class Part:
    """One measure on a page.

    Attributes:
        section: What is said.
        provenance: Where its numbers come from.
        key: Its anchor, and the name of its data files without their ending.
        name: Whose it is, where a page has the measure of several checkpoints; else empty.
    """

    section: Section
    provenance: Provenance
    key: str
    name: str = ""

    def blocks(self) -> Iterator[Block]:
        """Go through the blocks, their figures named after the key.

        Figures of one measure have the same names for every checkpoint; anchors must not.
        """
        measure = self.section.measure
        for block in self.section.blocks:
            if block.figure is None or self.key == measure:
                yield block
            else:
                rest = block.figure.id.removeprefix(f"{measure}-")
                yield replace(block, figure=replace(block.figure, id=f"{self.key}-{rest}"))
