"""Energies of a run in the formats of Accelergy 0.4, and back: components and actions are modules and events.

Component `tensorloom.<module>.<component>` has an action per event that is charged to it; leakage is an action that is
counted in cycles. Energies are in pJ. Texts of numbers are passed on as they are, so that nothing is rounded."""
import csv
import json
import os
import re
from dataclasses import dataclass

from tensorloom.option_keys import map_of
from tensorloom.run_directory import InputProblem, open_text, read_json

ROOT = "tensorloom"
VERSION = "0.4"
COLUMNS = ["module", "model", "event", "component", "count", "pJ", "estimate"]
MODELS = ("triada", "torus", "mmv", "fetta", "sram")  # whose energies a technology file can set
LARGEST = 1e12  # pJ, of a number in a technology file
PLAIN = re.compile(r"[A-Za-z_][\w.-]*")


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
        if len(row) != len(COLUMNS) or not row[4].isdigit() or number_of(row[5]) is None or row[6] not in ("0", "1"):
            raise InputProblem(f"{path}, line {number}: found {','.join(row)}, expected {', '.join(COLUMNS)}")
        event = Event(*row[:4], int(row[4]), row[5], row[6] == "1")
        if (event.table, event.name) in known:
            raise InputProblem(f"{path}, line {number}: found a second energy of {event.name} of {event.module}, expected one")
        known.add((event.table, event.name))
        events.append(event)
    return events


def read_configuration(folder):
    path = os.path.join(folder, "summary.json")
    summary = read_json(path)
    if not isinstance(summary, dict) or not isinstance(summary.get("configuration"), dict):
        raise InputProblem(f"{path} has no field 'configuration', expected the summary of a testbench")
    return summary["configuration"]


def number_of(text):
    """A finite number of at least 0, or None."""
    try:
        value = float(text)
    except (TypeError, ValueError):
        return None
    return value if 0 <= value <= LARGEST else None


# ---- to Accelergy ----------------------------------------------------------------------------------------------------

def quoted(text):
    return text if PLAIN.fullmatch(text) else json.dumps(text)


def yaml_number(text):
    """The same number as readers of YAML 1.1 know one: 1.0e-05, which 1e-05 is not."""
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa}.0e{exponent}" if e and "." not in mantissa else text


def tables_of(events):
    """table -> its events, in order of first appearance."""
    tables = {}
    for event in events:
        tables.setdefault(event.table, []).append(event)
    return tables


def action_counts_text(events):
    lines = ["action_counts:", f"  version: {VERSION}", "  local:"]
    for table, actions in tables_of(events).items():
        lines += [f"  - name: {quoted(table)}", "    action_counts:"]
        for event in actions:
            lines += [f"    - name: {quoted(event.name)}", "      arguments: null", f"      counts: {event.count}"]
    return "\n".join(lines) + "\n"


def energy_table_text(events):
    lines = ["ERT:", f"  version: {VERSION}", "  tables:"]
    for table, actions in tables_of(events).items():
        lines += [f"  - name: {quoted(table)}", "    actions:"]
        for event in actions:
            lines += [f"    - name: {quoted(event.name)}", "      arguments: null", f"      energy: {yaml_number(event.energy)}"]
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
             f"      technology: {json.dumps(str(configuration.get('technology')))}"]
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
    try:
        with open_text(path) as file:
            text = file.read()
    except OSError as error:
        raise InputProblem(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputProblem(f"{path} is not UTF-8 text, expected YAML") from None
    content = map_of(text, path).get("ERT")
    tables = content.get("tables") if isinstance(content, dict) else None
    if not isinstance(tables, list):
        raise InputProblem(f"{path} has no list ERT.tables, expected an energy reference table of Accelergy")
    energies = {}
    for table in tables:
        if not isinstance(table, dict) or not isinstance(table.get("name"), str) or not isinstance(table.get("actions"), list):
            raise InputProblem(f"{path}: ERT.tables: found {str(table)[:60]}, expected a name and a list of actions")
        for action in table["actions"]:
            name = action.get("name") if isinstance(action, dict) else None
            what = f"{path}: {table['name']}: {name}"
            if not isinstance(name, str) or number_of(action.get("energy")) is None:
                found = action.get("energy") if isinstance(action, dict) else action
                raise InputProblem(f"{what}: found energy {found}, expected a number from 0 to {LARGEST:g} (pJ)")
            if action.get("arguments", "null") not in ("null", "", "~", {}):
                raise InputProblem(f"{what}: found arguments {action['arguments']}, expected none")
            if (table["name"], name) in energies:
                raise InputProblem(f"{what}: found a second energy, expected one")
            energies[table["name"], name] = action["energy"]
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
            raise InputProblem(f"{path}: found {table if not actions else f'{table}: {action}'}, expected {expected}")
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
