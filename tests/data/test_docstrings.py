import gc

import pytest

from posprobe.data.docstrings import docstrings

SOURCE = '''
"""The module."""

class Outer:
    """Outer class.

        Deeper.
    Back.
    """

    def method(self):
        "A method."
        def hidden():
            """Not read."""

    class Inner:
        """Inner class."""

try:
    async def wait():
        """Waits."""
except ImportError:
    pass
else:
    if True:
        def rare():
            """Is rare."""

add_newdoc("package", "name", """
    Attached text.
    """)
module.add_docstr(thing, r"""Text with {0}.""".format("holes"))
print("""Not a docstring.""")
'''


def _read(tmp_path, source):
    path = tmp_path / "a.py"
    path.write_bytes(source if isinstance(source, bytes) else source.encode())
    return list(docstrings(path))


def test_docstrings_come_in_file_order(tmp_path):
    assert _read(tmp_path, SOURCE) == [
        "The module.",
        "Outer class.\n\n    Deeper.\nBack.",
        "A method.",
        "Inner class.",
        "Waits.",
        "Is rare.",
        "Attached text.",
        "Text with {0}.",
    ]


def test_nothing_is_run(tmp_path):
    assert _read(tmp_path, '"""Safe."""\nraise SystemExit') == ["Safe."]


@pytest.mark.parametrize(
    "source", ["", "x = 1", '"""open', 'print "old" """', b'"""\xff"""', b'"""\x00"""']
)
def test_what_is_no_python_has_none(tmp_path, source):
    assert _read(tmp_path, source) == []


@pytest.mark.parametrize("on", [True, False])
def test_the_collector_is_left_as_it_was(tmp_path, on):
    (gc.enable if on else gc.disable)()
    try:
        _read(tmp_path, '"""Text."""')
        _read(tmp_path, '"""open')
        assert gc.isenabled() is on
    finally:
        gc.enable()
