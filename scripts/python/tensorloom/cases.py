"""Workload and device of a run, as texts; and the cases of a run, which are the points of a roofline and the bars of a
comparison.

Most runs are one case. A run of several devices has one case per device, a comparison of algorithms or accelerators one
per algorithm or accelerator, a search one per sequence whose cost on the device is known. The manifest of a testbench
("summary") names its device and the functions of this module that read its summaries.
"""
import math
import string
from dataclasses import dataclass, field

from tensorloom.manifests import summary_of
from tensorloom.quantities import size_text

TRANSFORM_NAMES = {1: "1D", 2: "2D", 3: "3D"}


@dataclass
class Port:
    """A source of operands: the amount that passed it, and its peak per cycle."""
    unit: str       # "bytes", "words", "elements"
    amount: float
    peak: float     # per cycle; NaN if unknown


@dataclass
class Case:
    name: str
    device: str
    cycles: float
    time_ns: float
    macs: float
    peak_macs: float                           # per cycle; NaN if unknown
    energy_pj: float                           # NaN if unknown
    ports: dict = field(default_factory=dict)  # name -> Port
    mac_units: float = math.nan                # if a multiply-add takes longer than a cycle (a cell: a time-step); else NaN

    def macs_per_cycle(self):
        return self.macs / self.cycles if self.cycles else math.nan

    def of_peak(self):
        """Share of the multiply-adds that the array could have computed from beginning to end."""
        return self.macs_per_cycle() / self.peak_macs

    def units(self):
        return self.peak_macs if math.isnan(self.mac_units) else self.mac_units

    def utilisation(self):
        """Utilisation as in the testbenches: multiply-adds / (units x cycles), over all cycles from beginning to
        end."""
        return self.macs_per_cycle() / self.units()

    def intensity(self, port):
        amount = self.ports[port].amount
        return self.macs / amount if amount else math.nan


# ---- in words --------------------------------------------------------------------------------------------------------

def array_text(configuration):
    """The size of the array: a mesh, a torus, engines, or a square of PEs; "" if unknown."""
    mesh, grid, engines, side = (configuration.get(name) for name in ("mesh", "grid", "engines", "side"))
    if isinstance(mesh, list):
        return f"mesh {size_text(mesh)}"
    if grid:
        return f"{size_text([grid] * 3)} nodes"
    if engines and side:
        return f"{engines} engines of {side} x {side}"
    return f"array {side} x {side}" if side else ""


def name_of_device(summary):
    """The name of the device; a device of a comparison has its own title."""
    testbench = summary["testbench"]
    return summary.get("title") or summary_of(testbench).get("device", testbench)


def device_text(summary):
    configuration = summary["configuration"]
    if isinstance(configuration.get("device"), dict):
        configuration = configuration["device"]
    name = name_of_device(summary)
    array = array_text(configuration)
    return f"{name}, {array}" if array else name


def product_text(summary):
    configuration = summary["configuration"]
    return (f"product of matrices, form {configuration['form']} of {size_text(configuration['shape'])}, "
            f"{', '.join(configuration['classes'])}, {configuration['format']}")


def transform_text(summary):
    configuration = summary["configuration"]
    if "classes" in configuration:
        return product_text(summary)
    names = str(configuration.get("transform", "")).split(",")
    kind = f"{TRANSFORM_NAMES[len(names)]} {names[0]}" if len(set(names)) == 1 and len(names) in TRANSFORM_NAMES \
        else " x ".join(names)
    chain = configuration.get("chain")
    if chain:
        kind = f"chain ({'; '.join(chain)})"
    inverse = "inverse " if configuration.get("inverse") and not chain else ""
    shape, out_shape = configuration.get("shape") or [], configuration.get("out_shape")
    to = f" to {size_text(out_shape)}" if out_shape and out_shape != shape else ""
    details = [str(configuration[name]) for name in ("sparsity", "class", "schedule", "format") if configuration.get(name)]
    sizes = size_text(shape) if shape else f"cubes of {', '.join(map(str, configuration.get('sweep') or []))}"
    return f"{inverse}{kind} of {sizes}{to}, {', '.join(details)}"


def tucker_text(summary):
    configuration = summary["configuration"]
    decomposed = summary.get("decomposition") or {}
    return (f"Tucker {configuration['method']} of {size_text(configuration['shape'])} to ranks "
            f"{size_text(decomposed.get('ranks') or configuration.get('ranks') or ['?'])}")


