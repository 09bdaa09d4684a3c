"""Options of the commands, and error messages of one line with status 2."""
import errno
import io
import os
import sys

from tensorloom.run_directory import InputProblem, TensorLoomError


STATUS_OF_PIPE = 141  # as a shell reports a program that SIGPIPE has ended


def split_options(arguments, refusal_of):
    """(option -> text, the other arguments). An option's value is the next argument, or the text after '='.
    refusal_of(option): why the option does not exist, or None."""
    rest, options, names = list(arguments), {}, []
    while rest:
        text = rest.pop(0)
        if not text.startswith("-"):
            names.append(text)
            continue
        option, equals, value = text.partition("=")
        refusal = refusal_of(option)
        if refusal:
            raise InputProblem(f"{refusal} (see --help)")
        if option in options:
            raise InputProblem(f"{option} is given twice")
        if not equals and not rest:
            raise InputProblem(f"{option} needs a value")
        options[option] = value if equals else rest.pop(0)
    return options, names


def discard_output():
    """Discards buffered output, so that Python does not report an error of its own when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def main_of(command, usage, run):
    """Calls run(arguments). Returns the exit status of the command: the result of run(), or 0."""
    arguments = sys.argv[1:]
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # as stderr: names of files need not be text
    try:
        status = 0
        if arguments == ["--help"]:
            print(usage)
        else:
            status = run(arguments) or 0
        sys.stdout.flush()
        return status
    except TensorLoomError as problem:
        print(f"{command}: {problem}", file=sys.stderr)
        return 2 if isinstance(problem, InputProblem) else 3
    except BrokenPipeError:  # the reader has closed the pipe, like head
        discard_output()
        return STATUS_OF_PIPE
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "start new thread" not in str(error):
            raise
        print(f"{command}: out of memory", file=sys.stderr)
        return 3
    except OSError as error:
        discard_output()
        if error.errno == errno.ENOMEM:
            print(f"{command}: out of memory", file=sys.stderr)
            return 3
        what = error.filename or "standard output could not be written"
        print(f"{command}: {what}: {error.strerror or error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
