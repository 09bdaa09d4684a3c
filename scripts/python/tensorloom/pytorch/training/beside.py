"""PyTorch on the batches of the device: a copy of the module learns from the same samples in the same order, with the same
masks of dropout."""
import copy

import torch

from tensorloom.pytorch.training.drawn import mask_key, order_of_epoch, random_fractions
from tensorloom.pytorch.training.settings import optimizer_of, rate_factor
from tensorloom.run_directory import InputProblem, one_line

TEST_BATCH = 256
COLUMNS = ("epoch", "loss", "pytorch_loss", "accuracy", "pytorch_accuracy", "test_loss", "pytorch_test_loss", "test_accuracy",
           "pytorch_test_accuracy")


class MaskedDropout(torch.nn.Module):
    """Dropout with the masks of tnn_training: number i of the batch is dropped if random number i of the stream is below p."""

    def __init__(self, rate, places, stream):
        super().__init__()
        self.rate, self.places, self.stream = rate, places, stream
        self.key = 0

    def forward(self, x):
        if not self.training:
            return x
        width = self.places.numel()
        random = torch.from_numpy(random_fractions(self.key, self.stream, len(x) * width)).reshape(len(x), width)
        kept = random[:, self.places.reshape(-1)].reshape(x.shape) >= torch.tensor(self.rate, dtype=torch.float32)
        return torch.where(kept, x, torch.zeros(())) / (1 - self.rate)


class Twin:
    """A copy of a traced module as PyTorch trains it.

    graph       the traced module
    translated  its Translated
    """

    def __init__(self, graph, translated):
        root = copy.deepcopy(graph)
        self.masks = []
        for stream, (name, (rate, places)) in enumerate(translated.dropouts.items()):
            node = next(node for node in root.graph.nodes if node.name == name)
            self.masks.append(MaskedDropout(rate, places, stream))
            root.add_submodule(f"masked_{name}", self.masks[-1])
            node.args, node.kwargs = (node.args or (node.kwargs["input"],))[:1], {}
            node.op, node.target = "call_module", f"masked_{name}"
        root.recompile()
        for module in root.modules():
            if isinstance(module, torch.nn.LSTM) and module.bias:
                for number in range(module.num_layers):
                    join_biases(*(getattr(module, f"bias_{part}_l{number}") for part in ("ih", "hh")))
        self.module = root

    def parameters(self):
        return [parameter for parameter in self.module.parameters() if parameter.requires_grad]


def join_biases(first, second):
    """The two biases of an LSTM, whose sum counts, as one parameter, which the device has."""
    with torch.no_grad():
        first += second
        second.zero_()
    second.requires_grad_(False)


def right_answers(found, y):
    return int((found.argmax(dim=1) == y).sum())


def tested(module, loss, samples):
    """(mean loss, share of right answers or None) of samples (x, y)."""
    module.eval()
    x, y = samples
    total = right = 0
    with torch.no_grad():
        for first in range(0, len(x), TEST_BATCH):
            part, answers = x[first:first + TEST_BATCH], y[first:first + TEST_BATCH]
            found = module(part)
            total += float(loss.module(found, answers)) * len(part)
            right += 0 if loss.takes_targets else right_answers(found, answers)
    return total / len(x), None if loss.takes_targets else right / len(x)


def train_beside(twin, plan, epochs):
    """For each epoch (loss, accuracy, test loss, test accuracy) of PyTorch. plan: a Plan of module_training."""
    try:
        return epochs_of(twin, plan, epochs)
    except RuntimeError as error:  # of PyTorch, which cannot train every module that runs
        raise InputProblem(f"train: PyTorch does not train the module: {one_line(error)}, expected one that it trains, or "
                           f"beside=False") from None


def epochs_of(twin, plan, epochs):
    module, x, y = twin.module, plan.samples.x, plan.samples.y
    optimizer = optimizer_of(plan.optimizer, plan.settings, twin.parameters())
    rows = []
    for epoch in range(epochs):
        module.train()
        order = torch.tensor(order_of_epoch(plan.training, plan.seed, epoch))
        total = right = seen = 0
        for step in range(plan.steps):
            batch = order[step * plan.batch:(step + 1) * plan.batch]
            for mask in twin.masks:
                mask.key = mask_key(plan.seed, epoch, step)
            for group in optimizer.param_groups:
                group["lr"] = plan.keys["rate"] * rate_factor(plan.keys, epoch, step, plan.epochs, plan.steps)
            optimizer.zero_grad()
            found = module(x[batch])
            loss = plan.loss.module(found, y[batch])
            loss.backward()
            if plan.keys.get("clip_norm"):
                torch.nn.utils.clip_grad_norm_(twin.parameters(), plan.keys["clip_norm"])
            optimizer.step()
            total += float(loss.detach()) * len(batch)
            right += 0 if plan.loss.takes_targets else right_answers(found.detach(), y[batch])
            seen += len(batch)
        rows.append((total / seen, None if plan.loss.takes_targets else right / seen, *tested(module, plan.loss, plan.test)))
    return rows


def table_of(of_device, of_pytorch):
    """pytorch.csv: an epoch of the device beside that of PyTorch. of_device: epochs of the summary."""
    def text(value):
        return "" if value is None else repr(value)

    lines = [",".join(COLUMNS)]
    for epoch, theirs in zip(of_device, of_pytorch):
        ours = [epoch.get(key) for key in ("training_loss", "training_accuracy", "test_loss", "test_accuracy")]
        lines.append(",".join([str(epoch["epoch"]), *(text(value) for pair in zip(ours, theirs) for value in pair)]))
    return "\n".join(lines) + "\n"


def printed(of_device, of_pytorch):
    """The lines below those of the program."""
    lines = ["  PyTorch               the same batches in float32: training loss, test loss, test accuracy"]
    for epoch, (loss, _, test_loss, accuracy) in zip(of_device, of_pytorch):
        told = f"loss {loss:.4g}, test {test_loss:.4g}" + ("" if accuracy is None else f", accuracy {100 * accuracy:.4g} %")
        lines.append(f"    {'epoch ' + str(epoch['epoch']):20}{told}")
    return "\n".join(lines) + "\n"
