#!/usr/bin/env python3
"""The training of PyTorch modules on the device: against a loop of PyTorch written here, on the same batches; parameters that
come back; refusals by the name of a node. Skipped where torch is not installed. Usage: python_torch_training_test.py DIRECTORY
with the testbenches"""
import contextlib
import copy
import io
import os
import re
import textwrap
import unittest

import numpy as np

from package_path import ROOT
from runs_from_python import RunsFromPython
import tensorloom as tl

try:
    import torch
    from torch import nn
    from tensorloom.pytorch import BTLinear, HTLinear, TRLinear, TTLinear, TTMLinear, TTMLSTM, model_of, train
    from tensorloom.pytorch.training.drawn import MersenneTwister64, order_of_epoch, philox
    Module, F = nn.Module, nn.functional
except ImportError:
    torch, Module = None, object

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "data")
SAMPLES, TESTED = 320, 80
RELATIVE, ABSOLUTE = 0.01, 0.002  # of losses; the bound of docs/tnn_training.md is 0.05 and 0.005
UPDATE = 0.12  # of an update, relative: the sum of roundings to bf16 in a few steps


def of(function, **parts):
    """A module whose forward is a function of it and the input."""
    class Made(Module):
        def __init__(self):
            super().__init__()
            for name, part in parts.items():
                setattr(self, name, part)

        def forward(self, x):
            return function(self, x)
    return Made()


