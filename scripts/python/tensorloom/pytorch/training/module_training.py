"""train(): the training of a PyTorch module on a simulated FETTA. model_of(): its model of tnn_training."""
import math
import numbers
from dataclasses import dataclass

import torch

from tensorloom.network_cost.from_torch import recorded_run, traced, unchanged
from tensorloom.pytorch.training.beside import Twin, printed, table_of, train_beside
from tensorloom.pytorch.training.samples import (BATCH, check_answers, on_device, samples_of, seed_of, tensor_of,
                                                 training_and_test)
from tensorloom.pytorch.training.settings import loss_of, optimizer_keys, schedule_keys
from tensorloom.pytorch.training.translation import translated
from tensorloom.run_directory import InputProblem
from tensorloom.simulation import BESIDE, PRINTED
from tensorloom.testbenches import FUNCTIONS, refuse_early

SAMPLE_ROWS = 2  # enough to see which mode is the batch
# Options of tnn_training that the arguments of train() set, or that PyTorch would not follow -> why.
OWN = {"model": "the module is the model", "initial": "the module has its parameters",
       "weights_in": "the module has its parameters", "train": "expected it as data", "scale": "expected x divided by it",
       "resume": "a module goes on from its own parameters", "config": "expected its options one by one"}


@dataclass
class Plan:
    """What the device and PyTorch train with."""
    samples: object   # of PyTorch
    training: list    # numbers of samples
    test: tuple       # (x, y) of PyTorch
    loss: object
    optimizer: object
    settings: dict    # of PyTorch's optimizer
    keys: dict        # of the model's optimizer
    seed: int
    epochs: int
    batch: int
    steps: int        # of an epoch


def layers_of(module, x):
    """(traced module, Translated) for inputs like these. The module stays as it is."""
    if not isinstance(module, torch.nn.Module):
        raise InputProblem(f"train: the module is {type(module).__name__}, expected a torch.nn.Module")
    rows = torch.arange(SAMPLE_ROWS) % len(x)
    with unchanged(module, True):
        module.train()
        graph = traced(module, "train")
        seen = recorded_run(graph, module, x[rows], "train")
        return graph, translated(graph, seen)


def check_output(found, loss):
    if loss.takes_logarithms != found.is_logarithm and (loss.takes_targets or loss.takes_logarithms):
        raise InputProblem(f"train: node 'output': found {'the' if found.is_logarithm else 'no'} logarithm of a softmax, expected "
                           f"{'one' if loss.takes_logarithms else 'none'} for {type(loss.module).__name__}")


def model_of(module, x, loss="cross-entropy", optimizer=None):
    """The model of tnn_training of a module, a dict: tl.tnn_training(model, train=(x, y)), or tl.sweep over its keys. x: inputs
    like those of the training; a sample is enough. Layers have the names of the nodes of the traced graph. Inputs and answers
    are in the order of the device: pictures [y][x][channel]."""
    loss = loss_of(loss)
    _, found = layers_of(module, tensor_of(x, "x"))
    check_output(found, loss)
    keys, _ = optimizer_keys(optimizer, {name: link.parameter for name, link, _ in found.links()})
    return {"loss": loss.keys, "optimizer": keys, "layers": found.model_layers()}


def number_from_1(what, value):
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < 1:
        raise InputProblem(f"train: {what} is {value!r}, expected a whole number from 1")
    return int(value)


