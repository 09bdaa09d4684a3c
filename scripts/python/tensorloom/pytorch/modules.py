"""Tensorized layers as modules of PyTorch. Each has the cores, formats and orders of a layer of tnn_training, so that the
device can train what PyTorch has built, and the other way round.

    layer = TTMLinear(784, 512, rank=8)                     # random; factors are chosen
    layer = TTMLinear.from_linear(dense, rank=8)            # of a torch.nn.Linear, by SVD
    layer = TTLinear(768, 768, rank=12, rows=(8, 8, 12), cols=(12, 8, 8))

The arithmetic is PyTorch's own. With simulated=True (or a dict of options of tensorloom.contract) the contractions of a
layer, forward and backward, run on the simulated device (einsum).
"""
import math

import torch

from tensorloom.pytorch.contraction import einsum
from tensorloom.pytorch.decompositions import cores_of
from tensorloom.pytorch.formats import matrix_of
from tensorloom.pytorch.paths import fewest_macs, kept
from tensorloom.run_directory import InputProblem

GATES = 4             # of an LSTM, in the order i, f, g, o
DENSE_ADVANTAGE = 4   # multiply-adds of one large product that take PyTorch the time of one of several small ones


class Network:
    """A tensor network as contractions of two tensors by PyTorch, in the order of fewest multiply-adds."""

    def __init__(self, terms, result, sizes):
        self.macs, path = fewest_macs(terms, result, sizes)
        self.steps, left = [], list(terms)
        for a, b in path:
            others = [left[place] for place in range(len(left)) if place not in (a, b)]
            made = kept(left[a], left[b], others, result) if others else result
            self.steps.append((a, b, f"{left[a]},{left[b]}->{made}"))
            left = others + [made]
        self.alone = None if self.steps else f"{terms[0]}->{result}"  # one core: sums of blocks, and its order

    def __call__(self, tensors):
        if self.alone:
            return torch.einsum(self.alone, tensors[0])
        left = list(tensors)
        for a, b, text in self.steps:
            made = torch.einsum(text, left[a], left[b])
            left = [tensor for place, tensor in enumerate(left) if place not in (a, b)] + [made]
        return left[0]


class CoreList(torch.nn.Module):
    """The cores of one matrix as parameters, by their names, with its products."""

    def __init__(self, matrix, device=None, dtype=None):
        super().__init__()
        self.matrix = matrix
        for core in matrix.cores():
            self.register_parameter(core.name, torch.nn.Parameter(torch.empty(core.shape, device=device, dtype=dtype)))
        self._networks = {}  # how products are computed, by the size of the batch

    def __getstate__(self):
        return {**self.__dict__, "_networks": {}}

    def values(self):
        return [getattr(self, core.name) for core in self.matrix.cores()]

    def reset(self, gain=1.0):
        """Uniform elements of one variance, so that Y has `gain` times the variance of X. W sums, over all ranks and blocks,
        products of one element of each core."""
        matrix = self.matrix
        cores = self.values()
        variance = (gain / (matrix.inputs * matrix.blocks * math.prod(matrix.ranks))) ** (1 / len(cores))
        for core in cores:
            torch.nn.init.uniform_(core, -math.sqrt(3 * variance), math.sqrt(3 * variance))

    @torch.no_grad()
    def take(self, values):
        for core, value in zip(self.values(), values):
            core.copy_(value.reshape(core.shape))

    def terms(self):
        return [self.matrix.term(core.modes) for core in self.matrix.cores()]

    def letter_sizes(self, batch=1):
        letters = self.matrix.letters()
        return {letters[mode]: size for mode, size in {"b": batch, **self.matrix.sizes()}.items()}

    def dense_network(self):
        if "dense" not in self._networks:
            result = self.matrix.term(self.matrix.outputs_modes() + self.matrix.inputs_modes())
            self._networks["dense"] = Network(self.terms(), result, self.letter_sizes())
        return self._networks["dense"]

    def dense(self):
        """W, outputs x inputs."""
        return self.dense_network()(self.values()).reshape(self.matrix.outputs, self.matrix.inputs)

    def equation(self):
        """X and the cores -> Y, as an einsum."""
        matrix = self.matrix
        terms = [matrix.term(["b", *matrix.inputs_modes()]), *self.terms()]
        return terms, matrix.term(["b", *matrix.outputs_modes()])

    def product(self, x, simulated=False):
        """x W^T of x, batch x inputs."""
        matrix = self.matrix
        tensors = [x.reshape(-1, *matrix.columns), *self.values()]
        if simulated or isinstance(simulated, dict):
            terms, result = self.equation()
            options = simulated if isinstance(simulated, dict) else {}
            return einsum(f"{','.join(terms)}->{result}", *tensors, **options).reshape(-1, matrix.outputs)
        size = x.shape[0].bit_length()  # batches of similar size have one order
        if size not in self._networks:
            self._networks[size] = self.best_network(1 << size)
        network = self._networks[size]
        return network(tensors).reshape(-1, matrix.outputs) if network else torch.nn.functional.linear(x, self.dense())

    def best_network(self, batch):
        """None where one product with the dense matrix is faster."""
        terms, result = self.equation()
        network = Network(terms, result, self.letter_sizes(batch))
        dense_macs = self.dense_network().macs + batch * self.matrix.outputs * self.matrix.inputs
        return network if network.macs * DENSE_ADVANTAGE < dense_macs else None


