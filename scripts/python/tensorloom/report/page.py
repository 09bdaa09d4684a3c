"""The page of a report: its sections and their order."""
import dataclasses
import math
import os
import shlex

from tensorloom.answers import answers_of, question_of
from tensorloom.comparison import ESTIMATE_MARK, compare_runs, conclusions, number_in, own_rows
from tensorloom.energy_breakdown import energy_by_phase, parts_of
from tensorloom.palette import colour_at, colours_of
from tensorloom.quantities import number_text, quantity_text, scale_for
from tensorloom.report import activity, tables
from tensorloom.report.banks import banks_chart
from tensorloom.report.markup import answer_block, bars, escape, figure, stacked_bars, table
from tensorloom.report.roofs import roofline
from tensorloom.report.time_charts import MOST_MARKS, thinned, time_charts
from tensorloom.run_directory import InputProblem

HERE = os.path.dirname(os.path.abspath(__file__))
THREE = ("/usr/share/javascript/three/three.min.js",)  # of Debian's libjs-three
LEFT_OUT = ("options", "options_given", "inputs")  # of the configuration: shown elsewhere, or long
MOST_OF_PAGE = 12_000  # most marks of all charts over time of one kind
WAITS = ("_stall_cycle", "stalled_cycle", "conflict_cycle", "contention_cycle", "exposed_roll_cycle")


