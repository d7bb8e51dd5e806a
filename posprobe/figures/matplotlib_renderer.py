"""Figures drawn by Matplotlib: PNG, SVG and PDF files, and pages without JavaScript."""

import hashlib
import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure as Canvas

from posprobe.core.errors import UserError
from posprobe.core.files import atomic_path
from posprobe.figures.description import Figure
from posprobe.figures.grid import grid
from posprobe.figures.matplotlib_keys import add_keys, key_height, scale_width
from posprobe.figures.matplotlib_marks import draw_panel
from posprobe.figures.theme import CSS, LIGHT, Theme

FORMATS = ("png", "svg", "pdf")
"""Files that can be written."""

_INCH = 96.0

PRINTED = 672
"""Width of a figure in a file, in pixels of 1/96 inch: 7 inches, the text of a printed page."""
_STYLE: dict[str, Any] = {
    "font.family": ["sans-serif"],
    "font.size": 8.5,
    "axes.linewidth": 0.6,
    "axes.titlesize": 8.5,
    "axes.titlelocation": "left",
    "axes.labelsize": 8.5,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "xtick.minor.size": 0,
    "ytick.minor.size": 0,
    # Names of checkpoints may hold a dollar sign and are not mathematics.
    "text.parse_math": False,
    "svg.fonttype": "none",
}


def draw(figure: Figure, *, theme: Theme = LIGHT, width: int = 760, keys: bool = True) -> Canvas:
    """Draw a figure that stands alone.

    Args:
        figure: What to draw.
        theme: Colours.
        width: Width in pixels of 1/96 inch.
        keys: Whether to draw the key and the colour scales.
    """
    top = key_height(figure) if keys else 0
    right = scale_width(figure) if keys else 0
    cells, height = grid(figure, columns=figure.columns, width=width - right)
    with _style(figure.id):
        size = (width / _INCH, (height + top) / _INCH)
        canvas = Canvas(figsize=size, dpi=_INCH)
        FigureCanvasAgg(canvas)
        for cell in cells:
            place = (cell.left, height - cell.bottom, cell.right - cell.left, figure.height)
            scale = (width, height + top) * 2
            draw_panel(canvas.add_axes(tuple(np.divide(place, scale))), cell, theme)
        if keys:
            add_keys(canvas, figure, theme)
    return canvas


def save(figure: Figure, path: Path, *, theme: Theme = LIGHT, dpi: int = 300) -> Path:
    """Write a figure to a PNG, SVG or PDF file 7 inches wide, whole or not at all.

    Args:
        figure: What to draw.
        path: Where; its suffix names the format.
        theme: Colours.
        dpi: Pixels per inch of a PNG.

    Raises:
        UserError: If the suffix names no known format.
    """
    kind = path.suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        known = ", ".join(f".{name}" for name in FORMATS)
        raise UserError(f"cannot write figure {str(path)!r}: choose a suffix among {known}")
    canvas = draw(figure, theme=theme, width=PRINTED)
    with atomic_path(path) as temporary, _style(figure.id):
        canvas.savefig(
            temporary,
            format=kind,
            dpi=dpi,
            facecolor=theme["paper"],
            # No dates: the same figure gives the same bytes.
            metadata={"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind],
        )
    return path


def svg(figure: Figure, *, width: int = 760) -> str:
    """Return a figure as an SVG element whose colours follow the page around it.

    It has no key, no declaration and no outside reference, and may stand inside HTML.

    Args:
        figure: What to draw.
        width: Width in pixels.
    """
    canvas = draw(figure, width=width, keys=False)
    FigureCanvasSVG(canvas)
    buffer = io.StringIO()
    with _style(figure.id):
        canvas.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    return _inline(buffer.getvalue(), figure)


@contextmanager
def _style(salt: str) -> Iterator[None]:
    # The salt keeps the ids of two figures on one page apart, and equal from run to run.
    settings: dict[Any, Any] = {**_STYLE, "svg.hashsalt": salt}
    with mpl.rc_context(settings), warnings.catch_warnings():
        # A glyph that the font lacks is drawn as a box; that is no reason to stop.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def _inline(text: str, figure: Figure) -> str:
    text = text[text.index("<svg") :]
    for noise in _NOISE:
        text = noise.sub("", text)
    text = re.sub(r'\b(?:d|x|y|transform)="[^"]*"', _round, text)
    # The page sets the fonts; the list of families in every text would double its size.
    text = re.sub(r"font: ([0-9.]+px)[^;\"]*", r"font-size: \1", text)
    for role, colour in LIGHT.colours.items():
        text = text.replace(colour, CSS[role])
    text = re.sub(r"\s*\n\s*", " ", text)
    head, body = text.split(">", 1)
    head = re.sub(r' (?:width|height|version)="[^"]*"', "", head)
    role = f' role="img" aria-labelledby="{figure.id}-alt"'
    return f"{head}{role}>{_share_styles(body)}"


_NOISE = (
    re.compile(r"<metadata>.*?</metadata>", flags=re.DOTALL),
    re.compile(r"<!--.*?-->", flags=re.DOTALL),
    re.compile(r'\s+xmlns(:\w+)?="[^"]*"'),
    re.compile(r'(?<=<g) id="[^"]*"'),
    re.compile(r' transform="rotate\(-?0 [^"]*"'),
)


def _round(attribute: re.Match[str]) -> str:
    # One decimal of a pixel is finer than any screen, and halves the page.
    return re.sub(r"([.][0-9])[0-9]+", r"\1", attribute[0])


def _share_styles(body: str) -> str:
    # Matplotlib repeats a style at every mark; a class of its own hash needs saying once.
    styles = sorted(set(re.findall(r' style="([^"]*)"', body)))
    rules = []
    for style in styles:
        name = "m" + hashlib.sha256(style.encode()).hexdigest()[:6]
        body = body.replace(f' style="{style}"', f' class="{name}"')
        rules.append(f".{name}{{{style}}}")
    return f"<style>{''.join(rules)}</style>{body}"
