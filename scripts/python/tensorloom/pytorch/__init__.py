"""PyTorch on a simulated FETTA: contractions with gradients, tensorized layers, and a backend for other libraries. Needs
torch, which the rest of the package does not.

    from tensorloom.pytorch import TTMLinear, einsum, recorded
    with recorded() as runs:
        y = einsum("bi,ir,ro->bo", x, u, v)
        y.sum().backward()
    sum(run.cycles for run in runs)

    contraction      einsum of any number of operands, forward and backward, and its records
    paths            the order in which several operands are contracted
    backend          tensordot, matmul, transpose, as opt_einsum and tensorly call them
    modules          TTLinear, TTMLinear, TRLinear, HTLinear, BTLinear, TTMLSTM
    formats          the cores of a tensorized matrix, as the models of tnn_training have them
    decompositions   cores of a dense matrix
    training/        train(): a module learns on the device

cost(module, sample) is the cost of a whole network, node by node (network_cost/).
"""
from tensorloom.network_cost.from_torch import cost
from tensorloom.pytorch.backend import dot, matmul, register, tensordot, transpose
from tensorloom.pytorch.contraction import device_options, einsum, recorded
from tensorloom.pytorch.modules import BTLinear, HTLinear, TRLinear, TTLinear, TTMLinear, TTMLSTM
from tensorloom.pytorch.training.module_training import model_of, train

__all__ = ["BTLinear", "HTLinear", "TRLinear", "TTLinear", "TTMLSTM", "TTMLinear", "cost", "device_options", "dot", "einsum",
           "matmul", "model_of", "recorded", "register", "tensordot", "train", "transpose"]