def weights_of(called, dense):
    """(matrix, bias or None) of a torch.nn.Linear, or of a matrix."""
    weight, bias = (dense.weight, dense.bias) if isinstance(dense, torch.nn.Linear) else (dense, None)
    if not isinstance(weight, torch.Tensor) or weight.ndim != 2 or not weight.dtype.is_floating_point:
        raise InputProblem(f"{called}: found {type(dense).__name__}, expected a torch.nn.Linear or a matrix, outputs x inputs")
    if not bool(torch.isfinite(weight).all()):
        raise InputProblem(f"{called}: the matrix has an element that is not finite, expected finite numbers")
    return weight, bias


class TensorizedLinear(torch.nn.Module):
    """torch.nn.Linear whose matrix is a tensor network; the class has its format.

    rank        one for all modes of the cores, each of which takes as much as it can use; or all, in the order of the format
    rows, cols  factors of out_features and in_features, the first one most significant; by default chosen, as equal as they
                can be: two of each, or three from 512 features on
    bias        whether a bias is added
    simulated   True, or options of tensorloom.contract: products run on the simulated device
    """
    format = None

    def __init__(self, in_features, out_features, rank=8, rows=None, cols=None, bias=True, simulated=False, device=None, dtype=None,
                 **of_format):
        super().__init__()
        matrix = matrix_of(type(self).__name__, self.format, out_features, in_features, rank, rows, cols, **of_format)
        self.in_features, self.out_features, self.simulated = in_features, out_features, simulated
        self.weight = CoreList(matrix, device, dtype)
        self.bias = torch.nn.Parameter(torch.empty(out_features, device=device, dtype=dtype)) if bias else None
        self.reset_parameters()

    def reset_parameters(self, gain=1.0):
        """Random cores that keep the variance of the inputs, times `gain` (2 before relu); a bias of 0."""
        self.weight.reset(gain)
        if self.bias is not None:
            torch.nn.init.zeros_(self.bias)

    @classmethod
    def from_linear(cls, dense, rank=8, **options):
        """The layer closest to a torch.nn.Linear (or a matrix, outputs x inputs) that these ranks allow, by singular value
        decompositions; exact for the full ranks of tt, ttm and ht. Type and device are those of the matrix."""
        weight, bias = weights_of(f"{cls.__name__}.from_linear", dense)
        options = {"bias": bias is not None, "device": weight.device, "dtype": weight.dtype, **options}
        layer = cls(weight.shape[1], weight.shape[0], rank, **options)
        layer.weight.take(cores_of(weight, layer.weight.matrix))
        if layer.bias is not None and bias is not None:
            with torch.no_grad():
                layer.bias.copy_(bias)
        return layer

    def forward(self, x):
        if x.shape[-1:] != (self.in_features,):
            raise InputProblem(f"{type(self).__name__}: the input has {x.shape[-1] if x.ndim else 'no'} features, expected "
                               f"{self.in_features}")
        y = self.weight.product(x.reshape(-1, self.in_features), self.simulated)
        if self.bias is not None:
            y = y + self.bias
        return y.reshape(*x.shape[:-1], self.out_features)

    def dense(self):
        """The matrix, out_features x in_features."""
        return self.weight.dense()

    @property
    def ranks(self):
        return self.weight.matrix.ranks

    def model_layer(self, **more):
        """The layer in a model file of tnn_training, as a dict, also for cost() and train(); `more`: name, activation, .."""
        return {**more, **self.weight.matrix.described(), "bias": self.bias is not None}

    def model_parameters(self):
        """Its parameters in the order of that layer: the cores, of bt with the blocks first, then the bias."""
        return self.weight.values() + ([self.bias] if self.bias is not None else [])

    def set_model_parameters(self, values):
        set_parameters(type(self).__name__, self.model_parameters(), values)

    def extra_repr(self):
        own = self.weight.matrix
        count = sum(core.numel() for core in self.weight.values())
        told = {"in_features": self.in_features, "out_features": self.out_features, **own.described(),
                "bias": self.bias is not None}
        told.pop("format")
        return ", ".join(f"{name}={value}" for name, value in told.items()) + f", {count:,} of {own.inputs * own.outputs:,} weights"


