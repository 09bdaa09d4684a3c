"""What a node makes the device do: simulated programs, each with its phase and how often it runs."""
import math
from dataclasses import dataclass, field

from tensorloom.equations import merged, parsed
from tensorloom.network_cost.vector_programs import Device, Program, program_of

FORWARD, BACKWARD, WEIGHTS, UPDATE = PHASES = ("forward", "backward", "weight_gradient", "update")
MOST_MODES = 8           # of a tensor, as `contract` takes them
MOST_ELEMENTS = 2 ** 31 - 1
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


class NotModelled(Exception):
    """A node that no program models; the text is the reason. macs: its multiply-adds, if they can be counted."""

    def __init__(self, reason, macs=None):
        super().__init__(reason)
        self.macs = macs


@dataclass(frozen=True)
class Work:
    """A program to simulate; equal ones are simulated once. given: its own options as pairs. text: of a program for the
    vector unit."""
    testbench: str
    given: tuple
    what: str = field(compare=False)
    program: Program = None


@dataclass
class Part:
    """A work of a node. phase: of PHASES, or "step" if the work has all of them."""
    phase: str
    work: Work
    count: int = 1


# ---- contractions ----------------------------------------------------------------------------------------------------

def fused(modes, sizes):
    """Tensors as texts of modes in the order of memory, with modes that stand together in all of them as one, and the modes
    renamed in the order of their appearance: equal contractions become equal. Modes of size 1 are left out."""
    modes, sizes = merged(["".join(mode for mode in text if sizes[mode] > 1) for text in modes], sizes)
    names = dict(zip(dict.fromkeys("".join(modes)), LETTERS))
    return ["".join(names[mode] for mode in text) for text in modes], {names[mode]: sizes[mode] for mode in names}


def contraction(a, b, c, sizes, store):
    """C = sum of A B: texts of modes in the order of memory. store: bits of C in memory."""
    macs = math.prod(sizes[mode] for mode in set(a + b + c))
    for text, other in ((a, b), (b, a)):
        alone = [mode for mode in text if mode not in other and mode not in c and sizes[mode] > 1]
        if alone:
            raise NotModelled("a sum over one operand alone, which contract does not have", macs)
    (a, b, c), sizes = fused([a, b, c], sizes)
    for text in (a, b, c):
        if len(text) > MOST_MODES:
            raise NotModelled(f"a tensor of {len(text)} modes, and contract has at most {MOST_MODES}", macs)
        if math.prod(sizes[mode] for mode in text) > MOST_ELEMENTS:
            raise NotModelled(f"a tensor of more than {MOST_ELEMENTS:,} elements", macs)
    if not sizes:  # a product of two numbers
        a, b, c, sizes = "a", "a", "a", {"a": 1}
    texts = ",".join(f"{mode}={size}" for mode, size in sizes.items())
    return Work("contract", (("einsum", f"{a},{b}->{c}"), ("sizes", texts), ("store", "f32" if store == 32 else "bf16")),
                f"{a},{b}->{c}, {texts}")


def described_einsum(made, equation, operands):
    """Sets a node's operation, operands and modes to those of an einsum."""
    found = parsed(equation, [operand.shape for operand in operands])
    if any(len(set(modes)) < len(modes) for modes in found.operands):
        raise NotModelled("an einsum with a diagonal, which contract does not have")
    made.operation, made.operands = "einsum", operands
    made.attributes.update(modes=list(found.operands), result=found.result)


# ---- the vector unit -------------------------------------------------------------------------------------------------

def vector_work(kernel, rows, device: Device, what):
    program = program_of(kernel, rows, device)
    widest = max(stream.value.width for stream in [*kernel.loads, *kernel.stores])
    return Work("contract", (), f"{what}: {rows:,} {'numbers' if widest == 1 else f'rows of {widest:,}'}", program)


# ---- tensorized layers -----------------------------------------------------------------------------------------------

def layer_work(layer, batch, phases, dx):
    """A step of a tensorized layer. layer: format, rows, cols, ranks, blocks, order."""
    given = [(name, tuple(layer[name]) if isinstance(layer[name], (list, tuple)) else layer[name])
             for name in ("format", "rows", "cols", "ranks", "blocks", "order") if layer.get(name) not in (None, (), [], "")]
    given = [(name, value) for name, value in given
             if not (name == "blocks" and layer["format"] != "bt")
             and not (name == "order" and layer["format"] not in ("tt", "tr"))]
    sizes = "x".join(map(str, layer["rows"])) + " by " + "x".join(map(str, layer["cols"]))
    return Work("tnn_step", (*given, ("batch", batch), ("phases", phases), ("dx", "on" if dx else "off")),
                f"{layer['format']} {sizes}, {batch} samples")
