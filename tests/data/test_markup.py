from inspect import cleandoc

from posprobe.data.markup import prose_blocks


def _blocks(text):
    return list(prose_blocks(cleandoc(text)))


def test_numpy_style():
    assert _blocks(
        """Add two
        numbers.

        Longer text.

        Parameters
        ----------
        a, b : int, optional
            The first
            and the second.

            A further paragraph.
        out
            The result.

        See Also
        --------
        sub : The other way round.

        Notes
        -----
        It is fast.

        References
        ----------
        .. [1] A. Author, "A book".
        """
    ) == [
        "Add two numbers.",
        "Longer text.",
        "The first and the second.",
        "A further paragraph.",
        "out",
        "The result.",
        "It is fast.",
    ]


def test_google_and_sphinx_style():
    assert _blocks(
        """Add.

        Args:
            a (int, *optional*): The first
                of them.
            b: The second.
        Examples:
            Call it.

            Twice.
        Returns:
            The sum.

        :param str x: What
            to say.
        :returns: Nothing.
        """
    ) == [
        "Add.",
        "The first of them.",
        "The second.",
        "The sum.",
        "What to say.",
        "Nothing.",
    ]


def test_code_is_left_out():
    assert _blocks(
        """Text.

        >>> f(x)
        3

        With more text, too::

            code here

            and here

        Then

        .. code-block:: python

            x = 1

        ```python
        fenced()
        ```
        The end.
        """
    ) == ["Text.", "With more text, too:", "Then", "The end."]


def test_admonitions_are_kept_and_other_directives_are_not():
    assert _blocks(
        """.. note:: Mind
            the gap.

        .. warning::

            Hot.

        .. versionadded:: 1.5
            Not before.

        .. [1] A book.
        .. _target:
        Text.
        """
    ) == ["Mind the gap.", "Hot.", "Text."]


def test_tables_and_rules_are_left_out():
    assert _blocks(
        """Before.

        ===== =====
        ===== =====

        +-----+
        | a   |
        +-----+
        ------
        After.
        """
    ) == ["Before.", "After."]


def test_lists_and_indented_lines():
    assert _blocks(
        """First line
           goes on
           Here.

        - One
          item.
        - Another.
        1. Numbered
        line.
        Back.
        """
    ) == [
        "First line goes on Here.",
        "One item.",
        "Another.",
        "Numbered line.",
        "Back.",
    ]
