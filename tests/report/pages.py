"""Reading a page as a browser would: its elements, tables and scripts."""

from html.parser import HTMLParser


class Page(HTMLParser):
    """The parts of a page that tests ask about."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.tags, self.scripts = [], [], []
        self.tables, self.text = [], []
        self._inside = None
        self._cell = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag in ("script", "style"):
            self._inside = tag
            if tag == "script":
                self.scripts.append([attributes, ""])
        if tag == "table":
            self.tables.append({"caption": "", "rows": []})
        if tag == "tr":
            self.tables[-1]["rows"].append([])
        if tag in ("td", "th"):
            self.tables[-1]["rows"][-1].append("")
            self._cell = "cell"
        if tag == "caption":
            self._cell = "caption"

    def handle_endtag(self, tag):
        if tag in ("script", "style"):
            self._inside = None
        if tag in ("td", "th", "tr", "table", "caption", "thead", "tbody"):
            self._cell = None

    def handle_data(self, data):
        if self._inside == "script":
            self.scripts[-1][1] += data
        if self._inside is None:
            self.text.append(data)
        if self._cell == "caption":
            self.tables[-1]["caption"] += data
        if self._cell == "cell":
            self.tables[-1]["rows"][-1][-1] += data.strip()

    def table(self, words):
        """Return the first table whose caption holds these words, as a list of dicts."""
        table = next(table for table in self.tables if words in table["caption"])
        head, *rows = table["rows"]
        return [dict(zip(head, row, strict=True)) for row in rows]


def number(text):
    """Read a number as the page writes it."""
    return float(text.replace("−", "-").replace(",", ""))
