"""The registry of the mapper's rules: which method of NodeCost maps an operation."""

RULES = {}  # operation -> method of NodeCost


def rule(*operations):
    def register(function):
        RULES.update(dict.fromkeys(operations, function))
        return function
    return register


def modes_of(tensor, letters):
    """The modes of a tensor in the order of memory."""
    return "".join(letters[mode] for mode in tensor.order)
