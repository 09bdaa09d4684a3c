"""The cost of a network as a run: summary.json, nodes.csv (a row for each node), parts.csv (a row for each simulated program
of a node), latency.csv and energy.csv."""
import csv
import hashlib
import io
import json
import time
from dataclasses import dataclass

from tensorloom.network_cost.mapper import NodeCost
from tensorloom.network_cost.prices import device_options, phases_of, price, prices
from tensorloom.network_cost.vector_programs import Device
from tensorloom.network_cost.work import PHASES, Work
from tensorloom.quantities import number_text, quantity_text, scale_for, size_text
from tensorloom.simulation import PRINTED, Run

TESTBENCH = "network_cost"
SCHEMA = "tensorloom-network_cost-summary-1"
LONGEST_NODES = 5
LEAST_SHARE = 5e-4  # of the cycles, that the printed table tells
SIMULATED, NO_WORK, NOT_MODELLED = "simulated", "no work", "not modelled"
PROBE = Work("contract", (("einsum", "i,i->i"), ("sizes", "i=1")), "one multiply-add")  # for options and settings of the device
# Of the summary of any run on this device, alike for all.
OF_DEVICE = ("version", "commit", "area_um2", "area_range_um2", "area_estimated", "area_synthesized", "area_by_pitch_um2",
             "footprint_um2", "fastest_clock_GHz", "overclocked")
SETTINGS = ("operand", "psum", "engines", "side", "bank_bytes", "accumulator_bank_bytes", "buffer_cycles", "mac_latency", "lanes",
            "bank_broadcast", "program_prefetch", "overlap", "distributed_elements", "memory_rows", "table_psum", "padding_share",
            "fidelity", "technology", "leakage", "voltage_V", "clock_period_ps", "dma_width_bits", "burst_bytes", "outstanding",
            "overlap_runs", "memory", "memory_bandwidth_GB_per_s", "memory_latency_cycles", "memory_ports")
NODE_COLUMNS = ("node", "kind", "operation", "shape", "status", "macs", "cycles", *(f"{phase}_cycles" for phase in PHASES),
                "energy_pJ", "bound_by", "reason")


@dataclass
class Row:
    """A node with what its parts cost."""
    cost: NodeCost
    phases: dict
    cycles: int
    macs: int
    energy_pj: float
    bound_by: str

    @property
    def status(self):
        return NOT_MODELLED if self.cost.not_modelled else SIMULATED if self.cost.parts else NO_WORK

    @property
    def reason(self):
        return self.cost.not_modelled or ("" if self.cost.parts else self.cost.reason or "nothing to compute")

    def cells(self):
        node = self.cost.node
        shape = size_text(node.result.shape) if node.result is not None else ""
        head = [node.name, node.kind, node.operation, shape, self.status]
        if self.cost.not_modelled:
            return [*head, "" if self.cost.macs is None else self.cost.macs, *[""] * (len(PHASES) + 3), self.reason]
        return [*head, self.macs, self.cycles, *(self.phases[phase] for phase in PHASES), repr(self.energy_pj), self.bound_by,
                self.reason]


def part_energy(part, found):
    return part.count * found[part.work].summary["energy_pJ"]["total"]


def row_of(cost, found):
    phases = dict.fromkeys(PHASES, 0)
    savings = {}
    for part in cost.parts:
        for phase, cycles in phases_of(part, found).items():
            phases[phase] += part.count * cycles
        for name, share in found[part.work].summary["bound_by"]["savings"].items():
            savings[name] = savings.get(name, 0) + part.count * found[part.work].cycles * share
    return Row(cost, phases, sum(phases.values()), sum(part.count * found[part.work].macs for part in cost.parts),
               sum(part_energy(part, found) for part in cost.parts), max(savings, key=savings.get) if any(savings.values()) else "")


class Totals:
    """Sums over all parts: count times what each costs."""

    def __init__(self, parts, found):
        self.parts, self.found = parts, found

    def of(self, *path):
        return sum(part.count * value_at(self.found[part.work].summary, path) for part in self.parts)

    def by_name(self, *path):
        total = {}
        for part in self.parts:
            for name, value in value_at(self.found[part.work].summary, path).items():
                total[name] = total.get(name, 0) + part.count * value
        return total

    def weighted(self, *path):
        """Mean over all cycles of what the parts have as shares of theirs."""
        total, cycles = {}, self.of("cycles")
        for part in self.parts:
            price_of = self.found[part.work]
            for name, value in value_at(price_of.summary, path).items():
                total[name] = total.get(name, 0.0) + part.count * price_of.cycles * value
        return {name: min(1.0, value / cycles) for name, value in total.items()} if cycles else total


