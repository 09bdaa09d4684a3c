"""Contractions of PyTorch on a simulated FETTA, forward and backward, of any order."""
import contextlib
import os

import numpy as np
import torch

from tensorloom.contract_server import ContractServer, can_serve
from tensorloom.equations import Equation, merged, parsed, shape_text
from tensorloom.programs import VARIABLE, find_program
from tensorloom.pytorch.paths import kept, path_of
from tensorloom.run_directory import InputProblem
from tensorloom.testbenches import FUNCTIONS

TYPES = (torch.float32, torch.bfloat16, torch.float16)
MOST_MODES = 8    # of a tensor of the device
MOST_SERVERS = 4  # with different options; the one that has not been used for longest ends

open_records = []   # of recorded(), the innermost last
default_options = [{}]  # of device_options(), the innermost last
servers = {}        # options -> ContractServer, or None where each contraction is a process


class Record(list):
    """The Runs of contractions, in their order. `host`: what PyTorch computed on the host in between, as texts: sums of one
    operand and diagonals, for which the device has no command and which have no cycles here."""

    def __init__(self):
        super().__init__()
        self.host = []


@contextlib.contextmanager
def recorded():
    """A list of the Runs of all contractions inside, forward and backward, in their order (Record)."""
    runs = Record()
    open_records.append(runs)
    try:
        yield runs
    finally:
        open_records[:] = [open_record for open_record in open_records if open_record is not runs]  # equal ones may be open


@contextlib.contextmanager
def device_options(**options):
    """Options for the contractions inside that are not given with a call: those of other libraries, for example."""
    can_serve(options)  # refuses unknown ones
    default_options.append({**default_options[-1], **options})
    try:
        yield
    finally:
        default_options.pop()


# ---- one contraction on the device -----------------------------------------------------------------------------------


def server_of(options):
    """The server of these options; None if they need a process for each contraction."""
    path = find_program("contract")
    try:
        key = (os.environ.get(VARIABLE), path, os.stat(path).st_mtime_ns, *sorted(options.items()))
        known = key in servers
    except TypeError:  # a value that is no key
        return None
    if not known:
        server = ContractServer(**options) if can_serve(options) else None
        if server:
            server.checked = set()  # modes and shapes of contractions whose result has been compared
        if len(servers) >= MOST_SERVERS:
            oldest = servers.pop(next(iter(servers)))
            if oldest:
                oldest.close()
        servers[key] = server
    else:
        servers[key] = servers.pop(key)  # the latest
    return servers[key]


def on_device(modes, a, b, options):
    """The contraction as a float32 tensor; modes are those of a, of b and of the result."""
    shapes, shape = (a.shape, b.shape), None
    if max(map(len, modes)) > MOST_MODES:
        modes, shapes, shape = with_fewer_modes(modes, shapes)
    left, right, result = modes
    a, b = (operand.detach().to("cpu", torch.float32).reshape(size).numpy() for operand, size in zip((a, b), shapes))
    options = {name: value for name, value in options.items() if name != "progress"}
    server = server_of(options)
    if server:
        key = (left, right, result, a.shape, b.shape)
        run = server.contract(f"{left},{right}->{result}", a, b, keep=bool(open_records), check=key not in server.checked)
        server.checked.add(key)
    else:
        run = FUNCTIONS["contract"](f"{left},{right}->{result}", a, b, **options)
    for runs in open_records:
        runs.append(run)
    values = torch.from_numpy(np.array(run.result))  # np.array: a scalar keeps its shape
    return values if shape is None else values.reshape(shape)


def with_fewer_modes(modes, shapes):
    """Modes, and shapes of both operands, with neighbours merged; the shape of the result is that of the modes given."""
    sizes = {mode: size for term, shape in zip(modes, shapes) for mode, size in zip(term, shape)}
    fewer, extent = merged(modes, sizes)
    most = max(map(len, fewer))
    if most > MOST_MODES:
        raise InputProblem(f"einsum: '{modes[0]},{modes[1]}->{modes[2]}' has a tensor of {most} modes that no other mode stays "
                           f"beside, expected at most {MOST_MODES}, as a command of the device has")
    return fewer, [[extent[mode] for mode in term] for term in fewer[:2]], [sizes[mode] for mode in modes[2]]


class Contraction(torch.autograd.Function):
    """Both gradients of a contraction are contractions of the gradient of its result with the other operand: this function,
    too, so that gradients of any order are right."""

    @staticmethod
    def forward(context, modes, options, a, b):
        context.save_for_backward(a, b)
        context.modes, context.options = modes, options
        return on_device(modes, a, b, options).to(torch.promote_types(a.dtype, b.dtype)).to(a.device)

    @staticmethod
    def backward(context, gradient):
        (a, b), (left, right, result), options = context.saved_tensors, context.modes, context.options
        of_a = of_b = None
        if context.needs_input_grad[2]:
            of_a = Contraction.apply((result, right, left), options, gradient, b).to(a.dtype).to(a.device)
        if context.needs_input_grad[3]:
            of_b = Contraction.apply((left, result, right), options, a, gradient).to(b.dtype).to(b.device)
        return None, None, of_a, of_b


