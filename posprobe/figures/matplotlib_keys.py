"""Keys and colour scales of a figure drawn by Matplotlib."""

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from posprobe.figures.description import Figure, Key
from posprobe.figures.grid import shorten
from posprobe.figures.marks import Bars, Line, Rule, Scale, Scatter
from posprobe.figures.matplotlib_marks import DASHES, MARKERS, colormap, limits
from posprobe.figures.theme import Theme

_SCALE = 60


def key_height(figure: Figure) -> int:
    """Return the room a figure's key needs above the panels, in pixels."""
    keys = figure.legend()
    return 8 + 17 * -(-len(keys) // _key_columns(keys)) if keys else 0


def scale_width(figure: Figure) -> int:
    """Return the room a figure's colour scales need beside the panels, in pixels."""
    return sum(_SCALE + (50 if scale.classes else 0) for scale in figure.scales())


def add_keys(canvas: Canvas, figure: Figure, theme: Theme) -> None:
    """Draw the key above the panels and the colour scales to their right.

    Args:
        canvas: A figure whose panels are drawn.
        figure: Its description.
        theme: Colours.
    """
    keys = figure.legend()
    if keys:
        canvas.legend(
            [_handle(key, theme) for key in keys],
            # Matplotlib drops names that start with an underscore.
            [shorten("\u200b" + key.label, limit=48) for key in keys],
            loc="upper left",
            borderaxespad=0,
            ncols=_key_columns(keys),
            frameon=False,
            labelcolor=theme["ink"],
            fontsize=8,
        )
    width, height = canvas.get_size_inches() * canvas.dpi
    left = width - scale_width(figure) + 6
    for scale in figure.scales():
        box = (left / width, 0.45 - 30 / height, 10 / width, 0.5)
        _colour_bar(canvas, canvas.add_axes(box), scale, theme)
        left += _SCALE + (50 if scale.classes else 0)


def _key_columns(keys: tuple[Key, ...]) -> int:
    longest = max(len(shorten(key.label, limit=48)) for key in keys)
    return max(1, min(len(keys), 105 // (longest + 6)))


def _handle(key: Key, theme: Theme) -> Artist:
    colour = theme[key.role]
    match key:
        case Bars():
            return Patch(color=colour)
        case Line():
            marker = MARKERS[key.shape] if key.shape else ""
            lw = 0.6 if key.thin else 1.2
            return Line2D([], [], color=colour, ls=DASHES[key.dash], marker=marker, ms=3.5, lw=lw)
        case Rule():
            return Line2D([], [], color=colour, ls=DASHES[key.dash], lw=0.9)
        case Scatter():
            fill = colour if key.filled else "none"
            marker = MARKERS[key.shape]
            return Line2D([], [], color=colour, ls="", marker=marker, ms=4.5, mfc=fill)


def _colour_bar(canvas: Canvas, ax: Axes, scale: Scale, theme: Theme) -> None:
    mappable = ScalarMappable(Normalize(*limits(scale)), colormap(scale, theme))
    bar = canvas.colorbar(mappable, cax=ax)
    ax.spines[:].set_visible(False)
    bar.set_label(scale.label, color=theme["muted"])
    ax.tick_params(which="both", colors=theme["muted"])
    if scale.classes:
        bar.set_ticks(list(range(len(scale.classes))), labels=list(scale.classes))