def value_at(value, path):
    for name in path:
        value = value[name]
    return value


def cost_of(network, nodes, settings_of, options, workers=None, progress=None):
    """The Run of a network's cost. settings_of(device, bits): the mapper's settings. options: of the device."""
    began, wall = time.process_time(), time.monotonic()
    named = device_options(options)
    probe = price(PROBE, named)
    configuration = probe.summary["configuration"]
    device = Device(configuration["engines"], configuration["side"], configuration["bank_bytes"], configuration["overlap"])
    settings = settings_of(device, 32 if configuration["operand"] == "f32" else 16)
    costs = [NodeCost(node, settings) for node in nodes]
    found = prices([part.work for cost in costs for part in cost.parts], named, workers, progress)
    rows = [row_of(cost, found) for cost in costs]
    parts = [part for cost in costs for part in cost.parts]
    totals = Totals(parts, found)
    summary = summary_of(network, rows, totals, settings, probe.summary, options)
    summary["simulation"] = simulation_of(summary, found, time.monotonic() - wall, time.process_time() - began)
    latency, energy = records_of(costs, found)
    files = {"summary.json": (json.dumps(summary, indent=2) + "\n").encode(),
             "nodes.csv": csv_of(NODE_COLUMNS, [row.cells() for row in rows]),
             "parts.csv": parts_table(costs, found), "latency.csv": latency, "energy.csv": energy}
    files[PRINTED] = printed(summary, rows).encode()
    return Run(TESTBENCH, [], files, {})


def inputs_of(network):
    """The ONNX file with its hash."""
    if network["file"] is None:
        return []
    with open(network["file"], "rb") as file:
        return [{"option": "file", "name": network["file"], "sha256": hashlib.sha256(file.read()).hexdigest()}]


def simulation_of(summary, found, wall, cpu):
    cpu += sum(one.summary["simulation"]["cpu_s"] for one in found.values())
    return {"wall_s": wall, "cpu_s": cpu, "macs_per_cpu_s": summary["macs"] / cpu if cpu else 0.0,
            "peak_rss_bytes": max((one.summary["simulation"]["peak_rss_bytes"] for one in found.values()), default=0)}


def summary_of(network, rows, totals, settings, probe, options):
    configuration = probe["configuration"]
    cycles, macs = totals.of("cycles"), totals.of("macs")
    period_ns = configuration["clock_period_ps"] / 1000
    energy = totals.by_name("energy_pJ")
    components = {name: value for name, value in energy.items() if name != "total"}
    energy = {"total": sum(components.values()), **components} if components else {"total": 0.0}
    estimated = dict.fromkeys(name for part in totals.parts for name in totals.found[part.work].summary["energy_estimated"])
    units = configuration["engines"] * configuration["side"] ** 2
    time_ns = cycles * period_ns
    summary = {
        "schema": SCHEMA, "testbench": TESTBENCH, **{name: probe[name] for name in OF_DEVICE},
        "configuration": {**network, "step": step_text(settings), "training": settings.training,
                          "optimizer": settings.optimizer if settings.training else None,
                          **{name: configuration[name] for name in SETTINGS},
                          "options_given": {name.rstrip("_").replace("_", "-"): str(value)
                                            for name, value in options.items() if value is not None},
                          "inputs": [*inputs_of(network), *(entry for entry in configuration["inputs"]
                                                            if entry["option"] in ("--technology", "--dram"))]},
        "check": dict.fromkeys(("passed", "max_abs_error", "max_rel_error", "reference")),
        "nodes": {"simulated": sum(row.status == SIMULATED for row in rows),
                  "without_work": sum(row.status == NO_WORK for row in rows),
                  "not_modelled": sum(row.status == NOT_MODELLED for row in rows)},
        "programs": {"runs": sum(part.count for part in totals.parts), "simulated": len({part.work for part in totals.parts})},
        "not_modelled": not_modelled(rows, macs), "longest_nodes": longest(rows, cycles),
        "cycles": cycles, "cycles_by_cause": totals.by_name("cycles_by_cause"),
        "phases": {phase: {"cycles": sum(row.phases[phase] for row in rows)} for phase in PHASES},
        "simulated_time_ns": time_ns, "macs": macs, "utilisation": macs / (cycles * units) if cycles else 0.0,
        "utilisation_working": working(totals, macs, "utilisation_working"),
        "bound_by": bound_by(totals, probe, macs),
        "memory": {"read_bytes": totals.of("memory", "read_bytes"), "written_bytes": totals.of("memory", "written_bytes")},
        "energy_pJ": energy, "energy_estimated": list(estimated),
        "energy_range_pJ": [sum(part.count * totals.found[part.work].summary["energy_range_pJ"][end] for part in totals.parts)
                            for end in (0, 1)],
        "leakage_sensitivity_pJ": {name: totals.of("leakage_sensitivity_pJ", name) for name in ("none", "twice")},
        "power_mW": power_of(energy, time_ns, totals),
    }
    dram = energy.get("dram", 0.0) + energy.get("dram_background", 0.0)
    footprint = probe["footprint_um2"]
    summary["power_density_W_per_mm2"] = (energy["total"] - dram) / time_ns / footprint * 1000 if time_ns and footprint else 0.0
    summary["energy_by_second_source_pJ"] = second_source(totals)
    summary["warnings"] = [warning for warning in dict.fromkeys(
        warning for part in totals.parts for warning in totals.found[part.work].summary["warnings"])]
    return summary