def read_beside(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return file.read()


# ---- question and answer ---------------------------------------------------------------------------------------------

def answer_of(run):
    """The question of the testbench and its answer in this run; of a joined run, of its first part."""
    return answer_block(question_of(run.summary), answers_of(run.summary))


def answer_of_several(runs):
    """The questions of all testbenches, and how the runs compare."""
    questions = dict.fromkeys(question_of(run.summary) for run in runs)
    return answer_block(" ".join(filter(None, questions)), conclusions(runs))


# ---- tables ----------------------------------------------------------------------------------------------------------

def command_of(summary):
    """The command line that was given, for a shell. An option that was repeated has a list."""
    given = summary["configuration"].get("options_given") or {}
    words = [summary["testbench"]]
    for name, values in given.items():
        for value in values if isinstance(values, list) else [values]:
            text = shlex.quote(str(value))
            words += [f"--{name}"] if value == "true" else [f"--{name}={text}"] if text.startswith("-") else [f"--{name}", text]
    return " ".join(words)


def plain(value):
    """A value of a configuration as the text of a cell."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {plain(inner)}" for name, inner in value.items())
    if isinstance(value, list):
        return (" x " if all(isinstance(inner, int) for inner in value) else "; ").join(map(plain, value))
    return "-" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def configuration_table(summary):
    rows = [(name.replace("_", " "), plain(value)) for name, value in summary["configuration"].items() if name not in LEFT_OUT]
    return f"<details><summary>Configuration, {len(rows)} settings</summary>{table(rows)}</details>\n"


def check_text(summary):
    check = summary.get("check") or {}
    if check.get("passed") is None:
        return "not done"
    error = check.get("max_rel_error")
    parts = ["passed" if check["passed"] else "FAILED"]
    if isinstance(error, (int, float)):
        parts.append(f"relative error {error:.2e}")
    if check.get("reference"):
        parts.append(f"against: {check['reference']}")
    return ", ".join(parts)


def bound_text(bound):
    """Text of a summary's bound_by: what each resource saves, most first, and the bus throughput."""
    if not bound["resource"]:
        return "nothing, no resource saves a cycle"
    saved = sorted(((share, name) for name, share in bound["savings"].items() if share), key=lambda s: -s[0])
    texts = ", ".join(f"{name} {number_text(100 * share, 3)} %" for share, name in saved)
    moved, most = (number_text(bound[name]) for name in ("bus_bytes_per_cycle", "peak_bus_bytes_per_cycle"))
    return f"{bound['resource']}; less time without {texts} (bus {moved} of {most} B per cycle)"


def verdicts(summary):
    """Rows about utilisation, die and power, for the fields that the summary has."""
    working = number_in(summary, ["utilisation_working"])
    if not math.isnan(working):
        yield "utilisation while working", f"{number_text(100 * working)} %"
    if isinstance(summary.get("bound_by"), dict):
        yield "bound by", bound_text(summary["bound_by"])
    for name, path, factor, unit in (("power, on average", ["power_mW", "average"], 1e-3, "W"),
                                     ("of it leakage", ["power_mW", "leakage"], 1e-3, "W"),
                                     ("power density", ["power_density_W_per_mm2"], 1, "W/mm\N{SUPERSCRIPT TWO}")):
        value = number_in(summary, path)
        if not math.isnan(value):
            yield name, f"{number_text(factor * value)} {unit}"
    for warning in summary.get("warnings") or []:
        yield "warning", plain(warning)


def facts(run):
    """Table of the numbers of a run, one per line."""
    rows, own = [], {row.name for row in own_rows([run])}
    for row in compare_runs([run]).rows:
        value = row.values[0]
        if not math.isnan(value) and (value or row.name in own):
            mark = " " + ESTIMATE_MARK if row.estimated and row.estimated[0] else ""
            name, _, unit = row.name.partition(" [")
            rows.append((name, (number_text(value) + (" " + unit[:-1] if unit else "") if row.base == "1"
                                else quantity_text(value, row.base)) + mark))
    rows += [row for directory in run.directories for row in verdicts(directory.summary)]
    rows.append(("technology", run.technology))
    rows.append(("check", "; ".join(dict.fromkeys(check_text(directory.summary) for directory in run.directories))))
    return table(rows) + (f"<p class=note>{ESTIMATE_MARK} includes an estimate</p>" if run.estimated else "")


# ---- charts ----------------------------------------------------------------------------------------------------------

def share_text(part, whole):
    """Share of the total, after a value."""
    percent = 100 * part / whole if whole else 0
    return f" \N{MIDDLE DOT} " + ("<0.01 %" if 0 < percent < 0.01 else f"{number_text(percent, 3)} %")


def causes_chart(run):
    if not run.causes:
        return ""
    colours, whole = colours_of(run.causes), sum(run.causes.values())
    entries = [(cause, cycles, colours[cause], share_text(cycles, whole))
               for cause, cycles in run.causes.items()]
    return figure("chart causes", "Cycles by cause", bars(entries, scale_for([], "1")),
                  "Every cycle of the run has one cause." if whole == run.cycles else "")


def waits_chart(run):
    """Stall cycles of each part of the device and its memory, from the columns of latency.csv."""
    found = {}
    for directory in run.directories:
        latency = directory.tables.get("latency")
        for name in latency.columns if latency else ():
            if name.endswith(WAITS):
                found[name] = found.get(name, 0) + float(latency.numbers(name).sum())
    waits = {name: cycles for name, cycles in found.items() if cycles > 0}
    if not waits:
        return ""
    names = {name: ".".join(name.split(".")[-2:]).replace("_cycle", "").replace("_", " ") for name in waits}
    return figure("chart waits", "Stall cycles by cause",
                  bars([(names[name], cycles, colour_at(9), " cycles") for name, cycles in waits.items()], scale_for([], "1")),
                  "Stalls of different parts overlap, so they do not add up to the cycles of the run.")


def energy_charts(run):
    if not run.total_pj() > 0:
        return ""
    parts = parts_of(run)
    scale = scale_for([run.total_pj()], "pJ")
    entries = []
    colours = colours_of(dict.fromkeys(name for energy in parts.values() for name in energy))
    for part, energy in parts.items():
        for name, pj in energy.items():
            full = f"{part}.{name}" if part and f"{part}.{name}" in run.energy_pj else name
            entries.append((run.marked(full), pj, colours[name], share_text(pj, run.total_pj())))
    charts = figure("chart energy", "Energy by component", bars(entries, scale),
                    f"{quantity_text(run.total_pj(), 'pJ')} in all." + (" *: includes an estimate." if run.estimated else ""))
    phases = [(phase.replace("_", " "), energy) for phase, energy in energy_by_phase(run).items() if sum(energy.values()) > 0]
    if phases:
        names = list(dict.fromkeys(name for _, energy in phases for name in energy if any(part[name] for _, part in phases)))
        charts += figure("chart energy", "Energy by phase, without leakage and DRAM background",
                         stacked_bars(phases, names, colours_of(names), scale_for([sum(energy.values()) for _, energy in phases],
                                                                                    "pJ")))
    return charts


def ports_of(runs):
    return list(dict.fromkeys(port for run in runs for case in run.cases for port in case.ports)) or ["bus"]


def comparison_section(runs):
    """All runs side by side, one chart per quantity."""
    charts = ""
    for row in compare_runs(runs).rows:
        if sum(not math.isnan(value) for value in row.values) > 1:
            first = row.values[0]
            entries = [(name, value, colour_at(place),
                        (ESTIMATE_MARK if row.estimated and row.estimated[place] else "") +
                        (f"  ({number_text(value / first, 3)} x)" if place and first and not math.isnan(first + value) else ""))
                       for place, (name, value) in enumerate(zip(map(lambda run: run.label, runs), row.values))]
            name, _, unit = row.name.partition(" [")
            charts += figure("chart compared", name + (f" [{unit}" if unit else ""), bars(entries, row.scale()))
    roofs = roofline([case for run in runs for case in named_cases(run)], "bus")
    titles = table([(run.label, run.title()) for run in runs])
    shared = {(directory.folder, name): content for run in runs for directory in run.directories
              for name, content in directory.shared.items()}
    other = "".join(tables.table_chart(name, content, f"{name}.csv") for (_, name), content in shared.items() if name != "events")
    return f"<section id=comparison><h2>Side by side</h2>{titles}<div class=grid>{charts}</div>{roofs}{other}</section>\n"


def named_cases(run):
    """Prefixed with the run's name."""
    for case in run.cases:
        yield dataclasses.replace(case, name=run.label if len(run.cases) == 1 else f"{run.label}: {case.name}")


def most_marks(runs):
    """Number of marks per chart that keeps the page small: all rows if the runs together have few."""
    rows = [min(len(run.records), MOST_MARKS) for run in runs]
    return MOST_MARKS if sum(rows) <= MOST_OF_PAGE else MOST_OF_PAGE // sum(count > 0 for count in rows)


def run_section(run, number, most, alone):
    """The section of one run, and whether it has a view in space. A single run's title and answer are the head of the
    page."""
    shown = thinned(run.records, most)
    views, in_space = "", False
    if len(run.records) and not run.records.is_excerpt():
        views, in_space = activity.activity_views(run, shown, number)
    other = "".join(tables.shown_table(name, content, f"{name}.csv") for directory in run.directories
                    for name, content in directory.tables.items() if tables.is_shown(content) and name not in ("banks", "events"))
    other += "".join(map(tables.summary_charts, run.directories))
    cases = "".join(roofline(run.cases, port) for port in ports_of([run]))
    commands = "".join(f"<pre>{escape(command_of(directory.summary))}</pre>" for directory in run.directories)
    lead = "" if alone else f"<p class=lead>{escape(run.title())}</p>{answer_of(run)}"
    return (f'<section class=run id="run{number}"><h2>{escape(run.label)}</h2>{lead}{commands}'
            f"<div class=grid>{figure('result', 'Result', facts(run) + configuration_table(run.summary))}"
            f"{causes_chart(run)}{energy_charts(run)}{waits_chart(run)}"
            f"{''.join(banks_chart(directory.tables.get('banks')) for directory in run.directories)}</div>"
            f"{time_charts(run, shown, most)}{views}{cases}{other}</section>\n"), in_space


def three_js():
    """The library for views in space; "" if it is not installed: these views are then drawn as slabs."""
    for path in THREE:
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                return file.read().replace("</script", "<\\/script")
    return ""


def page_of(runs, title=None):
    if not runs:
        raise InputProblem("no runs, expected a directory that a testbench has written with --out")
    sections, in_space = "", False
    most = most_marks(runs)
    for number, run in enumerate(runs):
        section, has_space = run_section(run, number, most, len(runs) == 1)
        sections += section
        in_space = in_space or has_space
    title = title or (runs[0].title() if len(runs) == 1 else f"{len(runs)} runs: " + ", ".join(run.label for run in runs))
    compared = comparison_section(runs) if len(runs) > 1 else ""
    links = "".join(f'<a href="#run{number}">{escape(run.label)}</a>' for number, run in enumerate(runs))
    navigation = f'<nav><a href="#comparison">side by side</a>{links}</nav>' if len(runs) > 1 else ""
    answer = answer_of(runs[0]) if len(runs) == 1 else answer_of_several(runs)
    return document(title, answer, runs[0].summary.get("version", ""), navigation, compared + sections, three_js() if in_space else "")


def document(title, answer, version, navigation, body, library=""):
    """A self-contained page with its style, scripts and data. library: three.js, or ""."""
    scripts = (f"<script>{library}</script><script>{read_beside('space.js')}</script>" if library else "") + \
        f"<script>{read_beside('page.js')}</script>"
    return (f"<!doctype html>\n<html lang=en><head><meta charset=utf-8><title>{escape(title)}</title>"
            f'<meta name=viewport content="width=device-width, initial-scale=1"><meta name=color-scheme content="light dark">'
            f"<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'; "
            f"script-src 'unsafe-inline'; img-src data:\"><link rel=icon href=\"data:,\">"
            f"<style>{read_beside('page.css')}</style></head><body><header><h1>{escape(title)}</h1>{answer}"
            f"<p class=note>TensorLoom {escape(version)}</p>{navigation}</header>"
            f"<main>{body}</main>{scripts}</body></html>\n")
