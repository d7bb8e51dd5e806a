"""Where sentences end, in formats that do not mark them."""


def split_sentences(paragraph: str) -> tuple[str, ...]:
    """Split an English paragraph into sentences, without the white space between them.

    By `sentencex`, whose rules know abbreviations, initials, numbers and quotations.

    Args:
        paragraph: Text without empty lines.

    >>> split_sentences("It costs $3.50, e.g. at Smith & Co. in York. Is that dear?")
    ('It costs $3.50, e.g. at Smith & Co. in York.', 'Is that dear?')
    """
    # Loaded here, since most commands read no text.
    from sentencex import segment  # pyright: ignore[reportAttributeAccessIssue]  # compiled

    sentences = []
    sentence = ""
    for part in segment("en", paragraph):
        sentence += part
        # No sentence ends inside a word, such as `numpy.ndarray`.
        if part[-1:].isspace():
            sentences.append(sentence.strip())
            sentence = ""
    return tuple(found for found in (*sentences, sentence.strip()) if found)
