"""A document with its paragraphs and sentences, and where each stands in the text."""

from dataclasses import dataclass, field

from posprobe.data.annotation import Annotation


@dataclass(frozen=True, kw_only=True)
class SentenceSpan:
    """Where one sentence stands.

    Attributes:
        start: First character in the document's text.
        end: One more than the last character.
        paragraph: Paragraph of the document, from 0.
        sentence: Sentence of the document, from 0.
        within: Sentence of its paragraph, from 0.
    """

    start: int
    end: int
    paragraph: int
    sentence: int
    within: int


@dataclass(frozen=True)
class Document:
    r"""A text that knows its paragraphs and sentences.

    Attributes:
        paragraphs: Sentences of each paragraph, in order.
        title: Printed as a line of its own before the first paragraph, of which it is
            no part. Empty: no title.
        name: What to call the document in messages: an id, a file, a line.
        annotation: What a treebank says of its words. None: nothing was read.

    >>> Document((("Yes.", "No."), ("Perhaps.",))).text
    'Yes. No.\n\nPerhaps.'
    """

    paragraphs: tuple[tuple[str, ...], ...]
    title: str = field(default="", kw_only=True)
    name: str = field(default="", kw_only=True)
    annotation: Annotation | None = field(default=None, kw_only=True, compare=False, repr=False)

    @property
    def text(self) -> str:
        """The title, if any, and the paragraphs, with an empty line between any two."""
        blocks = [" ".join(sentences) for sentences in self.paragraphs]
        return "\n\n".join([self.title, *blocks] if self.title else blocks)

    def spans(self) -> tuple[SentenceSpan, ...]:
        """Return where each sentence stands in `text`; the title has no span.

        >>> [(span.start, span.end) for span in Document((("Yes.", "No."),)).spans()]
        [(0, 4), (5, 8)]
        """
        spans = []
        start = len(self.title) + 2 if self.title else 0
        for paragraph, sentences in enumerate(self.paragraphs):
            for within, sentence in enumerate(sentences):
                spans.append(
                    SentenceSpan(
                        start=start,
                        end=start + len(sentence),
                        paragraph=paragraph,
                        sentence=len(spans),
                        within=within,
                    )
                )
                start += len(sentence) + 1
            # One space has been counted after the last sentence; an empty line is two signs.
            start += 1 if sentences else 2
        return tuple(spans)