def working(totals, macs, *path):
    """Utilisation over the cycles to which the parts' own refers: macs / utilisation of each, summed."""
    units = sum(part.count * one["macs"] / value_at(one, path) for part in totals.parts
                for one in (totals.found[part.work].summary,) if value_at(one, path))
    return min(1.0, macs / units) if units else 0.0


def second_source(totals):
    """The total and all components that change in some part; None if none does."""
    own = [(part.count, totals.found[part.work].summary) for part in totals.parts]
    names = dict.fromkeys(name for _, one in own for name in one["energy_by_second_source_pJ"] or ())
    if not names:
        return None
    return {name: sum(count * (one["energy_by_second_source_pJ"] or {}).get(name, one["energy_pJ"].get(name, 0.0))
                      for count, one in own) for name in names}


def power_of(energy, time_ns, totals):
    if not time_ns:
        return {"average": 0.0, "leakage": 0.0, "dram": 0.0}
    leakage = sum(part.count * one["power_mW"]["leakage"] * one["simulated_time_ns"] for part in totals.parts
                  for one in (totals.found[part.work].summary,))
    return {"average": energy["total"] / time_ns, "leakage": leakage / time_ns,
            "dram": (energy.get("dram", 0.0) + energy.get("dram_background", 0.0)) / time_ns}


def not_modelled(rows, macs):
    own = [row for row in rows if row.cost.not_modelled]
    counted = sum(row.cost.macs or 0 for row in own)
    return {"nodes": [row.cost.node.name for row in own], "macs": counted, "uncounted": sum(row.cost.macs is None for row in own),
            "macs_share": counted / (macs + counted) if macs + counted else 0.0}


def longest(rows, cycles):
    """The nodes that take most cycles."""
    own = sorted((row for row in rows if row.cycles), key=lambda row: -row.cycles)[:LONGEST_NODES]
    return [{"node": row.cost.node.name, "cycles": row.cycles, "share": row.cycles / cycles, "bound_by": row.bound_by or None}
            for row in own]


def step_text(settings):
    return f"training step, {settings.optimizer or 'no update'}" if settings.training else "forward pass"


def bound_by(totals, probe, macs):
    """Shares of all cycles; programs run one after the other, so that what they save adds up."""
    savings = totals.weighted("bound_by", "savings")
    cycles, moved = totals.of("cycles"), totals.of("memory", "read_bytes") + totals.of("memory", "written_bytes")
    return {"resource": max(savings, key=savings.get) if any(savings.values()) else None, "savings": savings,
            "utilisation_ceiling": working(totals, macs, "bound_by", "utilisation_ceiling"),
            "bus_bytes_per_cycle": moved / cycles if cycles else 0.0,
            "peak_bus_bytes_per_cycle": probe["bound_by"]["peak_bus_bytes_per_cycle"], "bus": totals.weighted("bound_by", "bus")}


# ---- tables ----------------------------------------------------------------------------------------------------------

def csv_of(columns, rows):
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue().encode()


def parts_table(costs, found):
    rows = [[cost.node.name, part.phase, part.work.testbench, part.work.what, part.count, part.count * found[part.work].macs,
             part.count * found[part.work].cycles, repr(part_energy(part, found))] for cost in costs for part in cost.parts]
    return csv_of(("node", "phase", "program", "work", "runs", "macs", "cycles", "energy_pJ"), rows)


