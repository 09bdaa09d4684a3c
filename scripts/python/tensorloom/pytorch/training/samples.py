"""Data of PyTorch as arrays of tnn_training, in the order of the device, and which samples are for training."""
import math
from dataclasses import dataclass

import numpy as np
import torch

from tensorloom.pytorch.training.drawn import half_up, held_out, without_validation
from tensorloom.run_directory import InputProblem, one_line

HELD_OUT = 0.2  # of tnn_training
BATCH = 32


@dataclass
class Samples:
    x: torch.Tensor
    y: torch.Tensor
    batch: int = None        # of a DataLoader
    drop_last: bool = False  # likewise

    def __len__(self):
        return len(self.x)


def tensor_of(value, what):
    """A tensor on the CPU; real numbers as float32, integers as int64."""
    try:
        if not isinstance(value, torch.Tensor):
            array = np.asarray(value)
            if array.dtype.kind not in "biuf":
                raise InputProblem(f"train: {what} is an array of {array.dtype}, expected numbers")
            value = torch.from_numpy(np.array(array, np.float32 if array.dtype.kind == "f" else np.int64))
        value = value.detach().cpu()
        if value.layout != torch.strided or value.is_complex() or value.ndim == 0:
            raise InputProblem(f"train: {what} is a tensor of {value.ndim} modes, {value.dtype}, {value.layout}, expected real "
                               f"numbers with a sample in each row")
        return value.to(torch.float32 if value.dtype.is_floating_point else torch.int64)
    except (TypeError, ValueError, OverflowError, RuntimeError, NotImplementedError) as error:
        raise InputProblem(f"train: {what} is {type(value).__name__}, expected an array or a tensor: {one_line(error)}") from None


def of_loader(loader, what):
    """All batches of a DataLoader, in its order."""
    inputs, answers = [], []
    try:
        for number, part in enumerate(loader):
            if not isinstance(part, (tuple, list)) or len(part) != 2:
                found = f"{len(part)} parts" if isinstance(part, (tuple, list)) else type(part).__name__
                raise InputProblem(f"train: batch {number} of {what} is {found}, expected a pair: inputs and answers")
            inputs.append(tensor_of(part[0], f"batch {number} of {what}"))
            answers.append(tensor_of(part[1], f"answers of batch {number} of {what}"))
        if not inputs:
            raise InputProblem(f"train: {what} has no batch, expected at least one")
        return Samples(torch.cat(inputs), torch.cat(answers), loader.batch_size, bool(loader.drop_last))
    except InputProblem:
        raise
    except Exception as error:  # of the user's data set: any
        raise InputProblem(f"train: {what} fails: {type(error).__name__}: {one_line(error)}") from None


def samples_of(data, what):
    """Samples of (x, y), or of a DataLoader."""
    if isinstance(data, torch.utils.data.DataLoader):
        found = of_loader(data, what)
    elif isinstance(data, (tuple, list)) and len(data) == 2:
        found = Samples(tensor_of(data[0], f"x of {what}"), tensor_of(data[1], f"y of {what}"))
    else:
        raise InputProblem(f"train: {what} is {type(data).__name__}, expected (x, y) or a torch.utils.data.DataLoader")
    if len(found.x) != len(found.y) or not len(found.x):
        raise InputProblem(f"train: {what} has {len(found.x)} inputs and {len(found.y)} answers, expected as many of both, at "
                           f"least one")
    return found


def check_answers(samples, what, translated, loss):
    """Answers of the type and the shape that the loss compares with the output."""
    y, shape = samples.y, tuple(translated.result.shape)
    if loss.takes_targets:
        if not y.dtype.is_floating_point or y.shape[1:] != shape:
            raise InputProblem(f"train: y of {what} is {y.dtype} of shape {tuple(y.shape)}, expected real numbers of shape "
                               f"{(len(y), *shape)}, as the output of the module")
        return
    if len(shape) != 1:
        raise InputProblem(f"train: node 'output': found a tensor of shape {(len(y), *shape)}, expected batch x classes for "
                           f"{type(loss.module).__name__}")
    if y.dtype.is_floating_point or y.ndim != 1:
        raise InputProblem(f"train: y of {what} is {y.dtype} of shape {tuple(y.shape)}, expected integers of shape ({len(y)},): "
                           f"classes for {type(loss.module).__name__}")
    wrong = (y < 0) | (y >= shape[0])
    if bool(wrong.any()):
        place = int(wrong.nonzero()[0])
        raise InputProblem(f"train: y of {what}, sample {place}: found class {int(y[place])}, expected 0 to {shape[0] - 1}")


def on_device(samples, translated, loss):
    """(x, y) for tnn_training: numbers of a sample in the order of the device."""
    def ordered(values, places):
        flat, order = values.reshape(len(values), -1), places.reshape(-1)
        return (values if torch.equal(order, torch.arange(len(order))) else flat[:, order.argsort()]).numpy()

    y = ordered(samples.y, translated.result) if loss.takes_targets else translated.result[samples.y].numpy()
    return ordered(samples.x, translated.input_order), y


def seed_of(options):
    return 1 if options.get("seed") is None else int(options["seed"])


def share_in(options, name, otherwise=None):
    try:
        return otherwise if options.get(name) is None else float(options[name])
    except (TypeError, ValueError):
        raise InputProblem(f"train: {name} is {options[name]!r}, expected a number from 0 to 1") from None


def training_and_test(count, labels, classes, has_test, options):
    """(numbers of the samples for training, of those for the test or None), as tnn_training divides them. labels: None for
    targets."""
    seed = seed_of(options)
    training, test = list(range(count)), None
    if not has_test:
        share = share_in(options, "held_out", HELD_OUT)
        wanted = half_up(share * count) if math.isfinite(share) else 0
        if not 1 <= wanted < count:
            raise InputProblem(f"train: held_out is {share:g}, which of {count} samples takes {wanted}, expected at least one for "
                               f"testing and one for training, or test=")
        training, test = held_out(count, wanted, seed, labels, classes)
    validation = share_in(options, "validation", 0)
    if 0 < validation < 1:  # the program refuses others
        if len(training) < 2:
            raise InputProblem(f"train: {len(training)} samples for training, expected at least 2 to hold some out for validation")
        training = without_validation(training, float(np.float32(validation)), seed)
    return training, test
