"""The cost of a PyTorch module: traced by torch.fx, run once on a sample for the shapes, mapped to programs of a FETTA."""
import contextlib
import dis
import inspect

import torch
import torch.fx

from tensorloom.network_cost.mapper import Settings, check_step
from tensorloom.network_cost.results import cost_of
from tensorloom.network_cost.tensors import mark_gradients
from tensorloom.network_cost.torch_nodes import LAYER, Translation, kind_of, seen_of
from tensorloom.run_directory import InputProblem, TensorLoomError, one_line


class ModuleTracer(torch.fx.Tracer):
    """Does not trace into modules of torch.nn and tensorized modules: each is one node."""

    def is_leaf_module(self, module, name):
        return hasattr(module, LAYER) or super().is_leaf_module(module, name)

    def proxy(self, node):
        return UnpackedProxy(node, self)


class Unpacked:
    """Unpacks shapes and parts: `batch, width = x.shape`. torch 1.13 itself does not find the instruction in Python 3.11."""

    def __iter__(self):
        frame = inspect.currentframe().f_back
        for instruction in dis.get_instructions(frame.f_code):
            if instruction.offset == frame.f_lasti and instruction.opname == "UNPACK_SEQUENCE":
                return (self[place] for place in range(instruction.argval))
        return self.tracer.iter(self)

    def __getattr__(self, name):
        return UnpackedAttribute(self, name)


class UnpackedProxy(Unpacked, torch.fx.Proxy):
    pass


class UnpackedAttribute(Unpacked, torch.fx.proxy.Attribute):
    pass


def traced(module, called="cost"):
    """The module as a graph. called: the function that the user has called, for errors."""
    try:
        tracer = ModuleTracer()
        graph = tracer.trace(module)
        return torch.fx.GraphModule(tracer.root, graph)
    except TensorLoomError:
        raise
    except Exception as error:  # of the module's own code, or of torch.fx: any
        raise InputProblem(f"{called}: {type(module).__name__} cannot be traced by torch.fx: {type(error).__name__}: "
                           f"{one_line(error)}{place_of(error)}") from None


def place_of(error):
    """The line of the module's own code at which an error arose."""
    inner, place = error.__traceback__, ""
    while inner is not None:
        file = inner.tb_frame.f_code.co_filename
        if "/torch/" not in file and not file.endswith("from_torch.py"):
            place = f" ({file.rsplit('/', 1)[-1]}:{inner.tb_lineno})"
        inner = inner.tb_next
    return place


class Recorder(torch.fx.Interpreter):
    """Runs the graph once and keeps shape, strides and place of every tensor."""

    def __init__(self, graph):
        super().__init__(graph)
        self.seen = {}    # node -> value: a Seen, or a tuple or dict of them, or another value
        self.failed = None

    def run_node(self, node):
        try:
            result = super().run_node(node)
        except Exception as error:
            self.failed = self.failed or (node, error)
            raise
        self.seen[node] = seen_of(result)
        return result


@contextlib.contextmanager
def unchanged(module, training):
    """Inside, the module may run; afterwards its buffers, modes and the random numbers are as before."""
    modes = {name: inner.training for name, inner in module.named_modules()}
    buffers = {name: buffer.clone() for name, buffer in module.named_buffers()}
    try:
        with torch.random.fork_rng(devices=[]), torch.no_grad():
            if not training:
                module.eval()
            yield
    finally:
        for name, inner in module.named_modules():
            inner.training = modes[name]
        with torch.no_grad():
            for name, buffer in module.named_buffers():
                buffer.copy_(buffers[name])


def recorded_run(graph, module, sample, called="cost"):
    recorder = Recorder(graph)
    arguments = sample if isinstance(sample, tuple) else (sample,)
    placeholders = [node for node in graph.graph.nodes if node.op == "placeholder"]
    needed = [node for node in placeholders if not node.args]
    if isinstance(sample, dict):
        names = {node.target: node for node in placeholders}
        unknown = [name for name in sample if name not in names]
        if unknown:
            raise InputProblem(f"{called}: the sample has '{unknown[0]}', expected arguments of {type(module).__name__}: "
                               f"{', '.join(names)}")
        missing = [node.target for node in needed if node.target not in sample]
        if missing:
            raise InputProblem(f"{called}: the sample has no '{missing[0]}', expected all of "
                               f"{', '.join(node.target for node in needed)}")
        arguments = tuple(sample.get(node.target, node.args[0] if node.args else None) for node in placeholders)
    elif not len(needed) <= len(arguments) <= len(placeholders):
        raise InputProblem(f"{called}: the sample has {len(arguments)} inputs, expected {len(needed)} for {type(module).__name__}, "
                           f"in a tuple if there are several")
    for number, argument in enumerate(arguments):
        if isinstance(argument, torch.Tensor) and (argument.device.type != "cpu" or argument.layout != torch.strided):
            raise InputProblem(f"{called}: input {number} of the sample is on {argument.device} with layout {argument.layout}, "
                               f"expected a dense tensor on the CPU")
    try:
        recorder.run(*arguments)
    except TensorLoomError:
        raise
    except Exception as error:
        node, cause = recorder.failed or (None, error)
        where = f"node '{node.name}' ({kind_of(node, graph)})" if node is not None else type(module).__name__
        told = one_line(cause).split(" While executing")[0]
        raise InputProblem(f"{called}: {where} fails on the sample: {type(cause).__name__}: {told}") from None
    return recorder.seen


def cost(module, sample, training=True, optimizer="sgd", workers=None, progress=None, **options):
    """What a training step (or with training=False the forward pass) of a module costs on a simulated FETTA, node by node.

    module     any torch.nn.Module that torch.fx can trace; it and its parameters stay as they are
    sample     an input tensor, or a tuple or dict of all inputs: it determines shapes and batch
    optimizer  of the update: "sgd", "momentum", "adam", or None for a step without it
    workers    parallel processes (default: the number of processors)
    progress   True, False, or None, which shows a line on terminals and in notebooks
    options    of the device, as those of tensorloom.contract: engines=, technology=, dram=, operand="f32", ...

    Returns a Run: summary["cycles"], table("nodes"), table("parts"), save(), show(), report().
    """
    if not isinstance(module, torch.nn.Module):
        raise InputProblem(f"cost: the module is {type(module).__name__}, expected a torch.nn.Module")
    check_step(training, optimizer)
    graph = traced(module)
    with unchanged(module, training):
        seen = recorded_run(graph, module, sample)
    nodes = Translation(graph, seen).nodes()
    mark_gradients(nodes, training)
    network = {"network": type(module).__name__, "front_end": "torch", "file": None}
    return cost_of(network, nodes, lambda device, bits: Settings(device, bits, training, optimizer), options, workers, progress)
