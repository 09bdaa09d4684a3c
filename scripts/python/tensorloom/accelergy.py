"""Energies of a run in the formats of Accelergy 0.4, and back: components and actions are modules and events.

Component `tensorloom.<module>.<component>` has an action per event that is charged to it; leakage is an action that is
counted in cycles. Energies are in pJ. Texts of numbers are passed on as they are, so that nothing is rounded."""
import csv
import json
import math
import os
import re
import sys
from dataclasses import dataclass

from tensorloom.run_directory import InputProblem, one_line, open_text, read_json
from tensorloom.technologies import map_in

ROOT = "tensorloom"
VERSION = "0.4"
COLUMNS = ["module", "model", "event", "component", "count", "pJ", "estimate"]
MODELS = ("triada", "torus", "mmv", "fetta", "sram")  # whose energies a technology file can set
LARGEST = 1e12  # pJ, of a number in a technology file
LARGEST_TABLE = 8 << 20  # characters of a file with an ERT
MOST_ENERGIES = 100_000  # in an ERT; aliases of YAML can make many of a short text
LONGEST = 200  # characters of a name or a number
PLAIN = re.compile(r"(?!(?:null|true|false|yes|no|on|off|y|n)\Z)[A-Za-z_][\w.-]*", re.A | re.I)
COUNT = re.compile(r"[0-9]{1,20}")
DECIMAL = re.compile(r"\+?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")  # what the testbenches read, without a minus sign


@dataclass(frozen=True)
class Event:
    """A line of events.csv. `energy`: of one event, in pJ, as the file has it."""
    module: str
    model: str
    name: str
    component: str
    count: int
    energy: str
    estimate: bool

    @property
    def table(self):
        return f"{ROOT}.{self.module}.{self.component}"

    @property
    def is_leakage(self):
        return self.name == "leak" or self.name.startswith("leak_")


def read_events(folder):
    path = os.path.join(folder, "events.csv")
    try:
        with open_text(path, newline="") as file:
            rows = list(csv.reader(file))
    except FileNotFoundError:
        raise InputProblem(f"{path} is missing, expected what a testbench writes with --out") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputProblem(f"{path} cannot be read as a table: {error}") from None
    if not rows or rows[0] != COLUMNS:
        raise InputProblem(f"{path} has other columns, expected {', '.join(COLUMNS)}")
    events, known = [], set()
    for number, row in enumerate(rows[1:], 2):
        if not is_event(row):
            raise InputProblem(f"{path}, line {number}: found {shown(','.join(row))}, expected {', '.join(COLUMNS)}")
        event = Event(*row[:4], int(row[4]), row[5], row[6] == "1")
        if (event.table, event.name) in known:
            raise InputProblem(f"{path}, line {number}: found a second energy of {event.name} of {event.module}, expected one")
        known.add((event.table, event.name))
        events.append(event)
    if not events:
        raise InputProblem(f"{path} has no line below its names, expected events")
    return events


def is_event(row):
    """Whether these are the texts of an Event."""
    return (len(row) == len(COLUMNS) and all(row[place] for place in (0, 2, 3))
            and all(text.isprintable() and len(text) <= LONGEST for text in row)
            and COUNT.fullmatch(row[4]) is not None and int(row[4]) < 1 << 64
            and number_of(row[5]) is not None and row[6] in ("0", "1"))


def read_run(folder):
    """(events, configuration) of a run. InputProblem if the events are not those of its summary."""
    events = read_events(folder)
    path = os.path.join(folder, "summary.json")
    summary = read_json(path)
    configuration = summary.get("configuration") if isinstance(summary, dict) else None
    if not isinstance(configuration, dict):
        raise InputProblem(f"{path} has no field 'configuration', expected the summary of a testbench")
    if not isinstance(configuration.get("technology"), str) or not configuration["technology"]:
        raise InputProblem(f"{path}: configuration: found no name as technology, expected the summary of a run with energies")
    if not isinstance(configuration.get("options"), dict):
        raise InputProblem(f"{path}: configuration: found no map as options, expected the summary of a testbench")
    for field, least in (("clock_period_ps", 1e-6), ("voltage_V", 1e-6)):
        value = configuration.get(field)
        if (value is not None or field == "clock_period_ps" and field in configuration) and \
                not (is_number(value) and least <= value <= LARGEST):
            raise InputProblem(f"{path}: configuration: {field}: found {shown(value)}, expected a number above 0")
    check_charged(summary, events, folder)
    return events, configuration


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def charged_in(summary):
    """(component -> pJ or None if it has only totals, total) in a summary: of its run, or of all runs that it compares."""
    found = [summary["energy_pJ"]] if isinstance(summary.get("energy_pJ"), dict) else \
        [part.get("energy_pJ") for name in ("runs", "cases") if isinstance(summary.get(name), list)
         for part in summary[name] if isinstance(part, dict)]
    totals = [energy.get("total") if isinstance(energy, dict) else energy for energy in found]
    if not found or not all(is_number(total) for total in totals):
        return None
    if not all(isinstance(energy, dict) and all(map(is_number, energy.values())) for energy in found):
        return None, math.fsum(totals)
    components = {}
    for energy in found:
        for name, value in energy.items():
            if name != "total":
                components.setdefault(name.rpartition(".")[2], []).append(value)
    return {name: math.fsum(values) for name, values in components.items()}, math.fsum(totals)


