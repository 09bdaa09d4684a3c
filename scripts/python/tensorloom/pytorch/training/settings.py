"""Losses, optimizers and schedules of PyTorch as those of a model of tnn_training."""
import copy
import math
from dataclasses import dataclass

import torch

from tensorloom.run_directory import InputProblem

nn, schedules = torch.nn, torch.optim.lr_scheduler
NAMED_LOSSES = {"cross-entropy": nn.CrossEntropyLoss, "mse": nn.MSELoss, "l1": nn.L1Loss, "huber": nn.HuberLoss,
                "smooth-l1": nn.SmoothL1Loss, "nll": nn.NLLLoss}
KINDS = {nn.CrossEntropyLoss: "cross-entropy", nn.NLLLoss: "cross-entropy", nn.MSELoss: "mse", nn.L1Loss: "l1",
         nn.HuberLoss: "huber", nn.SmoothL1Loss: "huber"}
# Settings of an optimizer of PyTorch: key of the model, or the only value that the device has.
OPTIMIZERS = {
    torch.optim.SGD: ("sgd", {"momentum": "momentum", "weight_decay": "weight_decay"},
                      {"dampening": 0, "nesterov": False, "maximize": False}),
    torch.optim.Adam: ("adam", {"eps": "epsilon", "weight_decay": "weight_decay"}, {"amsgrad": False, "maximize": False}),
    torch.optim.AdamW: ("adamw", {"eps": "epsilon", "weight_decay": "weight_decay"}, {"amsgrad": False, "maximize": False}),
}
RATE, MOMENTUM = 0.05, 0.9  # of an optimizer None: those of a model


@dataclass
class Loss:
    module: nn.Module
    keys: object         # of a model
    takes_targets: bool  # real numbers, not classes
    takes_logarithms: bool = False


def loss_of(loss):
    if isinstance(loss, str):
        name = loss.lower().replace("_", "-")
        if name not in NAMED_LOSSES:
            raise InputProblem(f"train: the loss is '{loss}', expected one of {', '.join(NAMED_LOSSES)}, or a loss of torch.nn")
        loss = NAMED_LOSSES[name]()
    kind = KINDS.get(type(loss))
    if kind is None:
        raise InputProblem(f"train: the loss is {loss!r}, expected one of "
                           f"{', '.join(known.__name__ for known in KINDS)}, or a name: {', '.join(NAMED_LOSSES)}")
    for what, expected in (("reduction", "mean"), ("weight", None), ("label_smoothing", 0.0), ("beta", 1.0)):
        found = getattr(loss, what, expected)
        if not (found is None if expected is None else found is not None and found == expected):
            raise InputProblem(f"train: the loss {type(loss).__name__} has {what}={found}, expected {what}={expected}")
    keys = {"kind": kind, "delta": loss.delta} if isinstance(loss, nn.HuberLoss) else kind
    return Loss(loss, keys, kind != "cross-entropy", isinstance(loss, nn.NLLLoss))


def groups_of(optimizer, used):
    """The settings of an optimizer, one for all parameters that are trained. used: name -> parameter."""
    kind = OPTIMIZERS.get(type(optimizer))
    if kind is None:
        raise InputProblem(f"train: the optimizer is {type(optimizer).__name__}, expected "
                           f"{', '.join('torch.optim.' + known.__name__ for known in OPTIMIZERS)}, or None")
    settings = [{name: value for name, value in group.items() if name != "params"} for group in optimizer.param_groups]
    for number, other in enumerate(settings):
        unlike = next((name for name in settings[0] if other.get(name) != settings[0][name]), None)
        if unlike:
            raise InputProblem(f"train: the optimizer's group {number} has {unlike}={other.get(unlike)}, and group 0 "
                               f"{settings[0][unlike]}, expected one for all parameters")
    known = {id(parameter) for group in optimizer.param_groups for parameter in group["params"]}
    missing = next((name for name, parameter in used.items() if id(parameter) not in known), None)
    if missing:
        raise InputProblem(f"train: the optimizer does not have the parameter {missing}, expected all of the module")
    if optimizer.state:
        raise InputProblem("train: the optimizer has made steps before, expected a new one: the device begins with a state of 0")
    return settings[0]