def convolutions():
    return nn.Sequential(nn.Unflatten(1, (1, 8, 8)), nn.Conv2d(1, 6, (3, 2), padding=1), nn.ReLU(), nn.MaxPool2d(2, (2, 1)),
                         nn.Conv2d(6, 4, 2, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(32, 10))


def residual_pictures():
    def forward(self, x):
        x = torch.relu(self.first(x.view(x.size(0), 2, 8, 4)))
        x = x + torch.tanh(self.second(x))
        return self.last(self.norm(x).permute(0, 2, 3, 1).mean((1, 2)))
    return of(forward, first=nn.Conv2d(2, 6, 3, padding=1), second=nn.Conv2d(6, 6, 3, padding="same"), norm=nn.LayerNorm([6, 8, 4]),
              last=nn.Linear(6, 10))


def recurrent(layers=1):
    return of(lambda self, x: self.last(self.lstm(x.view(-1, 8, 8))[1][0][-1]), lstm=nn.LSTM(8, 24, layers, batch_first=True),
              last=nn.Linear(24, 10))


def tensorized_recurrent():
    return of(lambda self, x: self.last(self.lstm(x.view(-1, 8, 8))[0][:, -1]), lstm=TTMLSTM(8, 24, rank=3), last=nn.Linear(24, 10))


def encoder(norm_first=False, learned=True, stacked=0):
    block = nn.TransformerEncoderLayer(12, 3, 20, dropout=0, activation="gelu", batch_first=True, norm_first=norm_first)
    positions = nn.Parameter(torch.randn(1, 16, 12) / 4) if learned else nn.Embedding(16, 12)

    def forward(self, x):
        at = self.positions if learned else self.positions(torch.arange(16))
        return self.last(self.blocks(self.table(x) + at).mean(1))
    return of(forward, table=nn.Embedding(17, 12), positions=positions,
              blocks=nn.TransformerEncoder(block, stacked, nn.LayerNorm(12)) if stacked else block, last=nn.Linear(12, 10))


def loop(module, data, epochs, batch, optimizer, loss, seed=1, scheduler=None, by_step=False, clip_norm=None, drop_last=False):
    """Mean losses of the epochs of a PyTorch training, in the order of the device. optimizer, scheduler: functions."""
    for inner in module.modules():
        if type(inner) is nn.LSTM:  # the device learns one of its two biases
            for name, parameter in inner.named_parameters():
                parameter.requires_grad_(not name.startswith("bias_hh"))
    optimizer = optimizer([parameter for parameter in module.parameters() if parameter.requires_grad])
    scheduler = scheduler and scheduler(optimizer)
    x, y = data
    losses = []
    for epoch in range(epochs):
        order, all_losses = torch.tensor(order_of_epoch(range(len(x)), seed, epoch)), []
        for part in order.split(batch):
            if drop_last and len(part) < batch:
                break
            optimizer.zero_grad()
            found = loss(module(x[part]), y[part])
            found.backward()
            if clip_norm:
                nn.utils.clip_grad_norm_(module.parameters(), clip_norm)
            optimizer.step()
            if scheduler and by_step:
                scheduler.step()
            all_losses += [float(found)] * len(part)
        if scheduler and not by_step:
            scheduler.step()
        losses.append(np.mean(all_losses))
    return losses


def sgd(parameters, **more):
    return torch.optim.SGD(parameters, **{"lr": 0.05, "momentum": 0.9, **more})


@unittest.skipUnless(torch, "no torch (python3-torch): training of modules is not tested")
class TrainingOnTheDeviceTest(RunsFromPython):
    def setUp(self):
        super().setUp()
        torch.manual_seed(1)
        digits = np.loadtxt(os.path.join(DATA, "digits_1797x64.csv"), delimiter=",").astype(np.float32)[:SAMPLES + TESTED]
        x, y = torch.tensor(digits[:, :64] / 16), torch.tensor(digits[:, 64]).long()
        self.data, self.test = (x[:SAMPLES], y[:SAMPLES]), (x[SAMPLES:], y[SAMPLES:])
        self.tokens = [((16 * part[0][:, ::4]).long(), part[1]) for part in (self.data, self.test)]

    def assert_trained(self, module, data=None, test=None, optimizer=sgd, loss=None, scheduler=None, by_step=False, update=UPDATE,
                       **options):
        """Losses and the updates of all parameters are those of the loop; the run."""
        data, test, loss = data or self.data, test or self.test, loss or nn.CrossEntropyLoss()
        options = {"epochs": 2, "batch": 50, **options}
        before, theirs = copy.deepcopy(module.state_dict()), copy.deepcopy(module)
        known = {name: value for name, value in options.items() if name in ("epochs", "batch", "seed", "clip_norm", "drop_last")}
        expected = loop(theirs, data, optimizer=optimizer, loss=loss, scheduler=scheduler, by_step=by_step, **known)
        ours = optimizer(module.parameters())
        run = train(module, data, optimizer=ours, loss=loss, test=test, scheduler=scheduler and scheduler(ours), **options)
        table = run.table("pytorch")
        for found, twin, wanted in zip(table["loss"], table["pytorch_loss"], expected):
            self.assertLess(abs(found - wanted), max(RELATIVE * wanted, ABSOLUTE))
            self.assertLess(abs(twin - wanted), 1e-4 * max(wanted, 1))
        self.assertEqual(len(table), options["epochs"])
        for (name, found), wanted in zip(module.state_dict().items(), theirs.state_dict().values()):
            size = float((wanted - before[name]).norm())
            if size > 1e-5 * wanted.numel() ** 0.5:  # not the bias of keys, which adds the same to all scores of a row
                self.assertLess(float((found - wanted).norm()) / size, update, name)
        return run

    def assert_right(self, module, run, test):
        """The module, with the parameters of the device, classifies the test set as the device does."""
        module.eval()
        with torch.no_grad():
            right = int((module(test[0]).argmax(1) == test[1]).sum())
        self.assertLessEqual(abs(right - run.summary["test_accuracy"] * len(test[1])), 2)
        self.assertAlmostEqual(run.table("pytorch")["test_accuracy"][-1], run.summary["test_accuracy"])

    def test_dense_networks(self):
        module = nn.Sequential(nn.Linear(64, 40), nn.ReLU(), nn.Linear(40, 24, bias=False), nn.Tanh(), nn.Linear(24, 16), nn.Sigmoid(),
                               nn.Linear(16, 12), nn.GELU(), nn.Linear(12, 10))
        self.assert_trained(module)
        run = self.assert_trained(nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10)), epochs=6)
        self.assertGreater(run.summary["test_accuracy"], 0.7)
        module = nn.Sequential(nn.Linear(64, 32), nn.GELU(approximate="tanh"), nn.Linear(32, 10))
        self.assert_right(module, self.assert_trained(module, seed=12345678901), self.test)

    def test_tensorized_networks(self):
        module = nn.Sequential(TTMLinear(64, 64, rank=4), nn.ReLU(), TTLinear(64, 32, rank=4, order="nm"), nn.ReLU(),
                               TRLinear(32, 10, rank=2, bias=False))
        self.assert_right(module, self.assert_trained(module), self.test)
        module = nn.Sequential(HTLinear(64, 36, rank=4), nn.Tanh(), BTLinear(36, 16, rank=3), nn.ReLU(), nn.Linear(16, 10))
        self.assert_right(module, self.assert_trained(module), self.test)

    def test_pictures(self):
        for module in (convolutions(), residual_pictures()):
            self.assert_right(module, self.assert_trained(module), self.test)
        module = of(lambda self, x: self.last(F.avg_pool2d(torch.relu(F.adaptive_max_pool2d(self.conv(x), 4)), 2).flatten(1)),
                    conv=nn.Conv2d(3, 5, 3, padding=1), last=nn.Linear(20, 10))
        pictures = [(part[0].repeat(1, 3).reshape(-1, 3, 8, 8) * torch.tensor([1, 0.5, 2]).view(3, 1, 1), part[1])
                    for part in (self.data, self.test)]
        with self.assertRaisesRegex(tl.InputProblem, "node 'adaptive_max_pool2d"):
            train(module, pictures[0])
        module = nn.Sequential(nn.Conv2d(3, 5, 3, padding=1), nn.AdaptiveMaxPool2d(4), nn.ReLU(), nn.AvgPool2d(2), nn.Flatten(),
                               nn.Linear(20, 10))
        self.assert_right(module, self.assert_trained(module, *pictures), pictures[1])

    def test_a_tensorized_layer_after_a_picture_needs_channels_last(self):
        parts = {"conv": nn.Conv2d(1, 4, 3, padding=1), "last": TTLinear(256, 10)}
        text = str(self.refusal(train, of(lambda self, x: self.last(self.conv(x.view(-1, 1, 8, 8)).flatten(1)), **parts), self.data))
        self.assertRegex(text, r"node 'last' \(TTLinear\): found .*\[y\]\[x\]\[channel\].*x.permute\(0, 2, 3, 1\)")
        self.assert_trained(of(lambda self, x: self.last(self.conv(x.view(-1, 1, 8, 8)).permute(0, 2, 3, 1).flatten(1)), **parts))

    def test_one_row_and_frames_in_another_order(self):
        self.assert_trained(nn.Sequential(nn.Unflatten(1, (8, 8)), nn.Conv1d(8, 12, 3), nn.ReLU(), nn.MaxPool1d(2), nn.Flatten(),
                                          nn.Linear(36, 10)))
        self.assert_trained(of(lambda self, x: self.last(self.first(x.view(-1, 8, 8).transpose(1, 2)).flatten(1)),
                               first=nn.Linear(8, 6), last=nn.Linear(48, 10)))
        module = of(lambda self, x: self.last(torch.relu(self.frames(self.conv(x.view(-1, 1, 8, 8)).flatten(2).transpose(1, 2)))
                                              .transpose(1, 2).flatten(1)),
                    conv=nn.Conv2d(1, 6, 2, stride=2), frames=nn.Linear(6, 4), last=nn.Linear(64, 10))
        self.assert_right(module, self.assert_trained(module), self.test)  # a picture as frames

    def test_recurrent_networks(self):
        for module in (recurrent(), recurrent(2), tensorized_recurrent()):
            state = {name: value.clone() for name, value in module.state_dict().items() if "bias_hh" in name}
            self.assert_right(module, self.assert_trained(module, optimizer=lambda p: torch.optim.Adam(p, lr=0.003)), self.test)
            for name, value in state.items():
                self.assertTrue(torch.equal(module.state_dict()[name], value))
        module = recurrent()
        table = train(module, self.data, test=self.test, batch=50, epochs=3,
                      optimizer=torch.optim.AdamW(module.parameters(), lr=0.01, weight_decay=3)).table("pytorch")
        self.assertLess(float(np.abs(table["loss"] / table["pytorch_loss"] - 1).max()), 0.001)  # the sum of the biases decays
        module = of(lambda self, x: self.last(self.lstm(x.view(-1, 8, 8))[0].mean(dim=1)),
                    lstm=nn.LSTM(8, 12, batch_first=True, bias=False), last=nn.Linear(12, 10))
        self.assert_trained(module)

    def test_embeddings_and_encoders(self):
        for module in (encoder(), encoder(norm_first=True, learned=False), encoder(stacked=2)):
            run = self.assert_trained(module, *self.tokens, optimizer=lambda p: torch.optim.SGD(p, lr=0.05))
            self.assert_right(module, run, self.tokens[1])
        module = of(lambda self, x: self.last(self.table(x).flatten(1)), table=nn.Embedding(17, 6), last=nn.Linear(96, 10))
        self.assert_trained(module, *self.tokens)

    def test_residual_sums_norms_and_dropout(self):
        def forward(self, x):
            x = x + self.b(self.drop(torch.relu(self.a(self.norm(x)))))
            return self.last(self.drop(x))

        module = of(forward, norm=nn.LayerNorm(64, eps=1e-4), a=nn.Linear(64, 32), b=TTMLinear(32, 64), drop=nn.Dropout(0.3),
                    last=nn.Linear(64, 10))
        run = train(module, self.data, epochs=3, batch=50, test=self.test, seed=7)
        table = run.table("pytorch")  # with the masks of the device: own ones would be some percent away
        self.assertLess(float(np.abs(table["loss"] / table["pytorch_loss"] - 1).max()), 0.005)
        self.assert_right(module, run, self.test)

    def test_activations_after_any_layer(self):
        def forward(self, x):
            x = torch.relu(self.first(x.view(-1, 1, 8, 8)))
            for norm, conv in zip(self.norms, self.convs):  # before and after the sum
                x = torch.relu(x + conv(F.gelu(norm(x))))
            x = x.flatten(1)
            x = x + torch.tanh(x)
            return self.last(self.middle(x).sigmoid())

        module = of(forward, first=nn.Conv2d(1, 4, 3, padding=1, stride=2), last=nn.Linear(12, 10), middle=nn.Linear(64, 12),
                    norms=nn.ModuleList(nn.LayerNorm([4, 4, 4]) for _ in range(2)),
                    convs=nn.ModuleList(nn.Conv2d(4, 4, 3, padding=1) for _ in range(2)))
        self.assertEqual([layer["kind"] for layer in model_of(module, self.data[0])["layers"] if "kind" in layer],
                         ["convolution", "residual", "activation", "residual", "activation", "residual"])
        self.assert_right(module, self.assert_trained(module), self.test)

    def test_losses(self):
        y = [torch.stack([part[0][:, ::8].sum(1), part[0].mean(1), part[1].float()], 1) / 8 for part in (self.data, self.test)]
        data, test = (self.data[0], y[0]), (self.test[0], y[1])
        for loss in (nn.MSELoss(), nn.L1Loss(), nn.HuberLoss(delta=0.1), nn.SmoothL1Loss()):
            with self.subTest(loss=loss):
                run = self.assert_trained(nn.Sequential(nn.Linear(64, 20), nn.Tanh(), nn.Linear(20, 3)), data, test, loss=loss,
                                          optimizer=lambda p: torch.optim.SGD(p, lr=0.05), update=0.2)
                self.assertTrue(np.isnan(run.table("pytorch")["accuracy"]).all())
        self.assert_trained(nn.Sequential(nn.Linear(64, 10), nn.LogSoftmax(1)), loss=nn.NLLLoss())
        pictures = [(part[0], torch.stack([part[0].view(-1, 8, 8), 1 - part[0].view(-1, 8, 8).transpose(1, 2)], 1))
                    for part in (self.data, self.test)]
        self.assert_trained(nn.Sequential(nn.Unflatten(1, (1, 8, 8)), nn.Conv2d(1, 4, 3, padding=1), nn.Tanh(), nn.Conv2d(4, 2, 1)),
                            *pictures, loss=nn.MSELoss())

    def test_optimizers_and_schedules(self):
        of_torch, steps = torch.optim.lr_scheduler, 3 * 7
        for optimizer, scheduler, by_step, more in (
                (lambda p: sgd(p, lr=0.1, momentum=0.5, weight_decay=0.01), lambda o: of_torch.StepLR(o, 1, 0.25), False, {}),
                (lambda p: sgd(p, momentum=0), lambda o: of_torch.ExponentialLR(o, 0.5), False, {"clip_norm": 0.3}),
                (lambda p: torch.optim.Adam(p, lr=0.003, betas=(0.8, 0.99), eps=1e-6, weight_decay=0.02),
                 lambda o: of_torch.LinearLR(o, 0.1, 1, 9), True, {}),
                (lambda p: torch.optim.AdamW(p, lr=0.004, weight_decay=0.5), lambda o: of_torch.CosineAnnealingLR(o, steps, 0.001), True, {}),
                (lambda p: torch.optim.AdamW(p, lr=0.004), lambda o: of_torch.SequentialLR(
                    o, [of_torch.LinearLR(o, 0.25, 1, 3), of_torch.CosineAnnealingLR(o, steps - 4, 0)], [4]), True, {})):
            self.assert_trained(nn.Sequential(nn.Linear(64, 24), nn.Tanh(), nn.Linear(24, 10)), optimizer=optimizer, scheduler=scheduler,
                                by_step=by_step, epochs=3, **more)

    def test_the_order_is_that_of_the_seed(self):
        module = nn.Sequential(nn.Linear(64, 10))
        differences = []
        for seed in (5, 6):
            ours, theirs = copy.deepcopy(module), copy.deepcopy(module)
            loop(theirs, self.data, 1, 4, lambda p: torch.optim.SGD(p, lr=0.5), nn.CrossEntropyLoss(), seed)
            train(ours, self.data, batch=4, optimizer=torch.optim.SGD(ours.parameters(), lr=0.5), test=self.test, seed=5, beside=False)
            differences.append(float((ours[0].weight - theirs[0].weight).norm()))
        self.assertLess(10 * differences[0], differences[1])

    def test_random_numbers_are_those_of_the_standard(self):
        random = MersenneTwister64(5489)
        self.assertEqual([random() for _ in range(10000)][-1], 9981545732273789042)  # [rand.predef] of the C++ standard
        random = MersenneTwister64([7, 1, 3])  # of std::seed_seq{7, 1, 3}, by libstdc++
        self.assertEqual([random() for _ in range(1000)][-1], 16750236830099493941)
        for words, expected in (((0, 0, 0), (0xff1dae59, 0x6cd10df2)),  # known answers of Random123
                                ((0xffffffff,) * 3, (0x2c3f628b, 0xab4fd7ad)),
                                ((0x243f6a88, 0x85a308d3, 0x13198a2e), (0xdd7ce038, 0xf62a4c12))):
            self.assertEqual(tuple(map(int, philox(*words))), expected)

    def test_held_out_samples_are_those_of_the_device(self):
        # The loss of the test set tells which samples it has; both are as far apart as bf16 makes them.
        for options in ({"held_out": 0.3}, {"held_out": 0.1, "validation": 0.2, "patience": 1, "seed": 3}, {"validation": 0.25}):
            module = nn.Sequential(nn.Linear(64, 10))
            run = train(module, self.data, epochs=4, batch=16, **options)
            table = run.table("pytorch")
            self.assertEqual(len(table), len(run.summary["epochs"]))
            self.assertLess(float(np.abs(table["test_loss"] / table["pytorch_test_loss"] - 1).max()), 0.003)
            self.assertLess(float(np.abs(table["loss"] / table["pytorch_loss"] - 1).max()), 0.003)

    def test_a_data_loader_is_its_batches_in_order(self):
        dataset = torch.utils.data.TensorDataset(*self.data)
        modules = [nn.Sequential(nn.Linear(64, 10))]
        modules += [copy.deepcopy(modules[0]) for _ in range(2)]
        loader = torch.utils.data.DataLoader(dataset, batch_size=48, drop_last=True)
        runs = [train(modules[0], loader, test=torch.utils.data.DataLoader(torch.utils.data.TensorDataset(*self.test), 7)),
                train(modules[1], (self.data[0][:288].numpy(), self.data[1][:288].numpy()), test=self.test, batch=48, drop_last=True)]
        self.assertEqual(runs[0].summary["configuration"]["batch"], 48)
        self.assertEqual(runs[0].cycles, runs[1].cycles)
        self.assertTrue(torch.equal(modules[0][0].weight, modules[1][0].weight))
        train(modules[2], loader, batch=32, test=self.test)
        self.assertFalse(torch.equal(modules[0][0].weight, modules[2][0].weight))
        for data, told in ((torch.utils.data.DataLoader(self.data[0], 8), "batch 0 of data is Tensor, expected a pair"),
                           (self.data[0], "data is Tensor, expected .x, y. or a torch"), ((self.data[0], self.data[1][:5]), "320 inputs and 5 answers"),
                           (([["a"]], [1]), "x of data is an array of <U1, expected numbers")):
            self.assertRegex(str(self.refusal(train, modules[0], data)), told)

    def assert_unchanged(self, module, text, *arguments, **options):
        """train() is refused with this text, and the module, its modes and the random numbers are as before."""
        state, modes = copy.deepcopy(module.state_dict()), [inner.training for inner in module.modules()]
        random = torch.get_rng_state()
        self.assertRegex(str(self.refusal(train, module, *arguments, **options)), text)
        self.assertTrue(all(torch.equal(state[name], value) for name, value in module.state_dict().items()))
        self.assertEqual([inner.training for inner in module.modules()], modes)
        self.assertTrue(torch.equal(torch.get_rng_state(), random))

    def test_what_cannot_run_is_refused_by_the_name_of_its_node(self):
        a = nn.Linear(64, 10)
        rows = lambda x: x.view(-1, 8, 8)
        block = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, activation="gelu")
        for forward, told, parts in (
                (lambda self, x: torch.softmax(self.a(x), 1), r"node 'softmax' \(softmax\): found a function", {}),
                (lambda self, x: self.a(x) * 2, "node 'mul'", {}), (lambda self, x: torch.cat([self.a(x), x], 1), "node 'cat'", {}),
                (lambda self, x: self.a(x) + 1, "node 'add'.*found int", {}), (lambda self, x: self.a(x) + self.b(x), "node 'add'.*two branches",
                                                                               {"b": nn.Linear(64, 10)}),
                (lambda self, x: self.b(self.a(x)), r"node 'b' \(BatchNorm1d\): found a module", {"b": nn.BatchNorm1d(10)}),
                (lambda self, x: self.b(rows(x))[0].mean(1), r"node 'b' \(GRU\)", {"b": nn.GRU(8, 10, batch_first=True)}),
                (lambda self, x: self.a(self.b(self.b(x))), "node 'b_1': its parameter G1 is also that of node 'b'", {"b": nn.Linear(64, 64)}),
                (lambda self, x: self.a(self.b(x, x)), r"node 'b' \(Bilinear\): found a module", {"b": nn.Bilinear(64, 64, 64)}),
                (lambda self, x: self.b(x[:, :32]), "node 'b'.*found a part of a tensor", {"b": nn.Linear(32, 10)}),
                (lambda self, x: self.a(x.t().reshape(-1, 64)), "node 'a'.*rows mix samples", {}),
                (lambda self, x: (self.a(x), x), "node 'output': found tuple", {}),
                (lambda self, x: self.a(x.double()), "node 'a'.*fails on the sample", {}),
                (lambda self, x: self.a(x) if x.sum() > 0 else x, "cannot be traced by torch.fx: .*control flow.*python_torch_training_test", {}),
                (lambda self, x: self.a(self.b(rows(x)).flatten(1)), "node 'b'.*found dropout=0.1, expected dropout=0.0", {"b": block}),
                (lambda self, x: self.a(self.b(rows(x))[0].flatten(1)), "node 'b'.*bidirectional=True",
                 {"b": nn.LSTM(8, 4, bidirectional=True, batch_first=True)}),
                (lambda self, x: self.b(rows(x))[1][1][0], "node 'output': found a state", {"b": nn.LSTM(8, 10, batch_first=True)}),
                (lambda self, x: self.b(x.view(-1, 1, 8, 8)).mean((2, 3)), "node 'b'.*dilation=2, expected dilation=1",
                 {"b": nn.Conv2d(1, 10, 3, dilation=2)}),
                (lambda self, x: self.b(x.view(-1, 2, 8, 4)).mean((2, 3)), "node 'b'.*groups=2", {"b": nn.Conv2d(2, 10, 3, groups=2)}),
                (lambda self, x: self.b(self.a(x).view(-1, 10, 1, 1)).flatten(1), None, {"b": nn.AvgPool2d(1)}),
                (lambda self, x: self.b(self.c(x).view(-1, 4, 2, 2)).flatten(1), "node 'b'.*found a picture in another order",
                 {"b": nn.Conv2d(4, 10, 2), "c": nn.Linear(64, 16)})):
            module = of(forward, a=a, **parts)
            if told is None:
                train(module, self.data, test=self.test, beside=False)
            else:
                self.assert_unchanged(module, told, self.data)
        frozen = nn.Sequential(nn.Linear(64, 10), nn.Linear(10, 10).requires_grad_(False))
        self.assert_unchanged(frozen, "node '_1': its parameter G1 is frozen", self.data)
        self.assert_unchanged(nn.Sequential(nn.Linear(64, 10)).double(), "node '_0' .*fails on the sample", self.data)
        self.assert_unchanged(nn.Sequential(nn.Linear(64, 10)), "node '_0' .*fails on the sample", (self.data[0].long(), self.data[1]))
        self.assert_unchanged(nn.Sequential(nn.Flatten()), "no parameter on the way", self.data)

    def test_functions_that_overwrite_their_input(self):
        parts = {"a": nn.Linear(64, 64), "b": nn.ReLU(inplace=True), "last": nn.Linear(64, 10)}
        self.assert_unchanged(of(lambda self, x: self.last(self.b(x) + x), **parts), "node 'b' .*overwrites its input 'x'", self.data)

        def forward(self, x):
            x = self.b(self.a(x))
            y = self.middle(x)
            y += x
            return self.last(y)
        self.assert_trained(of(forward, middle=nn.Linear(64, 64), **parts))
        self.assert_unchanged(of(lambda self, x: self.last(torch.tanh(self.a(x)).relu_()), **parts),
                              "PyTorch does not train the module: .*inplace", self.data)

    def test_settings_that_the_device_does_not_have_are_refused(self):
        module = nn.Sequential(nn.Linear(64, 10))
        groups = [{"params": [module[0].weight]}, {"params": [module[0].bias], "lr": 0.5}]
        stepped = sgd(module.parameters())
        loss = F.cross_entropy(module(self.data[0]), self.data[1])
        loss.backward()
        weight = module[0].weight.detach().clone()
        stepped.step()
        with torch.no_grad():
            module[0].weight.copy_(weight)
        optimizer = sgd(module.parameters())
        schedule = torch.optim.lr_scheduler
        for options, told in (
                ({"optimizer": torch.optim.RMSprop(module.parameters())}, "optimizer is RMSprop, expected torch.optim.SGD"),
                ({"optimizer": sgd(groups)}, "group 1 has lr=0.5, and group 0 0.05"), ({"optimizer": sgd([module[0].weight])}, "does not have the parameter _0.bias"),
                ({"optimizer": sgd(module.parameters(), nesterov=True)}, "nesterov=True"), ({"optimizer": stepped}, "made steps before"),
                ({"optimizer": torch.optim.Adam(module.parameters(), amsgrad=True)}, "amsgrad=True"), ({"optimizer": "adam"}, "optimizer is str"),
                ({"loss": "hinge"}, "the loss is 'hinge'"), ({"loss": nn.CrossEntropyLoss(label_smoothing=0.1)}, "label_smoothing=0.1"),
                ({"loss": nn.MSELoss(reduction="sum")}, "reduction=sum"), ({"loss": nn.SmoothL1Loss(beta=0.5)}, "beta=0.5"),
                ({"loss": nn.BCELoss()}, "the loss is BCELoss"), ({"loss": "mse"}, "y of data is torch.int64 of shape .320,., expected real numbers of shape .320, 10."),
                ({"loss": "nll"}, "node 'output': found no logarithm of a softmax, expected one for NLLLoss"),
                ({"scheduler": schedule.CosineAnnealingLR(optimizer, 2), "optimizer": optimizer, "epochs": 2}, "T_max=2, expected 16, all steps of 2"),
                ({"scheduler": schedule.MultiStepLR(optimizer, [1]), "optimizer": optimizer}, "scheduler is MultiStepLR"),
                ({"epochs": 0}, "epochs is 0"), ({"batch": 2.5}, "batch is 2.5"), ({"clip_norm": "1"}, "clip_norm is '1'"),
                ({"seed": "one"}, "--seed is 'one'"), ({"validation": "all"}, "validation is 'all'"), ({"model": {}}, "model is not an option"), ({"scale": 16}, "scale is not an option"),
                ({"test": (self.test[0][:, :8], self.test[1])}, "x of test has samples of shape .8,., expected .64,."), ({"held_out": 0.0001}, "held_out is"),
                ({"engins": 4}, "unknown option 'engins'"), ({"batch": 400, "drop_last": True}, "batch is 400, expected at most the 256")):
            self.assert_unchanged(module, told, self.data, **options)
        self.assert_unchanged(module, "y of data, sample 3: found class 10, expected 0 to 9", (self.data[0][:8], [0, 1, 2, 10, 0, 0, 0, 0]))
        broken = self.data[0].clone()
        broken[3, 7] = float("nan")
        self.assert_unchanged(module, r"--data: .*3,7.*nan.*finite", (broken, self.data[1]))
        module = nn.Sequential(nn.Linear(64, 64))
        self.assert_unchanged(module, "loss of epoch 1.*not", (self.data[0], 9 * self.data[0]), loss="mse",
                              optimizer=torch.optim.SGD(module.parameters(), lr=1e6), test=(self.data[0], self.data[0]))
        self.assertRegex(str(self.refusal(train, "module", self.data)), "the module is str")

    def test_a_run_is_saved_with_the_curve_of_pytorch(self):
        module, folder = nn.Sequential(nn.Linear(64, 10)), self.place("run")
        run = train(module, self.data, epochs=2)
        self.assertIn("PyTorch               the same batches", run.text)
        run.save(folder)
        self.assertEqual(tl.load(folder).table("pytorch").tolist(), run.table("pytorch").tolist())
        for name, array in tl.load(folder).state_dict().items():
            self.assertTrue(np.array_equal(array.reshape(-1), dict(zip(("_0.G1", "_0.bias"), (p.detach().numpy().reshape(-1)
                                                                                            for p in module.parameters())))[name]))
        alone = train(module, self.data, beside=False)
        self.assertNotIn("pytorch", alone.tables)
        alone.save(folder)
        self.assertNotIn("pytorch.csv", os.listdir(folder))

    def test_the_model_of_a_module_is_one_of_sweeps(self):
        module = nn.Sequential(TTMLinear(64, 16, rank=2), nn.ReLU(), nn.Linear(16, 10))
        model = model_of(module, self.data[0][:1], optimizer=torch.optim.Adam(module.parameters(), lr=0.003))
        self.assertEqual((model["optimizer"]["kind"], model["optimizer"]["rate"], [layer["name"] for layer in model["layers"]]),
                         ("adam", 0.003, ["_0", "_2"]))
        found = tl.sweep(tl.tnn_training, {"model.layers._0.ranks": [1, 4]}, model, train=self.data, epochs=2)
        self.assertEqual([run.summary["parameters"] for run in found.runs], [(4 * 8 + 4 * 8) * rank + 16 + 170 for rank in (1, 4)])

    def test_the_example_of_the_page_prints_what_it_shows(self):
        with open(os.path.join(ROOT, "docs", "pytorch.md"), encoding="utf-8") as file:
            page = file.read().partition("## Training a module")[2]
        example, shown = re.search(r"```python\n(.*?)```\n\nprints\n\n((?:    [^\n]*\n)+)", page, re.S).groups()
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(example, "docs/pytorch.md", "exec"), {})
        self.assertEqual(printed.getvalue(), textwrap.dedent(shown))


if __name__ == "__main__":
    unittest.main(verbosity=2)  # which says what is skipped, and why
