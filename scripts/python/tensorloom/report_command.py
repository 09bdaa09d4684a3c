"""tensorloom-report: one HTML page about runs that testbenches have written with --out."""
from tensorloom.command_line import main_of, split_options
from tensorloom.report.markup import bytes_of
from tensorloom.report.page import page_of
from tensorloom.report.study_page import study_page_of
from tensorloom.run import read_runs
from tensorloom.run_directory import InputProblem
from tensorloom.study.directory import is_study
from tensorloom.whole_files import write_whole

USAGE = """Usage: tensorloom-report [--output FILE.html] [--title TEXT] DIR [DIR]..

Writes one HTML page about runs that testbenches have written with --out: settings, tables and interactive charts. The page
needs no network. DIR is such a directory, labelled with its name; LABEL=DIR gives it another label, and LABEL=DIR,DIR.. joins
consecutive runs to one. Several runs are also compared side by side. For the directory of a study (tensorloom-study) the page
shows all points and their Pareto front.

  --output FILE.html  file of the page (default: report.html)
  --title TEXT        its heading (default: device and workload, or the names of the runs)
  --help              print this text and stop

Exit status: 0 done; 2 bad input (a directory, a file, a field or an option), 3 out of memory, both reported in one line."""
OPTIONS = ("--output", "--title")


def run(arguments):
    options, names = split_options(arguments, lambda option: None if option in OPTIONS else f"unknown option '{option}'")
    if not names:
        raise InputProblem("no directory, expected one that a testbench has written with --out (see --help)")
    path = options.get("--output", "report.html")
    if any(map(is_study, names)):
        if len(names) > 1:
            raise InputProblem(f"{next(filter(is_study, names))} is a study, expected no other directory")
        page = study_page_of(names[0], options.get("--title"))
    else:
        page = page_of(read_runs(names), options.get("--title"))
    content = bytes_of(page)
    write_whole(path, content)
    print(f"tensorloom-report: {path}, {len(content) / 1e6:.2f} MB")


def main():
    return main_of("tensorloom-report", USAGE, run)
