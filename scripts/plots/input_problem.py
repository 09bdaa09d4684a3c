"""What is wrong with a file that was to be read."""


class InputProblem(Exception):
    """A file is missing or is not what it should be; the text is one line for the user."""