def bus_jobs_text(summary):
    return ", ".join(f"{name}: {job['runs']} x {job['transform'].split(',')[0]} of {size_text(job['shape'])}"
                     for name, job in summary["devices"].items())


def vector_operation_text(summary):
    configuration = summary["configuration"]
    if "theorems" in summary:
        return f"{len({entry['theorem'] for entry in summary['theorems']})} theorems about a matrix unit with a vector unit"
    variant = configuration.get("variant")
    length = f"{configuration['length']:,} elements" if "lengths" not in summary \
        else f"{min(summary['lengths']):,} to {max(summary['lengths']):,} elements, {len(variants_of(summary))} algorithms"
    by = f" by {variant}" if variant and variant != configuration["operation"] else ""
    return f"{configuration['operation']}{by} of {length}, {configuration['format']}"


def variants_of(summary):
    return list(dict.fromkeys(run["variant"] for run in summary["runs"]))


def unit_algorithm_text(summary):
    configuration = summary["configuration"]
    if "theorems" in summary:
        return f"{len({entry['theorem'] for entry in summary['theorems']})} theorems about a tensor unit"
    return f"{configuration['algorithm']} of size {configuration['size']:,}, m = {configuration['m']}, {configuration['format']}"


def layer_text(summary):
    layer = summary.get("layer") or {}
    name = layer.get("name") or layer.get("format") or "a network"
    batch = f", batch {layer['batch']}" if "batch" in layer else ""
    return f"sequences of {name}{batch} by {summary['configuration']['objective']}"


def training_text(summary):
    configuration = summary["configuration"]
    epochs = len(summary.get("epochs") or [])
    return f"training of {configuration['model']}, {epochs} epoch{'' if epochs == 1 else 's'}, {configuration['operand']}"


def accelerators_text(summary):
    workloads = ", ".join(workload["name"] for workload in summary["configuration"]["workloads"])
    return f"{summary['configuration']['mode']} of {workloads}"


def mode_products_text(summary):
    configuration = summary["configuration"]
    shape, out_shape = configuration["shape"], configuration["out_shape"]
    to = f" to {size_text(out_shape)}" if out_shape != shape else ""
    return f"{configuration['einsum']} of {size_text(shape)}{to}, {summary['operands']}"


WORKLOADS = {
    "accelerators": accelerators_text, "bus_jobs": bus_jobs_text, "layer_sequences": layer_text,
    "mode_products": mode_products_text, "training": training_text, "transform": transform_text, "tucker": tucker_text,
    "unit_algorithm": unit_algorithm_text, "vector_operation": vector_operation_text,
}


class SettingsFormatter(string.Formatter):
    """Settings of a configuration as texts: sizes as 2 x 3, sizes by name as i = 2, j = 3."""

    def format_field(self, value, format_spec):
        if isinstance(value, list):
            return size_text(value)
        if isinstance(value, dict):
            return ", ".join(f"{name} = {size}" for name, size in value.items())
        return super().format_field(value, format_spec)


def workload_text(summary):
    """The workload, by the manifest: a function of this module, or a text with settings in braces. For an unknown
    testbench, the options that were given."""
    try:
        described = summary_of(summary["testbench"])["workload"]
        if "{" in described:
            return SettingsFormatter().vformat(described, (), summary["configuration"])
        return WORKLOADS[described](summary)
    except (LookupError, TypeError, AttributeError, ValueError):
        given = summary["configuration"].get("options_given") or {}
        return ", ".join(f"{name} {value}" for name, value in given.items() if name != "out") or "default options"


DEVICE_SETTINGS = ("sparsity", "schedule")  # which the workload of a transform names


def job_text(summary):
    """The workload without settings of the device: the same for runs that compute the same."""
    configuration = {name: value for name, value in summary["configuration"].items() if name not in DEVICE_SETTINGS}
    return workload_text({**summary, "configuration": configuration})


# ---- cases -----------------------------------------------------------------------------------------------------------

def number(value):
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else math.nan


def mac_units_of(summary):
    """Cells of a mesh; NaN for arrays that multiply in every cycle, or if the summary has the peak."""
    mesh = summary["configuration"].get("mesh")
    return float(math.prod(mesh)) if isinstance(mesh, list) and "roofline" not in summary else math.nan