def train(module, data, epochs=1, batch=None, optimizer=None, loss="cross-entropy", test=None, scheduler=None, clip_norm=None,
          beside=True, progress=None, **options):
    """Trains a module on a simulated FETTA, by tnn_training; its parameters are then those of the device.

    module     a torch.nn.Module of one input, batch first, that torch.fx can trace; docs/pytorch.md lists its layers
    data       (x, y) of arrays or tensors, or a torch DataLoader, whose batches are joined; each epoch has an order of its own
    epochs     passes over the training set
    batch      samples of a step (default: that of the DataLoader, or 32)
    optimizer  a new torch.optim.SGD, Adam or AdamW of the module's parameters; None: SGD of rate 0.05 and momentum 0.9
    loss       a loss of torch.nn, or "cross-entropy", "nll", "mse", "l1", "huber"
    test       the test set, as data; None: a share of the data, held_out=0.2
    scheduler  of the optimizer: StepLR, ExponentialLR, LinearLR, CosineAnnealingLR or SequentialLR of the last two
    clip_norm  largest norm of all gradients together, as clip_grad_norm_
    beside     True: PyTorch trains a copy on the same batches, for table("pytorch")
    progress   True, False, or None, which shows a line on terminals and in notebooks
    options    of tnn_training: seed=, validation=, patience=, engines=, technology=, ...

    Returns the Run of tnn_training. Rejected, by the name of the node, before anything runs: what the device cannot train. The
    module changes only after everything has succeeded.
    """
    epochs = number_from_1("epochs", epochs)
    is_number = isinstance(clip_norm, numbers.Real) and not isinstance(clip_norm, bool)
    if clip_norm is not None and not (is_number and 0 < clip_norm < math.inf):
        raise InputProblem(f"train: clip_norm is {clip_norm!r}, expected a number above 0, or None")
    for name, why in OWN.items():
        if options.get(name) is not None:
            raise InputProblem(f"train: {name} is not an option: {why}")
    refuse_early("tnn_training", options)
    loss, samples = loss_of(loss), samples_of(data, "data")
    graph, found = layers_of(module, samples.x)
    check_output(found, loss)
    check_answers(samples, "data", found, loss)
    of_test = None
    if test is not None:
        of_test = samples_of(test, "test")
        if of_test.x.shape[1:] != samples.x.shape[1:]:
            raise InputProblem(f"train: x of test has samples of shape {tuple(of_test.x.shape[1:])}, expected "
                               f"{tuple(samples.x.shape[1:])}, as those of data")
        check_answers(of_test, "test", found, loss)
    links = found.links()
    keys, settings = optimizer_keys(optimizer, {name: link.parameter for name, link, _ in links})
    batch = number_from_1("batch", samples.batch or BATCH if batch is None else batch)
    options.setdefault("drop_last", samples.drop_last or None)
    x, y = on_device(samples, found, loss)
    labels = None if loss.takes_targets else y
    training, held_out = training_and_test(len(x), labels, found.result.numel(), of_test is not None, options)
    steps = len(training) // batch if options["drop_last"] else -(-len(training) // batch)
    if not steps:
        raise InputProblem(f"train: batch is {batch}, expected at most the {len(training)} samples for training with drop_last")
    keys.update(schedule_keys(scheduler, optimizer, epochs, steps))
    if scheduler is not None and "initial_lr" in settings:
        keys["rate"] = float(settings["initial_lr"])
    if clip_norm is not None:
        keys["clip_norm"] = float(clip_norm)
    tested = (of_test.x, of_test.y) if of_test is not None else (samples.x[held_out], samples.y[held_out])
    plan = Plan(samples, training, tested, loss, optimizer, settings, keys, seed_of(options), epochs, batch, steps)
    model = {"epochs": epochs, "batch": batch, "loss": loss.keys, "optimizer": keys, "layers": found.model_layers()}
    given = {"train": (x, y), "test": None if of_test is None else on_device(of_test, found, loss),
             "initial": {name: link.value().numpy() for name, link, _ in links}}
    twin = Twin(graph, found) if beside else None  # of the parameters before the training
    run = FUNCTIONS["tnn_training"](model, progress=progress, **given, **options)
    if twin:
        epochs_done = run.summary["epochs"]
        rows = train_beside(twin, plan, len(epochs_done))
        run.files[BESIDE] = table_of(epochs_done, rows).encode()
        run.files[PRINTED] += printed(epochs_done, rows).encode()
    state = run.state_dict()
    for name, link, _ in links:
        link.take(state[name])
    return run
