"""The command line of scripts that draw one picture of summaries: SCRIPT PICTURE.png SUMMARY.json [SUMMARY.json].."""
import json
import sys

from input_problem import InputProblem


def read_summary(path):
    """The JSON of a run's summary.json."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        raise InputProblem(f"{path} is missing, expected a summary.json") from None
    except (OSError, ValueError) as error:
        raise InputProblem(f"{path} cannot be read as JSON: {error}") from None


def run_command(name, help_text, draw, arguments):
    """Calls draw(picture's path, paths of the summaries); the exit status."""
    if arguments == ["--help"]:
        print(help_text.strip())
        return 0
    if len(arguments) < 2:
        print(f"{name}: {len(arguments)} arguments, expected PICTURE.png and SUMMARY.json (see --help)", file=sys.stderr)
        return 2
    try:
        draw(arguments[0], arguments[1:])
    except InputProblem as problem:
        print(f"{name}: {problem}", file=sys.stderr)
        return 2
    return 0
