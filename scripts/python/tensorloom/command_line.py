"""What the commands' lines have in common: options, and refusals of one line with status 2."""
import os
import sys

from tensorloom.run_directory import InputProblem, TensorLoomError


STATUS_OF_PIPE = 141  # as a shell tells it of a program that SIGPIPE has ended


def split_options(arguments, refusal_of):
    """(option -> text, the other arguments). An option's value follows it, or stands behind '='; refusal_of(option) says why
    there is no such option, or None."""
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
    """What is printed yet does not end in a complaint of Python's own."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def main_of(command, usage, run):
    """Calls run(arguments); the exit status of the command: what that returns, if it returns something."""
    arguments = sys.argv[1:]
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
    except BrokenPipeError:  # whoever reads has seen enough, as head
        discard_output()
        return STATUS_OF_PIPE
    except OSError as error:
        discard_output()
        what = error.filename or "standard output could not be written"
        print(f"{command}: {what}: {error.strerror or error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