# ---- einsum ----------------------------------------------------------------------------------------------------------


def check_operand(number, operand):
    called = f"einsum: operand {number}"
    if not isinstance(operand, torch.Tensor):
        raise InputProblem(f"{called} is {type(operand).__name__}, expected a tensor of torch")
    if operand.layout != torch.strided:
        raise InputProblem(f"{called} is sparse ({str(operand.layout).replace('torch.', '')}), expected a dense tensor: to_dense()")
    if operand.device.type == "meta":
        raise InputProblem(f"{called} is on the device meta, where tensors have no values, expected one with values")
    if operand.dtype not in TYPES:
        raise InputProblem(f"{called} is {operand.dtype}, expected float32, bfloat16 or float16, as the device sums in float32")


def on_host(text):
    for runs in open_records:
        runs.host.append(text)


def single(number, modes, operand, equation, others):
    """(modes, tensor) of an operand without what the device has no command for: PyTorch computes that."""
    for place in reversed(range(len(modes))):
        if operand.shape[place] == 1 and equation.sizes[modes[place]] > 1:  # broadcasts
            operand, modes = operand.select(place, 0), modes[:place] + modes[place + 1:]
    unique = "".join(dict.fromkeys(modes))
    if unique != modes:
        on_host(f"diagonal of operand {number}, '{modes}', {shape_text(operand.shape)}")
        operand = torch.einsum(f"{modes}->{unique}", operand)
    needed = set(equation.result).union(*others)
    summed = [place for place, mode in enumerate(unique) if mode not in needed]
    if summed:
        if any(operand.shape[place] > 1 for place in summed):
            on_host(f"sum over '{''.join(unique[place] for place in summed)}' of operand {number}, '{unique}', "
                    f"{shape_text(operand.shape)}: {operand.numel():,} additions")
        operand = operand.sum(summed)
    return "".join(mode for mode in unique if mode in needed), operand


def pair(modes, options, a, b):
    """A contraction of two operands, in the types of an autocast where torch.einsum has them: where it sums."""
    left, right, result = modes
    if torch.is_autocast_cpu_enabled() and any(mode in right and mode not in result for mode in left):
        a, b = (operand.to(torch.get_autocast_cpu_dtype()) for operand in (a, b))
    return Contraction.apply(modes, options, a, b)


def einsum(equation, *operands, path=None, **options):
    """torch.einsum on the device: of any number of operands, two at a time.

    Options are those of tensorloom.contract: operand="f32" keeps operands as they are; by default they are rounded to
    bfloat16. The result has the operands' type; sums are float32.

    path: the order, as a list of pairs of numpy and opt_einsum; by default the one of fewest multiply-adds, or of least
    "memory" or "traffic", by contraction_search. Gradients of any order are contractions on the device.
    """
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    if not operands:
        raise InputProblem("einsum: no operands are given, expected at least one")
    for number, operand in enumerate(operands, 1):
        check_operand(number, operand)
    options = {**default_options[-1], **options}
    can_serve(options)
    wanted = parsed(equation, [tuple(operand.shape) for operand in operands])
    # A mode of size 1 that broadcasts leaves its operand, so that others may have it alone.
    present = [{mode for mode, size in zip(modes, operand.shape) if size == wanted.sizes[mode]}
               for modes, operand in zip(wanted.operands, operands)]
    terms, tensors = [], []
    for place, (modes, operand) in enumerate(zip(wanted.operands, operands)):
        term, tensor = single(place + 1, modes, operand, wanted, present[:place] + present[place + 1:])
        terms.append(term)
        tensors.append(tensor)
    for a, b in path_of(Equation(tuple(terms), wanted.result, wanted.sizes), path):
        others = [place for place in range(len(terms)) if place not in (a, b)]
        if b is None:  # a step of one operand
            terms, tensors = ([listed[place] for place in (*others, a)] for listed in (terms, tensors))
            continue
        rest = [terms[place] for place in others]
        made = kept(terms[a], terms[b], rest, wanted.result) if rest else wanted.result
        tensor = pair((terms[a], terms[b], made), options, tensors[a], tensors[b])
        terms, tensors = rest + [made], [tensors[place] for place in others] + [tensor]
    modes, result = terms[0], tensors[0]
    if len(operands) == 1:
        return result.permute([modes.index(mode) for mode in wanted.result])
    return result
