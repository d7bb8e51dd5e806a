"""What a page carries packed: too long to be read, unpacked by the page when it is wanted."""

import base64
import gzip
import json
from functools import cache
from typing import Any

from plotly.offline import get_plotlyjs, get_plotlyjs_version


def packed(text: str) -> str:
    """Return a text as gzip in base64; the same text gives the same letters.

    >>> gzip.decompress(base64.b64decode(packed("abc")))
    b'abc'
    """
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def packed_values(values: dict[str, Any]) -> str:
    """Return plain values as JSON, packed."""
    return packed(json.dumps(values, ensure_ascii=False, allow_nan=False, separators=(",", ":")))


@cache
def packed_plotly() -> str:
    """Return Plotly's script packed: 2 MB in place of 5."""
    return packed(get_plotlyjs())


def plotly_name() -> str:
    """Return Plotly's name, version and licence, which a copy must carry."""
    return f"plotly.js v{get_plotlyjs_version()} (MIT licence, © Plotly, Inc.)"