def peak_macs_of(summary):
    """Multiply-adds per cycle of the whole array."""
    configuration = summary["configuration"]
    given = number((summary.get("roofline") or {}).get("peak_macs_per_cycle"))
    if not math.isnan(given):
        return given
    if isinstance(configuration.get("mesh"), list):
        return math.prod(configuration["mesh"]) / configuration.get("step_cycles", 1)
    grid, engines, side = (configuration.get(name) for name in ("grid", "engines", "side"))
    if grid:
        return float(grid ** 3 * configuration.get("macs_per_cycle", 1))
    return float((engines or 1) * side * side) if side else math.nan


def bus_peak_of(summary):
    """Bytes per cycle: of the memory if the summary has it, else of the device's port."""
    for part, name in (("roofline", "peak_bus_bytes_per_cycle"), ("bound_by", "peak_bus_bytes_per_cycle"),
                       ("memory", "peak_bytes_per_cycle")):
        found = number((summary.get(part) or {}).get(name)) if isinstance(summary.get(part), dict) else math.nan
        if not math.isnan(found):
            return found
    return number(summary["configuration"].get("dma_width_bits")) / 8


def bus_bytes_of(directory):
    """Bytes through the port, including programs: from the summary, else from the DMA's columns of latency.csv."""
    summary, table = directory.summary, directory.tables.get("latency")
    memory = summary.get("memory")
    if isinstance(memory, dict) and "read_bytes" in memory and "written_bytes" in memory:
        return float(memory["read_bytes"] + memory["written_bytes"])
    found = [table.sum_of(f"dma_engine.{way}_byte") for way in ("read", "write")] if table else [None]
    if None not in found:
        return sum(found)
    roofline = summary.get("roofline") or {}
    return number(roofline.get("bus_bytes_per_cycle")) * number(summary.get("cycles"))


def ports_of(summary, bus_bytes):
    ports = {"bus": Port("bytes", bus_bytes, bus_peak_of(summary))}
    roofline = summary.get("roofline") or {}
    if "peak_scratchpad_words_per_cycle" in roofline:
        ports["scratchpad"] = Port("words", number(roofline["scratchpad_words_per_cycle"]) * number(summary.get("cycles")),
                                   number(roofline["peak_scratchpad_words_per_cycle"]))
    return ports


def whole_run(directory):
    summary = directory.summary
    if "cycles" not in summary or "macs" not in summary:
        return []
    return [Case(name_of_device(summary), device_text(summary), number(summary["cycles"]),
                 number(summary.get("simulated_time_ns")), number(summary["macs"]), peak_macs_of(summary),
                 number((summary.get("energy_pJ") or {}).get("total")), ports_of(summary, bus_bytes_of(directory)),
                 mac_units_of(summary))]


def bytes_of_rows(table, column, wanted):
    """Bytes through the DMA of one device or of one program, from its rows of latency.csv."""
    own = [place for place, text in enumerate(table.texts(column)) if text == wanted] if table else []
    return sum(float(table.numbers(f"dma_engine.{way}_byte")[own].sum()) for way in ("read", "write")) if own else math.nan


def bytes_of_device(table, name):
    return bytes_of_rows(table, "device", name)


def cases_of_bus_jobs(directory):
    summary, table = directory.summary, directory.tables.get("latency")
    cases = []
    for name, job in summary["devices"].items():
        moved = bytes_of_device(table, name)
        energy = sum(value for key, value in summary["energy_pJ"].items() if key.startswith(name + "."))
        period = summary["configuration"]["clock_period_ps"] / 1000
        cells = float(math.prod(job["shape"]))
        peak = cells / summary["configuration"].get("step_cycles", 3)
        cases.append(Case(name, f"TriADA, mesh {size_text(job['shape'])}", number(job["cycles"]), job["cycles"] * period,
                          number(job["macs"]), peak, energy, {"bus": Port("bytes", moved, bus_peak_of(summary))}, cells))
    return cases


def cases_of_comparison(directory):
    """Cases of a comparison of algorithms: one per algorithm and length."""
    cases = []
    for run in directory.summary["runs"]:
        whole = {**run, "configuration": directory.summary["configuration"], "testbench": directory.summary["testbench"]}
        bus_bytes = number(run["roofline"]["bus_bytes_per_cycle"]) * run["cycles"]
        cases.append(Case(f"{run['variant']}, {run['length']:,}", device_text(whole), number(run["cycles"]),
                          number(run["simulated_time_ns"]), number(run["macs"]), peak_macs_of(whole),
                          number(run["energy_pJ"]["total"]), ports_of(whole, bus_bytes)))
    return cases


