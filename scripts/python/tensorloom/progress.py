"""Progress of long work: one line on stderr, on a terminal or in a notebook."""
import re
import shutil
import sys
import time

PATIENCE_S = 0.5   # delay before a line is shown: quick work shows none
INTERVAL_S = 0.1   # on a terminal; a notebook keeps everything that is written
NOTEBOOK_S = 1
CELLS = 30
WIDTH = 100        # of a line whose terminal does not report its width
ERASE = "\r\x1b[K"
TOLD = re.compile(r"^\s*(\d+) %\s+(.*)$")  # progress of a program, on a line of its own


def in_notebook():
    """Whether a Jupyter kernel runs this: its cells show stderr, and overwrite a line after a carriage return."""
    python = sys.modules.get("IPython")
    shell = python.get_ipython() if python else None
    return shell is not None and hasattr(shell, "kernel")


def is_watched():
    return sys.stderr is not None and sys.stderr.isatty()


class Bar:
    """`wanted`: True, False, or None (on a terminal or in a notebook). Used in a `with`; the line is erased at its
    end."""

    def __init__(self, what, wanted=None):
        self.what = what
        self.active = (is_watched() or in_notebook()) if wanted is None else bool(wanted)
        self.interval, self.blank = (NOTEBOOK_S, "\r" + " " * WIDTH + "\r") if in_notebook() else (INTERVAL_S, ERASE)
        self.begin = time.monotonic()
        self.next = self.begin + PATIENCE_S
        self.shown = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.erase()

    def show(self, share, text=""):
        """share: 0 to 1, or None if the end is unknown."""
        now = time.monotonic()
        if not self.active or now < self.next:
            return
        self.next = now + self.interval
        self.shown = True
        if share is not None:
            done = int(CELLS * min(max(share, 0), 1))
            text = f"[{'#' * done}{'.' * (CELLS - done)}] {100 * share:3.0f} %  {text}"
        line = f"{self.what} {text}  {now - self.begin:.0f} s"
        sys.stderr.write(self.blank + line[:shutil.get_terminal_size((WIDTH, 0)).columns - 1])
        sys.stderr.flush()

    def show_told(self, line):
        """Shows a program's own line of progress."""
        told = TOLD.match(line)
        if told:
            self.show(int(told[1]) / 100, told[2])
        elif line.strip():
            self.show(None, line.strip())

    def erase(self):
        if self.shown:
            self.shown = False
            sys.stderr.write(self.blank)
            sys.stderr.flush()