def check_charged(summary, events, folder):
    """A run without events leaves those of an older run in its directory."""
    def refuse(what):
        raise InputProblem(f"{folder}: events.csv is not of the run of summary.json, which {what}, expected both of one run")

    charged = charged_in(summary)
    if charged is None:
        refuse("has no energies")
    expected, total = charged
    sums = {}
    for event in events:
        sums.setdefault(event.component, []).append(event.count * float(event.energy))
    sums = {component: math.fsum(parts) for component, parts in sums.items()}
    near = 1e-9 * abs(total)
    if expected is None:
        if not abs(math.fsum(sums.values()) - total) <= near:
            refuse(f"has {total:.10g} pJ and not {math.fsum(sums.values()):.10g} pJ")
        return
    # without the memory that their devices share, and with the leakage of programs alone
    partly = summary.get("testbench") == "soc" or "pairs" in summary["configuration"]["options"]
    for component in expected if not partly else ():
        if component not in sums and not expected[component] <= near:
            refuse(f"has also {shown(component)}")
    for component, found in sums.items():
        value = expected.get(component)
        if value is None:
            refuse(f"has no {component}")
        if not (abs(found - value) <= near or partly and component == "leakage" and found < value):
            refuse(f"has {value:.10g} pJ and not {found:.10g} pJ of {component}")


def number_of(text):
    """The number of a decimal from 0 to LARGEST, or None."""
    if not isinstance(text, str) or len(text) > LONGEST or not DECIMAL.fullmatch(text):
        return None
    value = float(text)
    too_small = value < sys.float_info.min and re.search("[1-9]", re.split("[eE]", text)[0])  # which the testbenches refuse
    return value if value <= LARGEST and not too_small else None


def shown(value):
    """A found value in one short line. Lists and maps are not written out: aliases of YAML can make them endless."""
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "a map"
    text = one_line(value)
    return text if len(text) <= 60 else text[:57] + "..."


# ---- to Accelergy ----------------------------------------------------------------------------------------------------

def quoted(text):
    return text if PLAIN.fullmatch(text) else json.dumps(text)


def yaml_number(text):
    """The same number as readers of YAML 1.1 know one: 1.0e-05, which 1e-05 is not."""
    mantissa, e, exponent = text.lower().partition("e")
    return f"{mantissa}.0e{exponent}" if e and "." not in mantissa else text


def tables_of(events):
    """table -> its events, in order of first appearance."""
    tables = {}
    for event in events:
        tables.setdefault(event.table, []).append(event)
    return tables


def action_counts_text(events):
    return text_by_table(events, ("action_counts", "local", "action_counts"), lambda event: f"counts: {event.count}")


def energy_table_text(events):
    return text_by_table(events, ("ERT", "tables", "actions"), lambda event: f"energy: {yaml_number(event.energy)}")


def text_by_table(events, keys, value):
    """keys: of the file, of its list of tables, of the list of actions in each."""
    lines = [f"{keys[0]}:", f"  version: {VERSION}", f"  {keys[1]}:"]
    for table, actions in tables_of(events).items():
        lines += [f"  - name: {quoted(table)}", f"    {keys[2]}:"]
        for event in actions:
            lines += [f"    - name: {quoted(event.name)}", "      arguments: null", f"      {value(event)}"]
    return "\n".join(lines) + "\n"


