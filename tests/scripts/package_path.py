"""Makes the package scripts/python/tensorloom importable, and what lies in tests/support."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PYTHON = os.path.join(ROOT, "scripts", "python")
PLOT = os.path.join(PYTHON, "tensorloom-plot")
REPORT = os.path.join(PYTHON, "tensorloom-report")
sys.path.insert(0, PYTHON)
sys.path.append(os.path.join(ROOT, "tests", "support"))
