"""The pages integration, state, clock and debugging: their programs, build files and command lines."""
import os
import re

SOURCE = os.environ["TENSORLOOM_SOURCE"]


def text(page="integration"):
    with open(os.path.join(SOURCE, f"docs/{page}.md"), encoding="utf-8") as file:
        return file.read()


def section(title):
    return text().split(f"\n## {title}\n")[1].split("\n## ")[0]


def block(language, mark="", page="integration"):
    """The fenced code block of this language that has `mark` in it; it must be the only one."""
    found = [code for code in re.findall(rf"^```{language}\n(.*?)^```$", text(page), re.M | re.S) if mark in code]
    assert len(found) == 1, f"{len(found)} blocks of {language} with '{mark}' in docs/{page}.md"
    return found[0]


def first_column(title):
    """The names in the first column of the table whose first column has this title."""
    table = re.search(rf"^\| {re.escape(title)} \|.*\n\|[-|]+\n((?:\|.*\n)+)", text(), re.M)[1]
    return re.findall(r"^\| `([^`]+)`", table, re.M)


def platform():
    return block("cpp", "sc_main")


def printed():
    return block("text").strip()
