"""Folders of files that this package reads: in a wheel, in an installation, and in the tree, in this order."""
import os

FROM_HERE = {
    "testbenches": ("prefix/share/tensorloom/testbenches", "../../testbenches", "../../../testbenches"),
    "models": ("prefix/share/tensorloom/models", "../../models", "../../../workloads/training/models"),
    "docs": ("prefix/share/doc/tensorloom/docs", "../../../doc/tensorloom/docs", "../../../docs"),
}


def folders_of(name):
    """Those of `name` that exist."""
    here = os.path.dirname(os.path.realpath(__file__))
    return [path for path in (os.path.normpath(os.path.join(here, folder)) for folder in FROM_HERE[name]) if os.path.isdir(path)]
