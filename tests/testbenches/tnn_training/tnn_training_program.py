"""Tests of the program tnn_training."""
from testbench_program import BAD_INPUT, RIGHT, SOURCE, WRONG, TestbenchTest, load_json

__all__ = ["BAD_INPUT", "RIGHT", "SOURCE", "WRONG", "MANY_MODEL", "PICTURE_MODEL", "SMALL_MODEL", "TnnTrainingTest", "load_json"]

# Quick, with a layer of each kind.
SMALL_MODEL = """data: digits
epochs: 1
batch: 48
optimizer: {kind: sgd, rate: 0.1, momentum: 0.9}
layers:
  - {name: hidden, format: ttm, rows: 4x4, cols: 8x8, ranks: 2, activation: relu}
  - {name: output, format: dense, rows: 10, cols: 16}
"""

# Two LSTMs, the first of which gives all its frames.
LSTM_MODEL = """data: digits
epochs: 1
batch: 48
optimizer: {kind: sgd, rate: 0.1, momentum: 0.9}
layers:
  - {name: first, kind: lstm, frames: 8, features: 8, hidden: 8, format: ttm, rows: 8x4, cols: 2x4, ranks: 3, output: all}
  - {name: second, kind: lstm, frames: 8, features: 8, hidden: 16, hidden_weights: {format: tt, rows: 16x4, cols: 16, ranks: 4}}
  - {name: output, format: dense, rows: 10, cols: 16}
"""


TOKEN_MODEL = """data: sequences
batch: 32
optimizer: {kind: adam, rate: 0.003}
layers:
  - {name: tokens, kind: embedding, vocabulary: 16, frames: 16, features: 8, positions: true}
  - {name: output, format: dense, rows: 4, cols: 128}
"""

PICTURE_MODEL = """batch: 96
optimizer: {kind: sgd, rate: 0.1, momentum: 0.9}
layers:
  - {name: first, kind: convolution, height: 8, width: 8, kernel: 2x2, stride: 2, format: dense, rows: 4, cols: 4,
     activation: tanh, patches: bus}
  - {name: second, kind: convolution, height: 4, width: 4, channels: 4, kernel: 3x3, padding: 1, stride: 2,
     format: ttm, rows: 2x4, cols: 6x6, ranks: 3, activation: relu}
  - {name: output, format: dense, rows: 10, cols: 32}
"""

# Every kind of layer and setting that the models above have not.
MANY_MODEL = """epochs: 2
batch: 48
optimizer: {kind: adamw, rate: 0.01, weight_decay: 0.1, clip_norm: 1, schedule: cosine, warm_up: 5,
  schedule_epochs: 4}
layers:
  - {name: first, kind: convolution, height: 8, width: 8, kernel: 3x3, padding: 1, format: dense, rows: 4, cols: 9,
     activation: tanh}
  - {name: pool, kind: pool, height: 8, width: 8, channels: 4, kernel: 3x3, stride: 2, padding: 1}
  - {name: norm, kind: norm, frames: 16}
  - name: block
    kind: residual
    layers:
      - {kind: dropout, rate: 0.25}
      - {format: ttm, rows: 8x8, cols: 8x8, ranks: 3, activation: relu}
      - {kind: residual, layers: [{kind: norm, frames: 4}, {kind: activation, function: gelu},
                                   {format: dense, rows: 16, cols: 16, frames: 4}]}
  - {name: average, kind: pool, height: 4, width: 4, channels: 4, kernel: 2x3, stride: 2x1, function: average}
  - {name: dropped, kind: dropout, rate: 0.1}
  - {name: output, format: dense, rows: 10, cols: 16}
"""


class TnnTrainingTest(TestbenchTest):
    program = "tnn_training"
    outputs = ("--out files", "--vcd wave", "--save state")

    def setUp(self):
        super().setUp()
        self.save_text("small.yaml", SMALL_MODEL)
        self.save_text("tokens.yaml", TOKEN_MODEL)
        self.save_text("pictures.yaml", PICTURE_MODEL)
        self.save_text("lstm.yaml", LSTM_MODEL)
        self.save_text("many.yaml", MANY_MODEL)

    def save_model(self, *changes, name="changed.yaml"):
        """The small model with some of its text replaced, each (before, after)."""
        text = SMALL_MODEL
        for before, after in changes:
            self.assertIn(before, text)
            text = text.replace(before, after, 1)
        return self.save_text(name, text)

    def curve(self, found):
        """Of each epoch what it learned."""
        fields = ("epoch", "steps", "training_loss", "training_accuracy", "test_loss", "test_accuracy")
        return [{field: epoch[field] for field in fields} for epoch in found["epochs"]]