def set_parameters(called, parameters, values):
    """Copies arrays or tensors into parameters."""
    values = [torch.as_tensor(value) for value in values]
    if len(values) != len(parameters):
        raise InputProblem(f"{called}: {len(values)} parameters are given, expected {len(parameters)}")
    for number, (parameter, value) in enumerate(zip(parameters, values)):
        if value.numel() != parameter.numel():
            raise InputProblem(f"{called}: parameter {number} has {value.numel()} elements, expected {parameter.numel()}, "
                               f"{tuple(parameter.shape)}")
    with torch.no_grad():
        for parameter, value in zip(parameters, values):
            parameter.copy_(value.reshape(parameter.shape))


class TTLinear(TensorizedLinear):
    """A tensor train: a core for each factor of rows and columns. order="nm": columns first."""
    format = "tt"

    def __init__(self, in_features, out_features, rank=8, rows=None, cols=None, bias=True, order="mn", **options):
        super().__init__(in_features, out_features, rank, rows, cols, bias, order=order, **options)


class TTMLinear(TensorizedLinear):
    """A tensor train matrix: a core for each pair of factors."""
    format = "ttm"


class TRLinear(TensorizedLinear):
    """A tensor ring: a tensor train with both ends joined, r_0 to r_L-1. order="nm": columns first."""
    format = "tr"

    def __init__(self, in_features, out_features, rank=8, rows=None, cols=None, bias=True, order="mn", **options):
        super().__init__(in_features, out_features, rank, rows, cols, bias, order=order, **options)


class HTLinear(TensorizedLinear):
    """Hierarchical Tucker: a leaf for each pair of factors, joined by a binary tree."""
    format = "ht"


class BTLinear(TensorizedLinear):
    """Block term: a sum of `blocks`, each a factor for each pair of factors and a core that joins them."""
    format = "bt"

    def __init__(self, in_features, out_features, rank=8, rows=None, cols=None, bias=True, blocks=2, **options):
        super().__init__(in_features, out_features, rank, rows, cols, bias, blocks=blocks, **options)