def records_of(costs, found):
    """latency.csv and energy.csv: a row for each part and cause, parts one after the other."""
    components = list(dict.fromkeys(name for one in found.values() for energy in one.energy_by_cause.values() for name in energy))
    latency, energy, start = [], [], 0
    for cost in costs:
        for part in cost.parts:
            one = found[part.work]
            causes = {cause: cycles for cause, cycles in one.summary["cycles_by_cause"].items()
                      if cycles or cause in one.energy_by_cause}
            macs = part.count * one.macs
            for cause, cycles in causes.items():
                head = ["device", cost.node.name, cause, part.phase, start, part.count * cycles]
                latency.append([*head, macs if cause == "compute" else 0])
                spent = [part.count * one.energy_by_cause.get(cause, {}).get(name, 0.0) for name in components]
                energy.append([*head, *map(repr, spent), repr(sum(spent))])
                start += part.count * cycles
    columns = ("device", "job", "cause", "phase", "start_cycle", "cycles")
    return csv_of((*columns, "mac"), latency), csv_of((*columns, *(f"{name}_pJ" for name in components), "total_pJ"), energy)


# ---- the printed table -----------------------------------------------------------------------------------------------

def printed(summary, rows):
    cycles, energy = summary["cycles"], summary["energy_pJ"]["total"]
    configuration = summary["configuration"]
    side = configuration["side"]
    array = f"{configuration['engines']} engines of {side} x {side}"
    lines = [f"{TESTBENCH}: {configuration['network']}, {configuration['step']}, {array}, {configuration['memory']}"]

    def add(name, text):
        lines.append(f"  {name:<21} {text}")

    nodes, programs = summary["nodes"], summary["programs"]
    add("nodes", f"{nodes['simulated']} simulated by {programs['runs']:,} programs, {programs['simulated']:,} of them distinct; "
        f"{nodes['without_work']} without work, {nodes['not_modelled']} not modelled")
    add("cycles", f"{cycles:,} (" + ", ".join(f"{cause} {count:,}" for cause, count in summary["cycles_by_cause"].items()) + ")")
    for phase, part in summary["phases"].items():
        if part["cycles"]:
            add(f"  {phase.replace('_', ' ')}", f"{part['cycles']:,} cycles, {number_text(100 * part['cycles'] / cycles, 3)} %")
    clock = number_text(1000 / configuration["clock_period_ps"])
    add("time", f"{quantity_text(summary['simulated_time_ns'], 'ns')} at {clock} GHz")
    add("multiply-adds", f"{summary['macs']:,}")
    add("utilisation", f"{number_text(100 * summary['utilisation'])} % of the PEs end to end")
    bound = summary["bound_by"]
    saved = sorted(((share, name) for name, share in bound["savings"].items() if share > LEAST_SHARE), reverse=True)
    add("bound by", (bound["resource"] or "nothing") + ("; less time without " if saved else "") + ", ".join(
        f"{name} {number_text(100 * share, 3)} %" for share, name in saved))
    add("memory", f"{summary['memory']['read_bytes']:,} bytes read, {summary['memory']['written_bytes']:,} written")
    add("energy", quantity_text(energy, "pJ") + (" (estimate)" if "total" in summary["energy_estimated"] else ""))
    left = summary["not_modelled"]
    if left["nodes"]:
        uncounted = f", {left['uncounted']} without a count" if left["uncounted"] else ""
        add("not modelled", f"{number_text(100 * left['macs_share'], 3)} % of the multiply-adds{uncounted}: "
            f"{', '.join(left['nodes'])}")
    lines.append("")
    lines += node_lines(rows, cycles)
    return "\n".join(lines) + "\n"


def node_lines(rows, cycles):
    """Nodes that work or are not modelled, as a table."""
    shown = [row for row in rows if row.status != NO_WORK]
    scale = scale_for([row.energy_pj for row in shown], "pJ")
    head = ("node", "kind", "shape", "MACs", "cycles", "share", scale.axis("energy"), "bound by")
    cells = []
    for row in shown:
        node = row.cost.node
        shape = size_text(node.result.shape) if node.result is not None else ""
        if row.cost.not_modelled:
            cells.append((node.name, node.kind, shape, "-" if row.cost.macs is None else f"{row.cost.macs:,}", "-", "-", "-",
                          f"not modelled: {row.reason}"))
        else:
            cells.append((node.name, node.kind, shape, f"{row.macs:,}", f"{row.cycles:,}",
                          f"{number_text(100 * row.cycles / cycles if cycles else 0, 3)} %", number_text(scale(row.energy_pj)),
                          row.bound_by))
    widths = [max(len(line[place]) for line in [head, *cells]) for place in range(len(head))]
    texts = [0, 1, 2, len(head) - 1]
    return ["  " + "  ".join(cell.ljust(width) if place in texts else cell.rjust(width)
                             for place, (cell, width) in enumerate(zip(line, widths))).rstrip() for line in [head, *cells]]
