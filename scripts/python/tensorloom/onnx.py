"""The cost of networks in ONNX files on a simulated FETTA: needs onnx (Debian: python3-onnx), which the rest of the package
does not.

    from tensorloom.onnx import cost
    run = cost("model.onnx", sizes={"batch": 8})
"""
from tensorloom.run_directory import InputProblem

try:
    from tensorloom.network_cost.from_onnx import cost
except ImportError as error:
    raise InputProblem(f"tensorloom.onnx needs the package onnx (Debian: python3-onnx): {error}") from None

__all__ = ["cost"]
