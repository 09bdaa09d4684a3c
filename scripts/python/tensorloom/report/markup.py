"""Tables, bars and figures as HTML. Text is HTML and shapes are inline SVG in percent, so that a page has readable letters at
any width. A chart of a table has a mark (class m) per row and says so in data-rows and data-csv."""
import html
import json
import math

from tensorloom.palette import COLOURS, GREY
from tensorloom.quantities import number_text

CLASSES = {colour: f"k{place}" for place, colour in enumerate(COLOURS)} | {GREY: "kg"}
LEAST_IN_UNIT = 0.001


def escape(text):
    return html.escape(str(text), quote=True)


def bytes_of(page):
    """A page as written. Text that is no Unicode, half of a surrogate pair, becomes a question mark."""
    return page.encode("utf-8", errors="replace")


def name_text(text):
    """A name that may break after its dots and underscores."""
    return escape(text).replace("_", "_<wbr>").replace(".", ".<wbr>")


def colour_class(colour):
    """CSS class of a colour of the palette."""
    return CLASSES[colour]


def short(value):
    """A coordinate in its shortest form."""
    return f"{value:.7g}"


def percent(share):
    return f"{short(100 * share)}%"


def figure(kind, title, body, note="", source="", rows=None, per_mark=1):
    """source: the file whose rows are the marks."""
    data = f' data-csv="{escape(source)}" data-rows="{rows}" data-per-mark="{per_mark}"' if source else ""
    below = f"<p class=note>{escape(note)}</p>" if note else ""
    return f"<figure class=\"{kind}\"{data}><figcaption>{escape(title)}</figcaption>{body}{below}</figure>\n"


def json_script(data):
    """The data of page.js. No text in it ends the script, or begins a comment or another script in it."""
    text = json.dumps(data, separators=(",", ":")).replace("<", chr(92) + "u003c")
    return f'<script type="application/json">{text}</script>'


def table(rows, headings=(), kind="facts"):
    """rows: texts; the first of each row is its heading."""
    columns = "".join(f"<th scope=col>{escape(text)}</th>" for text in headings)
    head = f"<thead><tr>{columns}</tr></thead>" if headings else ""
    body = "".join(f"<tr><th scope=row>{escape(name)}</th>" + "".join(f"<td>{escape(text)}</td>" for text in cells) + "</tr>"
                   for name, *cells in rows)
    return f"<div class=scroll><table class={kind}>{head}<tbody>{body}</tbody></table></div>\n"


def answer_block(question, lines):
    """A question, and the lines of its answer; "" without both."""
    asked = f"<p class=question>{escape(question)}</p>" if question else ""
    return asked + (f"<ul class=answer>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>" if lines else "") + "\n"


def bar_row(name, parts, text, whole, more=""):
    """parts: (value, colour) from left to right, of which `whole` fills the room."""
    left, rectangles = 0.0, []
    for value, colour in parts:
        share = value / whole if whole > 0 and math.isfinite(value) else 0.0
        rectangles.append(f'<rect class={colour_class(colour)} x="{percent(left)}" width="{percent(share)}" height="100%"/>')
        left += share
    return (f"<div class=\"bar m\"{more}><span class=name>{name_text(name)}</span><svg aria-hidden=true>{''.join(rectangles)}</svg>"
            f"<span class=value>{escape(text)}</span></div>")


def value_text(value, scale):
    """Text in the unit of the chart."""
    if not math.isfinite(value):
        return "-"
    if scale.base == "1":
        return number_text(value, 6)
    return f"< {scale.text(LEAST_IN_UNIT * scale.divisor)}" if 0 < scale(value) < LEAST_IN_UNIT else scale.text(value)


def bars(entries, scale):
    """entries: (name, value, colour, text after the value); all in one unit, from 0."""
    whole = max((value for _, value, _, _ in entries if math.isfinite(value)), default=0)
    return "<div class=bars>" + "".join(bar_row(name, [(value, colour)], value_text(value, scale) + text, whole)
                                        for name, value, colour, text in entries) + "</div>"


def legend(colours):
    """name -> colour"""
    return "<p class=legend>" + "".join(f"<span><i class={colour_class(colour)}></i>{escape(name)}</span>"
                                        for name, colour in colours.items()) + "</p>"


def stacked_bars(rows, names, colours, scale):
    """rows: (name, component -> value)."""
    whole = max((sum(parts.values()) for _, parts in rows), default=0)
    return "<div class=bars>" + "".join(
        bar_row(name, [(parts.get(part, 0), colours[part]) for part in names], value_text(sum(parts.values()), scale), whole)
        for name, parts in rows) + "</div>" + legend({name: colours[name] for name in names})