def architecture_text(events, configuration):
    """The modules as a tree; a component of a module is a leaf of class <model>_<component>."""
    tree = {}
    for event in events:
        place = tree
        for part in event.module.split("."):
            place = place.setdefault(part, {})
        place.setdefault(None, {})[event.component] = f"{event.model or event.module.split('.')[-1]}_{event.component}"
    lines = ["architecture:", f"  version: {VERSION}", "  subtree:", f"  - name: {ROOT}", "    attributes:",
             f"      technology: {json.dumps(configuration['technology'])}"]
    if "clock_period_ps" in configuration:
        lines.append(f"      global_cycle_seconds: {yaml_number(repr(configuration['clock_period_ps'] / 1e12))}")

    def add(place, indent):
        if None in place:
            lines.append(f"{indent}local:")
            for component, kind in place[None].items():
                lines.extend([f"{indent}- name: {quoted(component)}", f"{indent}  class: {quoted(kind)}"])
        below = {name: inner for name, inner in place.items() if name is not None}
        if below:
            lines.append(f"{indent}subtree:")
            for name, inner in below.items():
                lines.append(f"{indent}- name: {quoted(name)}")
                add(inner, indent + "  ")

    add(tree, "    ")
    return "\n".join(lines) + "\n"


# ---- from Accelergy --------------------------------------------------------------------------------------------------

def read_energy_table(path):
    """{(table, action): energy as a text} of a file with an ERT."""
    content = map_in(path, path, LARGEST_TABLE, "an energy reference table").get("ERT")
    tables = content.get("tables") if isinstance(content, dict) else None
    if not isinstance(tables, list):
        raise InputProblem(f"{path} has no list ERT.tables, expected an energy reference table of Accelergy")
    energies = {}
    for table in tables:
        if not isinstance(table, dict) or not isinstance(table.get("name"), str) or not isinstance(table.get("actions"), list):
            raise InputProblem(f"{path}: ERT.tables: found {shown(table)}, expected a name and a list of actions")
        for action in table["actions"]:
            name = action.get("name") if isinstance(action, dict) else None
            what = f"{path}: {shown(table['name'])}: {shown(name)}"
            if not isinstance(name, str) or number_of(action.get("energy")) is None:
                found = action.get("energy") if isinstance(action, dict) else action
                raise InputProblem(f"{what}: found energy {shown(found)}, expected a decimal from 0 to {LARGEST:g} (pJ)")
            if action.get("arguments", "null") not in ("null", "", "~", {}):
                raise InputProblem(f"{what}: found arguments {shown(action['arguments'])}, expected none")
            if (table["name"], name) in energies:
                raise InputProblem(f"{what}: found a second energy, expected one")
            energies[table["name"], name] = action["energy"]
            if len(energies) > MOST_ENERGIES:
                raise InputProblem(f"{path} has more than {MOST_ENERGIES} energies, expected those of one run")
    return energies


def event_energies(energies, events, path):
    """({(model, event): (energy, estimate, table)}, tables that no technology file sets). `path`: of the ERT, for errors."""
    known = {(event.table, event.name): event for event in events}
    found, left = {}, []
    for (table, action), energy in energies.items():
        event = known.get((table, action))
        if event is None:
            actions = [name for other, name in known if other == table]
            expected = f"one of {', '.join(actions)}" if actions else f"a component like {next(iter(known))[0]}"
            raise InputProblem(f"{path}: found {shown(table) if not actions else f'{shown(table)}: {shown(action)}'}, expected {expected}")
        if event.is_leakage or event.model not in MODELS:
            left.append(table)
            continue
        key = (event.model, event.name)
        same = float(energy) == float(event.energy)
        if key in found and float(found[key][0]) != float(energy):
            raise InputProblem(f"{path}: found {found[key][0]} and {energy} pJ for {event.name} of two modules {event.model}, "
                               "expected one energy, as a technology file has")
        found[key] = (energy, event.estimate if same else True, table)
    if not found:
        raise InputProblem(f"{path} has no energy that a technology file can set, expected actions of {', '.join(MODELS)}")
    return found, list(dict.fromkeys(left))


def technology_text(name, base, found, source):
    lines = ["# Energies of events from an energy reference table of Accelergy; all other numbers are those of the base.",
             "schema: tensorloom-technology-1", f"name: {json.dumps(name)}", f"base: {json.dumps(base)}", "", "event:"]
    for model in dict.fromkeys(model for model, _ in found):
        lines.append(f"  {model}:")
        for (owner, event), (energy, estimate, table) in found.items():
            if owner == model:
                mark = ", estimate: true" if estimate else ""
                lines.append(f"    {event}: {{value: {energy}, unit: pJ, source: {json.dumps(f'{source}: {table}')}{mark}}}")
    return "\n".join(lines) + "\n"