def cases_of_torus(directory):
    """Cases of transforms: the torus and, with --compare, the TriADA, of one size or several (their rows cannot be
    distinguished). A cell multiplies once per time-step."""
    summary = directory.summary
    if "classes" in summary["configuration"]:
        return cases_of_classes(directory)
    if len(summary["runs"]) == 1:
        return whole_run(directory)
    table = directory.tables.get("latency") if not summary["configuration"].get("sweep") else None
    cases = []
    for run in summary["runs"]:
        torus = run["device"] == "torus"
        name = f"{'torus' if torus else 'TriADA'}, {size_text(run['shape'])}"
        peak = run["multipliers"] * (1 if torus else run["steps"] / run["working_cycles"])
        cases.append(Case(name, name_of_device(summary) if torus else "TriADA", number(run["cycles"]), number(run["simulated_time_ns"]),
                          number(run["macs"]), peak, number(run["energy_pJ"]["total"]),
                          {"bus": Port("bytes", bytes_of_device(table, run["device"]), bus_peak_of(summary))},
                          number(run["multipliers"])))
    return cases


def cases_of_classes(directory):
    """Cases of products of matrices: one per class, each with its own program, on a plane of the torus."""
    summary, table = directory.summary, directory.tables.get("latency")
    configuration = summary["configuration"]
    peak = configuration["grid"] ** 2 * configuration["macs_per_cycle"]
    cases = []
    for place, run in enumerate(summary["runs"]):
        moved = bytes_of_rows(table, "run", str(place))
        cases.append(Case(run["class"], f"{name_of_device(summary)}, a plane of {size_text([configuration['grid']] * 2)} nodes",
                          number(run["cycles"]), number(run["simulated_time_ns"]), number(summary["macs"]), peak,
                          number(run["energy_pJ"]["total"]), {"bus": Port("bytes", moved, bus_peak_of(summary))}))
    return cases


def cases_of_accelerators(directory):
    """Accelerators have no program and no bus: their DRAM is the port, with unknown peak."""
    cases = []
    for row in directory.summary["results"]:
        if row.get("reason"):
            continue
        moved = number(row["dram_read_bytes"]) + number(row["dram_written_bytes"])
        macs, cycles, used = number(row["macs"]), number(row["cycles"]), number(row["utilisation"])
        cases.append(Case(f"{row['accelerator']}, {row['workload']}", row["accelerator"], cycles, number(row["time_ns"]), macs,
                          macs / (used * cycles) if used and cycles else math.nan, number(row["total_pJ"]),
                          {"bus": Port("bytes", moved, math.nan)}))
    return cases


def cases_of_search(directory):
    """Cases of the compared sequences. If the layer's forward pass was searched, costs on the device are those of a
    whole training step, whose multiply-adds are known only for the sequence that was found."""
    summary = directory.summary
    training, found_tree = summary.get("training") or {}, (summary.get("sequence") or {}).get("tree")
    step_macs = training.get("reverse_mode_macs" if summary["configuration"].get("dx") else "without_dx_macs")
    settings = {**summary, "configuration": summary["configuration"].get("device") or {}}
    period_ns = settings["configuration"].get("clock_period_ps", 1000) / 1000
    cases = []
    for name, found in summary["strategies"].items():
        if found:
            device = found.get("device") or {}
            macs = found["macs"] if not device or not training else step_macs if found["tree"] == found_tree else None
            cycles = number(device.get("cycles"))
            cases.append(Case(name, device_text(summary), cycles, cycles * period_ns, number(macs), peak_macs_of(settings),
                              number(device.get("energy_pJ"))))
    return cases


def cases_of_measurements(directory):
    """What was measured, on the preset that stands for the machine."""
    summary = directory.summary
    period = summary["configuration"]["clock_period_ps"] / 1000
    return [Case(f"{case['name']}, line {case['line']}", device_text(summary), number(case["cycles"]), case["cycles"] * period,
                 number(case["macs"]), peak_macs_of(summary), number(case["energy_pJ"])) for case in summary["cases"]]


# "cases" in a manifest -> the part of the summary with these cases, and their reader.
READERS = {
    "accelerators": ("results", cases_of_accelerators), "algorithms": ("runs", cases_of_comparison),
    "bus_jobs": ("devices", cases_of_bus_jobs), "measurements": ("cases", cases_of_measurements), "sequences": ("strategies", cases_of_search), "torus": ("runs", cases_of_torus),
}


def cases_of(directory):
    """A run without this part is one case."""
    part, reader = READERS.get(summary_of(directory.summary["testbench"]).get("cases"), (None, whole_run))
    return reader(directory) if part in directory.summary else whole_run(directory)
