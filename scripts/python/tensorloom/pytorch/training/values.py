"""A tensor of the traced graph as the device has it: the layers that make it, and the place of each element among the
numbers of a sample. PyTorch's pictures are [channel][y][x], those of the device [y][x][channel]; views and transpositions
of PyTorch change no place, they are followed on the tensor of places."""
from dataclasses import dataclass, field

import torch


class Refused(Exception):
    """What is wrong with a node, and what was expected; the translation adds its name."""


class Reordered(Exception):
    """The input must be given to the device in another order: place of each of its elements."""

    def __init__(self, order):
        super().__init__()
        self.order = order


@dataclass
class Link:
    """A parameter of the model, and the elements of a parameter of the module that it has, in its shape."""
    name: str
    parameter: torch.nn.Parameter
    index: torch.Tensor
    added: torch.nn.Parameter = None  # the device has the sum with this one, which stays as it is

    def value(self):
        found = self.parameter.detach().reshape(-1)[self.index]
        return found if self.added is None else found + self.added.detach().reshape(-1)[self.index]

    def take(self, array):
        """Writes the numbers of the model into the module."""
        found = torch.as_tensor(array).reshape(self.index.shape)
        if self.added is not None:
            found = found - self.added.detach().reshape(-1)[self.index]
        with torch.no_grad():
            flat = self.parameter.detach().clone().reshape(-1)
            flat[self.index] = found
            self.parameter.copy_(flat.reshape(self.parameter.shape))


def whole(name, parameter, *modes, added=None):
    """A Link to all elements; `modes`: their order, as of permute, joined in the shape of the model by reshape."""
    index = torch.arange(parameter.numel()).reshape(parameter.shape)
    return Link(name, parameter, index.permute(modes) if modes else index, added)


@dataclass
class Layer:
    """A layer of a model of tnn_training: its keys, and its parameters."""
    node: str  # of the graph
    described: dict
    links: list = field(default_factory=list)
    inside: tuple = ()  # layers of a residual sum

    @property
    def kind(self):
        return self.described.get("kind", "linear")

    def with_keys(self, **keys):
        return Layer(self.node, {**self.described, **keys}, self.links, self.inside)

    def model_keys(self):
        found = {"name": self.node, **self.described}
        return {**found, "layers": [layer.model_keys() for layer in self.inside]} if self.inside else found

    def named_links(self, before=""):
        """(name of the model's array, Link, name of the node), in the order of the model."""
        for link in self.links:
            yield f"{before}{self.node}.{link.name}", link, self.node
        for layer in self.inside:
            yield from layer.named_links(f"{before}{self.node}.")


@dataclass(eq=False)
class Step:
    """The numbers of a sample after a layer, and those before it; the first one is the input."""
    width: int
    before: "Step" = None
    layer: Layer = None
    last: "Step" = None  # of an LSTM that gives all frames: that with the last one alone

    def last_frame(self):
        self.last = self.last or Step(self.layer.described["hidden"], self.before, self.layer.with_keys(output="last"))
        return self.last

    def layers(self, since=None):
        """Those that make it from an earlier step, or from the input; None if that is not before it."""
        found, step = [], self
        while step is not since:
            if step is None:
                return None
            if step.layer is not None:
                found.append(step.layer)
            step = step.before
        return found[::-1]


@dataclass
class Value:
    """A tensor of the graph, batch first."""
    step: Step
    places: torch.Tensor      # of each element: sample x width + its place in the sample; -1: not on the device
    is_token: bool = False    # integers, of an embedding
    is_logarithm: bool = False  # of the softmax of the numbers, which a loss makes

    def viewed(self, places):
        return Value(self.step, places, self.is_token, self.is_logarithm)

    def of_sample(self):
        """Places of the elements of a sample, in the shape of the tensor without its batch."""
        places, width = self.places, self.step.width
        if bool((places < 0).any()):
            raise Refused("found a state that the device does not keep, expected that of the last layer")
        batch = places.numel() // width
        if not torch.equal(places.reshape(-1).sort()[0], torch.arange(batch * width)):
            raise Refused("found a part of a tensor, expected all of it, or of the frames of an LSTM the last one")
        if places.ndim == 0 or places.shape[0] != batch:
            raise Refused(f"found {places.shape[0] if places.ndim else 'no'} as its first size, expected the batch, {batch}")
        rows = torch.arange(places.shape[0]).reshape(-1, *[1] * (places.ndim - 1)) * width
        if not bool((places == places[:1] + rows).all()):
            raise Refused("found a tensor whose rows mix samples, expected a sample in each row: the batch first")
        return places[0]


@dataclass
class Constant:
    """A tensor that does not depend on the input; of a parameter with the place of each element in it."""
    tensor: torch.Tensor
    parameter: torch.nn.Parameter = None
    index: torch.Tensor = None

    def changed(self, function):
        return Constant(function(self.tensor), self.parameter, None if self.index is None else function(self.index))


def in_batch(of_sample, batch, width):
    """The places of a batch."""
    rows = torch.arange(batch).reshape(-1, *[1] * of_sample.ndim) * width
    return of_sample.unsqueeze(0) + rows


@dataclass
class Rows:
    """A tensor as rows of n numbers, each of which is a block of the device: `order` is the place of each number in its
    block, `blocks` the number of the block of each row, in the shape of the modes before."""
    order: torch.Tensor
    blocks: torch.Tensor

    @property
    def count(self):
        return self.blocks.numel()

    @property
    def is_plain(self):
        return bool((self.order == torch.arange(len(self.order))).all())

    @property
    def is_in_sequence(self):
        return bool((self.blocks.reshape(-1) == torch.arange(self.count)).all())

    def of_width(self, width):
        """Places if each row becomes one of `width` numbers, in their order."""
        return self.blocks.unsqueeze(-1) * width + torch.arange(width)


def rows_of(places, modes):
    """The last modes of a sample's places as Rows; None where they are no blocks of the device."""
    before = places.shape[:places.ndim - modes]
    flat = places.reshape(max(before.numel(), 1), -1)
    n = flat.shape[1]
    least = flat.min(dim=1)[0]
    order = flat[0] - least[0]
    if bool((least % n != 0).any()) or not bool((flat - least.unsqueeze(1) == order).all()):
        return None
    if not bool((order.sort()[0] == torch.arange(n)).all()):
        return None
    return Rows(order, (least // n).reshape(before))