def optimizer_keys(optimizer, used):
    """(keys of a model, settings of the optimizer of PyTorch)."""
    if optimizer is None:
        return {"kind": "sgd", "rate": RATE, "momentum": MOMENTUM}, {"lr": RATE, "momentum": MOMENTUM}
    settings = groups_of(optimizer, used)
    kind, keys, only = OPTIMIZERS[type(optimizer)]
    for name, expected in only.items():
        if settings.get(name, expected) != expected:
            raise InputProblem(f"train: the optimizer {type(optimizer).__name__} has {name}={settings[name]}, expected "
                               f"{name}={expected}")
    found = {"kind": kind, "rate": float(settings["lr"])}
    found.update({key: float(settings[name]) for name, key in keys.items()})
    if "betas" in settings:
        found.update(zip(("first_decay", "second_decay"), map(float, settings["betas"])))
    return found, settings


def warm_up_of(schedule):
    """Steps of a linear rise from 1/steps to 1."""
    steps = schedule.total_iters + 1
    if schedule.end_factor != 1 or not math.isclose(schedule.start_factor, 1 / steps, rel_tol=1e-6):
        raise InputProblem(f"train: the scheduler LinearLR rises from {schedule.start_factor:g} to {schedule.end_factor:g} in "
                           f"{schedule.total_iters} steps, expected LinearLR(optimizer, 1 / W, 1, W - 1)")
    return steps


def schedule_keys(schedule, optimizer, epochs, steps):
    """Keys of a model. Those of StepLR and ExponentialLR count epochs, those of the others steps. steps: of an epoch."""
    if schedule is None:
        return {}
    if getattr(schedule, "optimizer", optimizer) is not optimizer:
        raise InputProblem("train: the scheduler is of another optimizer, expected that of optimizer=")
    if getattr(schedule, "last_epoch", 0) != 0:
        raise InputProblem(f"train: the scheduler has made {schedule.last_epoch} steps before, expected a new one")
    kind = type(schedule)
    if kind is schedules.StepLR:
        return {"schedule": "step", "step_epochs": schedule.step_size, "step_factor": schedule.gamma}
    if kind is schedules.ExponentialLR:
        return {"rate_decay": schedule.gamma}
    if kind is schedules.LinearLR:
        return {"warm_up": warm_up_of(schedule)}
    parts = list(getattr(schedule, "_schedulers", [schedule]))
    if kind is schedules.SequentialLR and len(parts) == 2 and type(parts[0]) is schedules.LinearLR:
        warm_up = warm_up_of(parts[0])
        if list(schedule._milestones) != [warm_up]:
            raise InputProblem(f"train: the scheduler changes at {schedule._milestones}, expected [{warm_up}], the end of its rise")
    else:
        warm_up = 0
    if type(parts[-1]) is not schedules.CosineAnnealingLR or len(parts) != 1 + bool(warm_up):
        raise InputProblem(f"train: the scheduler is {kind.__name__}, expected StepLR, ExponentialLR, LinearLR, CosineAnnealingLR, "
                           f"or SequentialLR of LinearLR and CosineAnnealingLR")
    if parts[-1].T_max != epochs * steps - warm_up:
        raise InputProblem(f"train: the scheduler CosineAnnealingLR has T_max={parts[-1].T_max}, expected "
                           f"{epochs * steps - warm_up}, all steps of {epochs} epochs: the rate changes from step to step")
    return {"schedule": "cosine", "least_rate": parts[-1].eta_min, **({"warm_up": warm_up} if warm_up else {})}


def rate_factor(keys, epoch, step, epochs, steps):
    """What a schedule makes of the rate; epoch and step from 0 (docs/tnn_training.md#optimizers-and-schedules)."""
    at, warm_up = epoch * steps + step, keys.get("warm_up", 0)
    factor = (at + 1) / warm_up if at < warm_up else 1.0
    if keys.get("schedule") == "step":
        factor *= keys["step_factor"] ** (epoch // keys["step_epochs"])
    if keys.get("schedule") == "cosine":
        least = keys["least_rate"] / keys["rate"] if keys["rate"] else 1.0
        done = min(max((at - warm_up) / max(epochs * steps - warm_up, 1), 0), 1)
        factor *= least + (1 - least) * (1 + math.cos(math.pi * done)) / 2
    return factor * keys.get("rate_decay", 1.0) ** epoch


def optimizer_of(optimizer, settings, parameters):
    """A new optimizer of PyTorch with these settings."""
    kind = torch.optim.SGD if optimizer is None else type(optimizer)
    made = kind(parameters, lr=settings["lr"])
    for group in made.param_groups:
        group.update(copy.deepcopy({name: value for name, value in settings.items() if name != "initial_lr"}))
    return made
