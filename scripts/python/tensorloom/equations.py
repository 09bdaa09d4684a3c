"""The text of an einsum, as torch.einsum has it: letters, ellipsis, an implicit result, modes of size 1 that broadcast."""
import math
import string
from dataclasses import dataclass

from tensorloom.run_directory import InputProblem

LETTERS = string.ascii_uppercase + string.ascii_lowercase  # in the order of an implicit result


@dataclass(frozen=True)
class Equation:
    operands: tuple  # the modes of each, a letter each: a letter twice is a diagonal
    result: str
    sizes: dict      # letter -> size

    def text(self):
        return f"{','.join(self.operands)}->{self.result}"

    def extent(self, modes):
        return math.prod(self.sizes[mode] for mode in modes)


def refuse(equation, found, expected):
    raise InputProblem(f"einsum: '{equation}' has {found}, expected {expected}")


def split(equation):
    """(["bi", "...o"], "b...o" or None) of a text."""
    if not isinstance(equation, str):
        raise InputProblem(f"einsum: the equation is {type(equation).__name__}, expected a text like 'ij,jk->ik'")
    text = "".join(equation.split())
    operands, arrow, result = text.partition("->")
    for part in (operands.replace(",", ""), result):
        for sign in part.replace("...", ""):
            if sign not in LETTERS:
                refuse(equation, f"'{sign}'", "letters from a to z and A to Z, '...', ',' and one '->'")
    for part in (*operands.split(","), result):
        if part.count("...") > 1:
            refuse(equation, f"two ellipses in '{part}'", "at most one")
    return operands.split(","), result if arrow else None


def implicit_result(parts):
    """The result of torch.einsum without an arrow: the ellipsis, then the letters that occur once, sorted."""
    letters = "".join(parts).replace(".", "")
    once = "".join(letter for letter in LETTERS if letters.count(letter) == 1)
    return ("..." if any("..." in part for part in parts) else "") + once


def parsed(equation, shapes):
    """The Equation for operands of these shapes. Letters replace an ellipsis; the result of what broadcasts has its size."""
    parts, result = split(equation)
    if len(parts) != len(shapes):
        refuse(equation, f"{len(parts)} operand{'s' if len(parts) > 1 else ''}", f"{len(shapes)}, as many as tensors are given")
    if result is None:
        result = implicit_result(parts)
    covered = []  # the number of modes under each ellipsis
    for number, (part, shape) in enumerate(zip(parts, shapes), 1):
        named = len(part.replace("...", ""))
        if "..." not in part and named != len(shape) or named > len(shape):
            refuse(equation, f"{named} modes in operand {number}, '{part}'",
                   f"{len(shape)}, as the tensor of {shape_text(shape)} has")
        covered.append(len(shape) - named)
    free = [letter for letter in LETTERS if letter not in "".join(parts) + result]
    widest = max((count for part, count in zip(parts, covered) if "..." in part), default=0)
    if widest > len(free):
        refuse(equation, f"{widest} modes under an ellipsis", f"at most {len(free)}, as there are 52 letters")
    hidden = "".join(free[:widest])
    operands = tuple(part.replace("...", hidden[widest - count:]) for part, count in zip(parts, covered))
    if "..." in result and not any("..." in part for part in parts):
        refuse(equation, "an ellipsis in the result", "one in an operand, too")
    result = result.replace("...", hidden)
    check_result(equation, operands, result)
    return Equation(operands, result, sizes_of(equation, operands, shapes))


def check_result(equation, operands, result):
    for letter in result:
        if result.count(letter) > 1:
            refuse(equation, f"mode '{letter}' twice in the result", "each once")
        if not any(letter in operand for operand in operands):
            refuse(equation, f"mode '{letter}' in the result alone", "it in an operand, too")


def sizes_of(equation, operands, shapes):
    """letter -> size, the largest where 1 broadcasts."""
    sizes = {}
    for number, (operand, shape) in enumerate(zip(operands, shapes), 1):
        for letter, size in zip(operand, shape):
            if size == 0:
                refuse(equation, f"size 0 of mode '{letter}' in operand {number}", "at least 1")
            if operand.count(letter) > 1 and size != shape[operand.index(letter)]:
                refuse(equation, f"sizes {shape[operand.index(letter)]} and {size} of mode '{letter}' in operand {number}",
                       "a diagonal of equal sizes")
            known = sizes.setdefault(letter, size)
            if known != size and 1 not in (known, size):
                refuse(equation, f"size {size} of mode '{letter}' in operand {number}", f"{known}, as before")
            sizes[letter] = max(known, size)
    return sizes


def shape_text(shape):
    return " x ".join(str(size) for size in shape) or "no modes"


def merged(terms, sizes):
    """Terms with fewer modes, and their sizes: modes that are neighbours in this order in every term that has one of them
    become the first of them, as a command of the device has few modes."""
    terms, sizes = list(terms), {mode: sizes[mode] for mode in "".join(terms)}

    def together(first, second):
        return all((first + second in term) if first in term or second in term else True for term in terms)

    found = True
    while found:
        found = False
        for term in terms:
            pair = next(((a, b) for a, b in zip(term, term[1:]) if together(a, b)), None)
            if pair:
                sizes[pair[0]] *= sizes.pop(pair[1])
                terms = [other.replace(pair[1], "") for other in terms]
                found = True
                break
    return terms, sizes
