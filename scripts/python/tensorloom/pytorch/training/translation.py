"""The graph of a module, traced by torch.fx, as the layers of a model of tnn_training. A node that no layer computes is
refused by its name."""
import operator

import torch

from tensorloom.network_cost.torch_nodes import LAYER, Seen, flat, kind_of
from tensorloom.pytorch.training.layer_rules import FUNCTIONS, MODULES, VIEWS, tensorized
from tensorloom.pytorch.training.values import Constant, Layer, Refused, Reordered, Step, Value, in_batch
from tensorloom.run_directory import InputProblem

CASTS = {"to", "float", "long", "int", "type", "type_as", "cpu"}
CONSTANTS = {"arange", "zeros", "ones", "full", "tensor", "linspace", "zeros_like", "ones_like"}


class Translated:
    """The layers of a module.

    layers       in their order
    input_order  place of each element of a sample's input, in its shape
    result       places of the elements of a sample's output, in its shape
    dropouts     node -> (rate, places of its operand in a sample, width) in the order of the device's masks
    """

    def __init__(self, layers, input_order, value, dropouts):
        self.layers, self.input_order = layers, input_order
        self.result, self.is_logarithm = value.of_sample(), value.is_logarithm
        self.dropouts = dropouts

    def model_layers(self):
        return [layer.model_keys() for layer in self.layers]

    def links(self):
        return [found for layer in self.layers for found in layer.named_links()]


class Translation:
    """One pass over the graph, for one order of the input."""

    def __init__(self, graph, seen, input_order):
        self.graph, self.seen, self.input_order = graph, seen, input_order
        self.values, self.dropouts, self.node = {}, {}, None

    def run(self):
        for node in self.graph.graph.nodes:
            self.node = node
            try:
                self.values[node] = self.translated(node)
            except Refused as why:
                raise InputProblem(f"train: node '{node.name}' ({kind_of(node, self.graph)}): {why}") from None
        return self.values[self.node]

    def translated(self, node):
        arguments = [self.value(argument) for argument in node.args]
        keywords = {name: self.value(argument) for name, argument in node.kwargs.items()}
        if node.op == "placeholder":
            return self.placeholder(node)
        if node.op == "output":
            return arguments[0]
        if node.op == "get_attr":
            return self.attribute(node)
        self.check_in_place(node)
        seen = self.seen[node]
        if not any(isinstance(part, Seen) for part in flat(seen)):
            return seen  # a size, a number
        tensors = [part for part in flat((tuple(arguments), keywords)) if isinstance(part, (Value, Constant))]
        if node.op == "call_module":
            return self.module(self.graph.get_submodule(node.target), arguments, keywords)
        name = kind_of(node, self.graph).strip("_")
        if name == "getitem" and isinstance(arguments[0], tuple):
            return arguments[0][arguments[1]]
        if not tensors and name in CONSTANTS:
            return Constant(node.target(*arguments, **keywords))
        if tensors and (name in VIEWS or name == "getattr"):
            return self.view(node, arguments, keywords)
        if name in CASTS and isinstance(arguments[0], Value):
            return self.cast(seen, arguments[0])
        if name in FUNCTIONS:
            return FUNCTIONS[name](self, *arguments, **keywords)
        raise Refused("found a function that no layer of tnn_training has, expected one of those in docs/pytorch.md")

    def check_in_place(self, node):
        """A tensor that a function overwrites has no later user."""
        name, first = kind_of(node, self.graph), next(iter(node.all_input_nodes), None)
        if node.op == "call_module":
            overwrites = getattr(self.graph.get_submodule(node.target), "inplace", False)
        else:
            overwrites = name.endswith("_") and not name.endswith("__") or name == "iadd" or node.kwargs.get("inplace")
        if overwrites and first is not None and any(user is not node and user not in self.values for user in first.users):
            raise Refused(f"found a function that overwrites its input '{first.name}', which is used again, expected one that "
                          f"keeps it")

    def value(self, argument):
        return torch.fx.node.map_arg(argument, self.values.__getitem__)

    def placeholder(self, node):
        seen = self.seen[node]
        if not isinstance(seen, Seen):
            return seen
        if any(isinstance(value, Value) for value in self.values.values()):
            raise Refused("found a second input, expected a module of one input")
        places = self.input_order.reshape(seen.shape[1:])
        step = Step(places.numel())
        return Value(step, in_batch(places, seen.shape[0], step.width), is_token=seen.kind == "integer")

    def attribute(self, node):
        value = operator.attrgetter(node.target)(self.graph)
        if not isinstance(value, torch.Tensor):
            return value
        if isinstance(value, torch.nn.Parameter):
            return Constant(value.detach(), value, torch.arange(value.numel()).reshape(value.shape))
        return Constant(value.detach())

    def module(self, module, arguments, keywords):
        if hasattr(module, LAYER):
            return tensorized(self, module, *arguments, **keywords)
        rule = next((MODULES[kind] for kind in type(module).__mro__ if kind in MODULES), None)
        if rule is None:
            raise Refused(f"found a module that no layer of tnn_training has, expected one of "
                          f"{', '.join(sorted(kind.__name__ for kind in MODULES))}, or a tensorized layer")
        try:
            return rule(self, module, *arguments, **keywords)
        except TypeError:
            raise Refused(f"found {len(arguments) + len(keywords)} inputs, expected the input alone") from None

    def view(self, node, arguments, keywords):
        """The same function of places; of several tensors (view_as) the others have a shape alone."""
        def as_places(argument):
            if isinstance(argument, Constant):
                return argument.tensor
            return argument.places if isinstance(argument, Value) else argument

        first = arguments[0]
        others = [as_places(argument) for argument in arguments[1:]]
        named = {name: as_places(argument) for name, argument in keywords.items()}

        def applied(tensor):
            if node.op == "call_method":
                return getattr(tensor, node.target)(*others, **named)
            return node.target(tensor, *others, **named)

        if isinstance(first, Constant):
            return first.changed(applied)
        if not isinstance(first, Value):
            raise Refused("found no tensor of the network, expected its first argument to be one")
        found = applied(first.places)
        if isinstance(found, (tuple, list)):
            return tuple(map(first.viewed, found))
        return first.viewed(found)

    def cast(self, seen, value):
        if seen.dtype.is_floating_point and seen.dtype != torch.float32:
            raise Refused(f"found a conversion to {seen.dtype}, expected float32")
        return Value(value.step, value.places, seen.kind == "integer", value.is_logarithm)

    # ---- for the rules -----------------------------------------------------------------------------------------------

    @property
    def batch(self):
        return next(value.places.shape[0] for value in self.values.values() if isinstance(value, Value))

    def made(self, before, described, links, places):
        """The value of a new layer with the name of this node. places: of a sample's elements, in their shape."""
        return self.made_by(before, Layer(self.node.name, described, links), places)

    def made_by(self, before, layer, places):
        step = Step(places.numel(), before, layer)
        return Value(step, in_batch(places, self.batch, step.width))

    def in_order(self, value, places, wanted, why):
        """The places are the wanted ones; if the input can be given in another order, it is."""
        if torch.equal(places, wanted):
            return
        if all(layer.kind == "dropout" for layer in value.step.layers()):
            new = torch.empty_like(self.input_order)
            new[places.reshape(-1)] = wanted.reshape(-1)
            raise Reordered(new[self.input_order])
        raise Refused(why)