class TTMLSTM(torch.nn.Module):
    """torch.nn.LSTM of one layer, both of whose matrices are tensor train matrices; inputs are batch x frames x features.

    rows and cols are factors of 4 hidden_size and input_size, hidden_rows and hidden_cols of 4 hidden_size and hidden_size;
    hidden_rank is the rank of the matrix of the state, by default `rank`. Gates are stacked in the order i, f, g, o.
    """
    def __init__(self, input_size, hidden_size, rank=8, rows=None, cols=None, bias=True, hidden_rank=None, hidden_rows=None,
                 hidden_cols=None, device=None, dtype=None):
        super().__init__()
        called = type(self).__name__
        outputs = GATES * hidden_size
        self.input_size, self.hidden_size = input_size, hidden_size
        self.weight = CoreList(matrix_of(called, "ttm", outputs, input_size, rank, rows, cols), device, dtype)
        self.bias = torch.nn.Parameter(torch.empty(outputs, device=device, dtype=dtype)) if bias else None
        of_hidden = matrix_of(f"{called}, hidden", "ttm", outputs, hidden_size, rank if hidden_rank is None else hidden_rank,
                              hidden_rows, hidden_cols)
        self.hidden_weight = CoreList(of_hidden, device, dtype)
        self.reset_parameters()

    def reset_parameters(self):
        """Random cores that keep the variance; a bias of 0, of the forget gate 1."""
        self.weight.reset()
        self.hidden_weight.reset()
        if self.bias is not None:
            with torch.no_grad():
                self.bias.zero_()
                self.bias[self.hidden_size:2 * self.hidden_size] = 1

    @classmethod
    def from_lstm(cls, dense, rank=8, **options):
        """The layer closest to a torch.nn.LSTM of one layer and direction that these ranks allow."""
        if not isinstance(dense, torch.nn.LSTM) or dense.num_layers != 1 or dense.bidirectional or dense.proj_size:
            raise InputProblem(f"{cls.__name__}.from_lstm: found {type(dense).__name__}, expected a torch.nn.LSTM of one layer "
                               f"and direction without a projection")
        weight = dense.weight_ih_l0
        options = {"bias": dense.bias, "device": weight.device, "dtype": weight.dtype, **options}
        layer = cls(dense.input_size, dense.hidden_size, rank, **options)
        for of_layer, of_dense in ((layer.weight, weight), (layer.hidden_weight, dense.weight_hh_l0)):
            of_layer.take(cores_of(of_dense, of_layer.matrix))
        if layer.bias is not None and dense.bias:
            with torch.no_grad():
                layer.bias.copy_(dense.bias_ih_l0 + dense.bias_hh_l0)
        return layer

    def forward(self, x, state=None):
        """(states of all frames, (last h, last c)), as of torch.nn.LSTM with batch_first=True."""
        if x.ndim != 3 or x.shape[2] != self.input_size:
            raise InputProblem(f"{type(self).__name__}: the input has the shape {tuple(x.shape)}, expected batch x frames x "
                               f"{self.input_size}")
        if state is None:
            state = (x.new_zeros(1, x.shape[0], self.hidden_size),) * 2
        matrices = [self.weight.dense(), self.hidden_weight.dense()]
        biases = [] if self.bias is None else [self.bias, torch.zeros_like(self.bias)]
        frames, h, c = torch.lstm(x, tuple(state), matrices + biases, bool(biases), 1, 0.0, self.training, False, True)
        return frames, (h, c)

    def dense(self):
        """Both matrices: 4 hidden_size x input_size, and 4 hidden_size x hidden_size."""
        return self.weight.dense(), self.hidden_weight.dense()

    def model_layer(self, frames, **more):
        """The layer in a model file of tnn_training, as a dict, for sequences of so many frames."""
        return {**more, "kind": "lstm", "frames": frames, "features": self.input_size, "hidden": self.hidden_size,
                **self.weight.matrix.described(), "bias": self.bias is not None,
                "hidden_weights": self.hidden_weight.matrix.described()}

    def model_parameters(self):
        """Its parameters in the order of that layer: cores of the inputs, bias, cores of the state."""
        return self.weight.values() + ([self.bias] if self.bias is not None else []) + self.hidden_weight.values()

    def set_model_parameters(self, values):
        set_parameters(type(self).__name__, self.model_parameters(), values)

    def extra_repr(self):
        parts = [f"input_size={self.input_size}, hidden_size={self.hidden_size}, bias={self.bias is not None}"]
        for called, own in (("", self.weight.matrix), ("hidden_", self.hidden_weight.matrix)):
            parts.append(f"{called}rows={'x'.join(map(str, own.rows))}, {called}cols={'x'.join(map(str, own.columns))}, "
                         f"{called}ranks={','.join(map(str, own.ranks))}")
        return ", ".join(parts)
