"""Makes the modules of scripts/plots importable."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PLOTS = os.path.join(ROOT, "scripts", "plots")
sys.path.insert(0, PLOTS)
