"""Switching of a multiply-add's gates: how many change their output from one operation to the next."""
import collections
import fractions
import graphlib
import math
import numpy

LENGTH = 64    # multiply-adds of a dot product
PRODUCTS = 64  # dot products, evaluated side by side
SEED = 1

# type of a gate: its output, with the inputs in the order of PINS; for arrays of bool
PINS = "ABCDS"
OUTPUT = {"NOT": lambda a: ~a, "NAND": lambda a, b: ~(a & b), "NOR": lambda a, b: ~(a | b), "AND": lambda a, b: a & b,
          "OR": lambda a, b: a | b, "XOR": lambda a, b: a ^ b, "XNOR": lambda a, b: ~(a ^ b),
          "MUX": lambda a, b, s: numpy.where(s, b, a), "NMUX": lambda a, b, s: ~numpy.where(s, b, a),
          "AOI3": lambda a, b, c: ~(a & b | c), "OAI3": lambda a, b, c: ~((a | b) & c),
          "AOI4": lambda a, b, c, d: ~(a & b | c & d), "OAI4": lambda a, b, c, d: ~((a | b) & (c | d))}


class Netlist:
    """The gates of a combinational module, from Yosys' JSON. `values` has a row per net and a column per vector of
    inputs; nets 0 and 1 are the constants."""

    def __init__(self, module):
        self.ports = {name: [int(bit) for bit in port["bits"]] for name, port in module["ports"].items()}
        self.gates = {}  # its net: type, nets of the inputs
        for cell in module["cells"].values():
            nets = cell["connections"]
            self.gates[nets["Y"][0]] = (cell["type"].strip("$_"), [int(nets[pin][0]) for pin in PINS if pin in nets])
        levels = collections.defaultdict(int)
        groups = collections.defaultdict(list)
        for net in graphlib.TopologicalSorter({net: inputs for net, (_, inputs) in self.gates.items()}).static_order():
            if net in self.gates:
                kind, inputs = self.gates[net]
                levels[net] = 1 + max(levels[other] for other in inputs)
                groups[levels[net], kind].append(net)
        # gates of one type on one level are evaluated together
        self.steps = [(kind, nets, numpy.array([self.gates[net][1] for net in nets]).T)
                      for (_, kind), nets in sorted(groups.items())]

    def values(self, vectors):
        used = [*self.gates, *(net for nets in self.ports.values() for net in nets)]
        values = numpy.zeros((max(used) + 1, vectors), dtype=bool)
        values[1] = True
        return values

    def drive(self, values, port, words):
        """Unsigned words, one per vector, to an input port."""
        places = numpy.arange(len(self.ports[port]), dtype=numpy.uint64)[:, None]
        values[self.ports[port]] = words.astype(numpy.uint64) >> places & numpy.uint64(1)

    def evaluate(self, values):
        for kind, nets, inputs in self.steps:
            values[nets] = OUTPUT[kind](*values[inputs])

    def words(self, values, port):
        bits = values[self.ports[port]].astype(numpy.uint64)
        return numpy.bitwise_or.reduce(bits << numpy.arange(len(bits), dtype=numpy.uint64)[:, None])

    def toggles(self, sequence, transistors):
        """NAND2 gates that switch per operation. `sequence` has a row per net and a column per operation, in their
        order; a gate counts by its transistors."""
        nets = list(self.gates)
        changes = (sequence[nets, 1:] != sequence[nets, :-1]).sum(axis=1)
        weights = numpy.array([transistors[kind] / transistors["NAND"] for kind, _ in self.gates.values()])
        return float(changes @ weights) / (sequence.shape[1] - 1)


def random_operands(format_name, generator):
    """Words of a row of operands per step: int8 uniform, floats normal."""
    shape = (LENGTH, PRODUCTS)
    if format_name == "int8":
        return generator.integers(0, 256, shape, dtype=numpy.uint8)
    if format_name == "f64":
        return generator.standard_normal(shape).view(numpy.uint64)
    words = generator.standard_normal(shape, dtype=numpy.float32).view(numpy.uint32)
    return words if format_name == "f32" else words + 0x8000 >> 16


def number_of(words, format_name):
    """The numbers of words, exactly: int8, int32, f64, or f32 and its upper half, bf16."""
    kind = {"int8": numpy.int8, "int32": numpy.int32, "f64": numpy.float64}.get(format_name, numpy.float32)
    shift = 16 if format_name == "bf16" else 0
    unsigned = words.astype(f"u{numpy.dtype(kind).itemsize}") << shift
    return [fractions.Fraction(number.item()) for number in unsigned.view(kind)]


def rounded(exact, sum_format):
    """An exact sum to the nearest number of its format, ties to even; no subnormal."""
    if sum_format == "int32":
        return exact
    last = math.frexp(exact)[1] - {"f32": 24, "f64": 53}[sum_format]
    unit = fractions.Fraction(2) ** last
    return round(exact / unit) * unit


def toggles_per_operation(module, format_name, transistors):
    """NAND2 gates that switch per multiply-add of dot products of random elements, and how many of the sums are wrong.
    A sum goes back to `acc`, starting from 0. Without delays, so that no gate switches twice in an operation."""
    netlist = Netlist(module)
    generator = numpy.random.default_rng(SEED)
    x, c = random_operands(format_name, generator), random_operands(format_name, generator)
    sum_format = {"int8": "int32", "f64": "f64"}.get(format_name, "f32")
    values = netlist.values(PRODUCTS)
    acc = numpy.zeros(PRODUCTS, dtype=numpy.uint64)
    history = numpy.empty((*values.shape, LENGTH), dtype=bool)
    wrong = 0
    for step in range(LENGTH):
        for port, words in (("acc", acc), ("x", x[step]), ("c", c[step])):
            netlist.drive(values, port, words)
        netlist.evaluate(values)
        history[..., step] = values
        operands = zip(number_of(acc, sum_format), number_of(x[step], format_name), number_of(c[step], format_name))
        acc = netlist.words(values, "result")
        wrong += sum(rounded(a + b * d, sum_format) != result
                     for (a, b, d), result in zip(operands, number_of(acc, sum_format)))
    return netlist.toggles(history.reshape(len(values), -1), transistors), wrong