def translated(graph, seen):
    """Translated, of a traced module and what a run of it has shown. Raises InputProblem."""
    placeholder = next(node for node in graph.graph.nodes if node.op == "placeholder")
    shape = seen[placeholder].shape[1:]
    order, tries = torch.arange(torch.Size(shape).numel()), 2
    while True:
        translation = Translation(graph, seen, order)
        try:
            value = translation.run()
            break
        except Reordered as needed:
            tries -= 1
            if not tries:
                raise InputProblem(f"train: node '{translation.node.name}' ({kind_of(translation.node, graph)}): found the input "
                                   f"in the order of another layer, expected one order for all that take it") from None
            order = needed.order
    if not isinstance(value, Value):
        raise InputProblem(f"train: node 'output': found {type(value).__name__}, expected one tensor that layers compute")
    try:
        layers = value.step.layers()
        found = Translated(layers, order.reshape(shape), value, {})
    except Refused as why:
        raise InputProblem(f"train: node 'output': {why}") from None
    found.dropouts = dropouts_of(layers, translation.dropouts)
    check_parameters(found)
    return found


def dropouts_of(layers, known):
    """Node -> its dropout, of the layers that the output has, in their order."""
    found = {}
    for layer in layers:
        if layer.kind == "dropout":
            found[layer.node] = known[layer.node]
        found.update(dropouts_of(layer.inside, known))
    return found


def check_parameters(found):
    owners = {}
    for name, link, node in found.links():
        what = f"train: node '{node}': its parameter {name.rsplit('.', 1)[-1]}"
        parameter = link.parameter
        if not parameter.requires_grad:
            raise InputProblem(f"{what} is frozen (requires_grad=False), expected parameters that are trained")
        if parameter.dtype != torch.float32 or parameter.device.type != "cpu":
            raise InputProblem(f"{what} is {parameter.dtype} on {parameter.device}, expected torch.float32 on the CPU")
        elements = owners.setdefault(id(parameter), (node, torch.zeros(parameter.numel(), dtype=torch.bool)))
        if bool(elements[1][link.index].any()):
            raise InputProblem(f"{what} is also that of node '{elements[0]}', expected parameters of one node each")
        elements[1][link.index] = True
    for name, link, node in found.links():
        if not bool(owners[id(link.parameter)][1].all()):
            raise InputProblem(f"train: node '{node}': its parameter {name.rsplit('.', 1)[-1]} is a part of a parameter of "
                               f"{link.parameter.numel()} numbers, expected all of it")
    if not owners:
        raise InputProblem("train: the module has no parameter on the way to its output, expected at least one layer that learns")
