"""The figures of a report, read from its HTML as text."""
import html.parser

VOID = ("meta", "link", "input", "wbr")
SHAPES = ("line", "circle", "polyline", "path", "rect")


class Page(html.parser.HTMLParser):
    """Figures with their marks and texts. Every element must be closed in its order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.figures, self.addresses, self.texts, self.shapes = [], [], [], [], []
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag not in VOID:
            self.open.append(tag)
        self.addresses += [attributes[name] for name in ("src", "href") if name in attributes]
        if tag in SHAPES:
            self.shapes.append((tag, attributes))
        if tag == "figure":
            self.figures.append({**attributes, "marks": [], "text": ""})
        elif self.figures and "m" in attributes.get("class", "").split():
            self.figures[-1]["marks"].append((tag, attributes))

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open and self.open[-1] == tag, (tag, self.open)
            self.open.pop()

    def handle_data(self, data):
        self.texts.append(data)
        if "figure" in self.open:
            self.figures[-1]["text"] += data

    def of(self, kind):
        return [figure for figure in self.figures if kind in figure["class"].split()]
