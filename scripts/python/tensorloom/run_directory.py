"""The files of a directory that a testbench has written with --out, unprocessed."""
import csv
import json
import os
from dataclasses import dataclass, field

import numpy as np

CHUNK_ROWS = 10_000  # rows of a table that are converted at a time: texts take many times the memory of numbers


class TensorLoomError(Exception):
    """An error; its text is one line for the user."""


class InputProblem(TensorLoomError):
    """An input is missing or invalid."""


@dataclass
class Table:
    """A .csv file: columns by name, in the file's order; arrays of numbers (NaN where empty), or lists of texts."""
    path: str
    columns: dict
    rows: int

    def column(self, name):
        if name not in self.columns:
            raise InputProblem(f"{self.path} has no column '{name}'")
        return self.columns[name]

    def numbers(self, name):
        values = self.column(name)
        if isinstance(values, list):
            raise InputProblem(f"{self.path} has texts in column '{name}', expected numbers")
        return values

    def texts(self, name):
        """The numbers of a column as texts."""
        values = self.column(name)
        return values if isinstance(values, list) else [f"{value:.15g}" for value in values]

    def sum_of(self, ending):
        """Sum of all columns of numbers whose names have this ending; None if there is none."""
        found = [values for name, values in self.columns.items() if name.endswith(ending) and not isinstance(values, list)]
        return float(sum(values.sum() for values in found)) if found else None


@dataclass
class Slice:
    """A slice of trace.json, with its track and its nesting depth."""
    process: str
    track: str
    name: str
    start_us: float
    end_us: float
    depth: int
    energy_pj: float


@dataclass
class RunDirectory:
    folder: str
    summary: dict
    tables: dict  # by name without .csv
    slices: list
    shared: dict = field(default_factory=dict)  # tables shared with other directories


def open_text(path, newline=None):
    """Opens a file to read UTF-8. A FIFO or a device is refused: opening one may wait forever."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise InputProblem(f"{path} is not a regular file")
    return open(path, encoding="utf-8", newline=newline)


def read_json(path):
    try:
        with open_text(path) as file:
            return json.load(file)
    except FileNotFoundError:
        raise InputProblem(f"{path} is missing, expected what a testbench writes with --out") from None
    except RecursionError:
        raise InputProblem(f"{path} cannot be read as JSON: values are nested too deeply") from None
    except (OSError, ValueError) as error:
        raise InputProblem(f"{path} cannot be read as JSON: {one_line(error)}") from None


def one_line(error):
    return " ".join(str(error).split())


def numbers_or_texts(values):
    """An array if all texts are numbers or empty, else the texts."""
    try:
        return np.array([value or "nan" for value in values], dtype=float)
    except ValueError:
        return list(values)


def joined_chunks(chunks):
    """One column from its pieces; texts if one of them has texts."""
    if all(isinstance(chunk, np.ndarray) for chunk in chunks):
        return np.concatenate(chunks)
    return [text for chunk in chunks
            for text in (chunk if isinstance(chunk, list) else [f"{value:.15g}" for value in chunk])]


def table_in(file, path):
    """The table of an open file; `path`: its name in error messages."""
    try:
        reader = csv.reader(file)
        names = next(reader, None)
        if not names:
            raise InputProblem(f"{path} is empty, expected a line with the names of the columns")
        chunks, pending, rows = [], [], 0

        def take_pending():
            chunks.append([numbers_or_texts(column) for column in zip(*pending)])
            pending.clear()

        for row in reader:
            if len(row) != len(names):
                raise InputProblem(f"{path}, line {reader.line_num}: {len(row)} fields, expected {len(names)}")
            pending.append(row)
            rows += 1
            if len(pending) == CHUNK_ROWS:
                take_pending()
        if pending:
            take_pending()
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputProblem(f"{path} cannot be read as a table: {one_line(error)}") from None
    columns = zip(*chunks) if chunks else [(np.zeros(0),)] * len(names)
    return Table(path, {name: joined_chunks(column) for name, column in zip(names, columns)}, rows)


def read_table(path):
    try:
        with open_text(path, newline="") as file:
            return table_in(file, path)
    except OSError as error:
        raise InputProblem(f"{path} cannot be read as a table: {one_line(error)}") from None


def read_slices(path):
    """The begin-end pairs of trace.json in order of their begin; [] if the run has written none."""
    if not os.path.exists(path):
        return []
    events = read_json(path)
    events = events.get("traceEvents") if isinstance(events, dict) else None
    if not isinstance(events, list):
        raise InputProblem(f"{path} has no list 'traceEvents'")
    processes, tracks, open_slices, found = {}, {}, {}, []
    for event in events:
        try:
            kind, track = event["ph"], (event["pid"], event.get("tid", 0))
            if kind == "M" and event["name"] == "process_name":
                processes[event["pid"]] = event["args"]["name"]
            elif kind == "M" and event["name"] == "thread_name":
                tracks[track] = event["args"]["name"]
            elif kind == "B":
                around = open_slices.setdefault(track, [])
                begun = Slice(processes.get(track[0], ""), tracks.get(track, ""), event["name"], event["ts"], event["ts"],
                              len(around), float(event.get("args", {}).get("pJ", 0)))
                around.append(begun)
                found.append(begun)
            elif kind == "E":
                open_slices[track].pop().end_us = event["ts"]
        except (KeyError, IndexError, TypeError, AttributeError):
            raise InputProblem(f"{path} has an event that is not understood: {str(event)[:80]}") from None
    return found


def read_run_directory(folder):
    """summary.json, every .csv and trace.json. InputProblem if one is missing or damaged."""
    if not os.path.isdir(folder):
        raise InputProblem(f"{folder} is not a directory, expected one that a testbench has written with --out")
    path = os.path.join(folder, "summary.json")
    summary = read_json(path)
    for field in ("schema", "testbench", "configuration"):
        if not isinstance(summary, dict) or field not in summary:
            raise InputProblem(f"{path} has no field '{field}', expected the summary of a testbench")
    tables = {name[:-len(".csv")]: read_table(os.path.join(folder, name))
              for name in sorted(os.listdir(folder)) if name.endswith(".csv")}
    return RunDirectory(folder, summary, tables, read_slices(os.path.join(folder, "trace.json")))
