"""Programs of FETTA's vector unit, which stream tensors through the chip: the text that `contract --program` runs.

A Kernel is what the vector unit computes of a block of rows: instructions on values, which are a row of words, or one word,
for each row of the block. program_of() makes of it a program for all rows:

    block by block   LOAD of the next block beside the instructions of this one and the STORE of the one before; the first
                     half of the instructions is issued before the STORE, since commands are issued in order
    formats          words of the vector unit are float32; a bf16 tensor is unpacked after its LOAD and packed before its
                     STORE
    blocks           as many rows as the unified memory holds, at least BLOCKS blocks if they then have BLOCK_WORDS words

Addresses in memory on the bus do not matter for values, which are zeros: no cycle or event of these instructions depends on
values.
"""
import math
from dataclasses import dataclass

BLOCKS = 8           # blocks that a program has at least, so that transfers and instructions overlap
BLOCK_WORDS = 4096   # unless a block of one of its values would be smaller than this
BUS = 0x81000000     # of the first tensor: where contract has its operands, which these programs do not read
BUS_END = 0x180000000
ALIGNMENT = 4096     # of tensors in memory
BURST_ELEMENTS = 32  # rows of one number are cut at multiples of them


class DoesNotFit(Exception):
    """A kernel that the device cannot run; the text is the reason."""


@dataclass(frozen=True)
class Device:
    """What a program must know of the device."""
    engines: int = 16
    side: int = 4
    bank_bytes: int = 32768
    overlap: bool = True

    @property
    def words(self):
        return self.engines * self.bank_bytes // 4

    @property
    def block_words(self):
        """Words whose bytes are the same in both windows of the memory; values start at multiples of them."""
        return self.engines * self.side


@dataclass(eq=False)
class Value:
    """Words on chip: `width` of each row. once: the same words for the whole program."""
    width: int
    once: bool = False
    address: list = None  # in words, by parity of the block


@dataclass(eq=False)
class Stream:
    """A tensor in memory, `width` elements of each row: loaded before or stored after the instructions of a block."""
    value: Value
    bits: int             # 16: bf16; 32: float32
    stride: int = None    # elements from row to row in memory; None: `width`
    runs: tuple = None    # (sizes, strides) of a row in memory; None: contiguous
    packed: list = None   # addresses in words, of bf16


@dataclass(eq=False)
class Instruction:
    code: str
    result: Value
    a: Value
    b: Value = None
    by_word: bool = False   # b is one word for all elements
    block: int = 0
    strides: object = None   # REPL: a function from the number of rows to (size, strides of the result, strides of a)
    skip: tuple = (0, 0)    # REPL: words before the first one in the result and in a


class Kernel:
    """Instructions for a block of rows. `bits`: of the numbers of the network in memory."""

    def __init__(self, bits=16):
        self.bits = bits
        self.loads, self.once, self.stores, self.instructions, self.literals = [], [], [], [], 0

    # ---- values ------------------------------------------------------------------------------------------------------

    def load(self, width, bits=None, stride=None, runs=None):
        """A row of a tensor in memory, for each row."""
        stream = Stream(Value(width), bits or self.bits, stride, runs)
        self.loads.append(stream)
        return stream.value

    def constant(self, width):
        """The same row for every row: loaded once and repeated."""
        value = Value(width, once=True)
        self.once.append(value)
        return value

    def store(self, value, bits=None, stride=None):
        self.stores.append(Stream(value, bits or self.bits, stride))

    # ---- instructions ------------------------------------------------------------------------------------------------

    def op(self, code, a, b=None):
        """z[i] = code(a[i], b[i]), element by element."""
        assert b is None or b.width == a.width, (code, a.width, b.width)
        return self._add(Instruction(code, Value(a.width), a, b))

    def literal(self, code, a):
        """z[i] = code(a[i], a constant)."""
        self.literals += 1
        return self._add(Instruction(code, Value(a.width), a, by_word=True))

    def mul_add(self, a, b):
        """z[i] = constant * b[i] + a[i]"""
        self.literals += 1
        return self._add(Instruction("mul_add", Value(a.width), a, b))

    def by_row(self, code, a):
        """A word for each row: sum_block or max_block."""
        return self._add(Instruction(code, Value(1), a, block=a.width))

    def spread(self, a, width):
        """Each word of a, `width / words of a row` times."""
        times = width // a.width
        return self._add(Instruction("repl", Value(width), a,
                                     strides=lambda rows: ((1, rows * a.width, times), (0, times, 1), (0, 1, 0))))

    def copied(self, a, width, size, to, of):
        """REPL of two modes of every row, into rows of `width` words: their sizes, strides in the result and strides in a."""
        return self.copied_from(a, 0, width, size, to, of)

    def copied_from(self, a, offset, width, size, to, of):
        """The same from a word of each row on."""
        return self._add(Instruction("repl", Value(width), a, strides=lambda rows: ((rows, *size), (width, *to), (a.width, *of)),
                                     skip=(0, offset)))

    def copied_to(self, a, offset, width, size, to, of):
        """The same to a word of each row of the result on; its other words are not written."""
        return self._add(Instruction("repl", Value(width), a, strides=lambda rows: ((rows, *size), (width, *to), (a.width, *of)),
                                     skip=(offset, 0)))

    def empty(self, width):
        """Rows of words that copied_into() fills."""
        return Value(width)

    def copied_into(self, result, start, a, offset, size, to, of):
        """Two modes of every row of a, from word `offset` on, to words of each row of the result from `start` on."""
        self._add(Instruction("repl", result, a, strides=lambda rows: ((rows, *size), (result.width, *to), (a.width, *of)),
                              skip=(start, offset)))

    def _add(self, instruction):
        self.instructions.append(instruction)
        return instruction.result


def round_up(value, step):
    return -(-value // step) * step


# ---- places on chip --------------------------------------------------------------------------------------------------

def words_of(width, rows, device):
    return round_up(width * rows, device.block_words)


def packed_words(width, rows, device):
    """Words of a packed row: whole pairs of blocks."""
    return round_up(width * rows, 2 * device.block_words) // 2


def place(kernel, rows, device, twice):
    """Gives every value its address for blocks of `rows` rows. twice: loads and stores have two places each, for the block in
    transfer and the one in work. Returns the words used."""
    top = 0

    def take(words):
        nonlocal top
        top += words
        return top - words

    copies = 2 if twice else 1

    def places(words):
        return [take(words) for _ in range(copies)] * (2 // copies)

    kernel.literal_address = take(device.block_words)
    for value in kernel.once:
        value.address = [take(words_of(value.width, rows, device))] * 2
        value.row_address = take(words_of(value.width, 1, device))
    pinned = set(map(id, kernel.once))
    for stream in kernel.loads:
        if stream.bits == 16:
            stream.packed = places(packed_words(stream.value.width, rows, device))
        else:
            stream.value.address = places(words_of(stream.value.width, rows, device))
            pinned.add(id(stream.value))
    for stream in kernel.stores:
        if stream.bits == 16:
            stream.packed = places(packed_words(stream.value.width, rows, device))
        elif id(stream.value) not in pinned:
            stream.value.address = places(words_of(stream.value.width, rows, device))
            pinned.add(id(stream.value))
    # All others by lifetime: a value has its place from the instruction that makes it to the last one that reads it.
    sequence = sequence_of(kernel)
    lives = {}
    for number, step in enumerate(sequence):
        for value in step.reads():
            lives.setdefault(id(value), [value, number, number])[2] = number
        if step.result is not None:
            lives.setdefault(id(step.result), [step.result, number, number])[2] = number
    free, active = [], []
    for value, first, last in sorted((life for life in lives.values() if id(life[0]) not in pinned), key=lambda life: life[1]):
        words = words_of(value.width, rows, device)
        for ended in [entry for entry in active if entry[0] < first]:
            active.remove(ended)
            free.append(ended[1:])
        found = min((hole for hole in free if hole[1] >= words), key=lambda hole: hole[1], default=None)
        if found:
            free.remove(found)
        else:
            found = (take(words), words)
        value.address = [found[0]] * 2
        active.append((last, *found))
    return top


@dataclass(eq=False)
class Step:
    """An entry of the sequence of a block: an instruction, or the conversion of a stream."""
    instruction: Instruction = None
    unpacked: Stream = None
    packed: Stream = None

    @property
    def result(self):
        return self.instruction.result if self.instruction else self.unpacked.value if self.unpacked else None

    def reads(self):
        if self.packed:
            return [self.packed.value]
        return [value for value in (self.instruction.a, self.instruction.b) if value is not None] if self.instruction else []


def sequence_of(kernel):
    """Conversions and instructions of a block, in order: a value is unpacked before its first use and packed after its last
    change."""
    steps, unpacked = [], set()
    by_value = {id(stream.value): stream for stream in kernel.loads if stream.bits == 16}
    for instruction in kernel.instructions:
        for value in (instruction.a, instruction.b):
            stream = by_value.get(id(value))
            if stream and id(value) not in unpacked:
                unpacked.add(id(value))
                steps.append(Step(unpacked=stream))
        steps.append(Step(instruction))
    for stream in kernel.stores:
        if stream.bits == 16:
            own = by_value.get(id(stream.value))
            if own and id(stream.value) not in unpacked:
                continue  # a copy: the packed words themselves are stored
            steps.append(Step(packed=stream))
    return steps


# ---- text ------------------------------------------------------------------------------------------------------------

class Writer:
    """The text of a program, with the addresses of its tensors in memory."""

    def __init__(self, kernel, rows, block_rows, device):
        self.kernel, self.rows, self.block_rows, self.device = kernel, rows, block_rows, device
        self.window = device.words * 4  # bytes; the window of float32 begins there
        self.lines = [".device fetta"]
        self.bases, at = {}, BUS
        for stream in [*kernel.loads, *kernel.stores]:
            self.bases[id(stream)] = at
            at = round_up(at + rows * (stream.stride or stream.value.width) * stream.bits // 8, ALIGNMENT)
        self.once_base = at
        at += sum(round_up(value.width * 4, ALIGNMENT) for value in kernel.once) + ALIGNMENT
        self.bytes = at - BUS
        if at > BUS_END:
            raise DoesNotFit(f"its tensors take {self.bytes:,} bytes of memory, and a program reaches {BUS_END - BUS:,}")

    def add(self, text, **fields):
        self.lines.append(" ".join([text, *(f"{name}={value}" for name, value in fields.items())]))

    def prologue(self):
        """Literals and repeated rows."""
        if self.kernel.literals:
            words = min(self.kernel.literals, self.device.block_words)
            self.add("load", tensor=f"{self.once_base}:f32:{words}", local=self.window + 4 * self.kernel.literal_address)
        at = self.once_base + ALIGNMENT
        for value in self.kernel.once:
            bits = self.kernel.bits
            if bits == 16:
                # Unpacked from the place that the repeated rows take afterwards.
                self.add("load", tensor=f"{at}:bf16:{value.width}", local=4 * value.address[0])
                self.conversion("unpack_bf16", value.row_address, value.address[0], value.width)
            else:
                self.add("load", tensor=f"{at}:f32:{value.width}", local=self.window + 4 * value.row_address)
            self.add("repl", result=4 * value.address[0], a=4 * value.row_address, size=f"1,{self.block_rows},{value.width}",
                     valid=f"1,{self.block_rows},{value.width}", a_stride="0,0,1", result_stride=f"0,{value.width},1")
            at += round_up(value.width * 4, ALIGNMENT)

    def conversion(self, code, result, a, length):
        self.add(code, result=4 * result, a=4 * a, length=length, block=self.device.side, table=self.device.engines)

    def transfer(self, name, stream, block, rows, step_blocks):
        """A LOAD or STORE of a block of rows; in a loop it advances by step_blocks."""
        parity, size = block % 2, stream.bits // 8
        stride = stream.stride or stream.value.width
        local = 4 * stream.packed[parity] if stream.bits == 16 else self.window + 4 * stream.value.address[parity]
        if name == "store" and stream.bits == 16:
            own = next((load for load in self.kernel.loads if load.value is stream.value and load.bits == 16), None)
            if own and not any(step.unpacked is own for step in sequence_of(self.kernel)):
                local = 4 * own.packed[parity]
        at = self.bases[id(stream)] + block * self.block_rows * stride * size
        kind = "bf16" if stream.bits == 16 else "f32"
        if stream.runs:
            sizes, strides = stream.runs
            modes = f"{'x'.join(map(str, (rows, *sizes)))}:{'x'.join(map(str, (stride, *strides)))}"
        elif stride != stream.value.width:
            modes = f"{rows}x{stream.value.width}:{stride}x1"
        else:
            modes = f"{rows * stride}"
        fields = {"tensor": f"{at}:{kind}:{modes}", "local": local}
        if step_blocks:
            fields["tensor_step"] = f"{step_blocks * self.block_rows * stride * size},0"
        self.add(name, **fields)

    def step(self, step, parity, rows):
        if step.unpacked:
            stream = step.unpacked
            self.conversion("unpack_bf16", stream.value.address[parity], stream.packed[parity], rows * stream.value.width)
        elif step.packed:
            stream = step.packed
            self.conversion("pack_bf16", stream.packed[parity], stream.value.address[parity], rows * stream.value.width)
        else:
            self.instruction(step.instruction, parity, rows)

    def instruction(self, one, parity, rows):
        result, a = 4 * one.result.address[parity], 4 * one.a.address[parity]
        if one.code == "repl":
            size, to, of = one.strides(rows)
            sizes, result_strides, strides = (",".join(map(str, part)) for part in (size, to, of))
            self.add("repl", result=result + 4 * one.skip[0], a=a + 4 * one.skip[1], size=sizes, valid=sizes,
                     result_stride=result_strides, a_stride=strides)
            return
        fields = {"result": result, "a": a, "length": rows * one.a.width}
        literal = 4 * self.kernel.literal_address
        if one.b is not None:
            fields["b"] = 4 * one.b.address[parity]
        elif one.by_word:
            fields["b"] = literal
        if one.code == "mul_add":
            fields["c"] = literal
        if one.block:
            fields["block"] = one.block
        self.add(one.code + (" broadcast_b" if one.by_word else ""), **fields)

    def block(self, number, rows, next_rows, last_rows, step=0):
        """A block: the LOADs of the next one, half of the instructions, the STOREs of the one before, the other half."""
        steps = sequence_of(self.kernel)
        if next_rows:
            for stream in self.kernel.loads:
                self.transfer("load", stream, number + 1, next_rows, step)
        half = (len(steps) + 1) // 2
        for one in steps[:half]:
            self.step(one, number % 2, rows)
        if last_rows:
            for stream in self.kernel.stores:
                self.transfer("store", stream, number - 1, last_rows, step)
        for one in steps[half:]:
            self.step(one, number % 2, rows)

    def program(self):
        """All blocks; those in the middle, which are alike, as a loop over pairs of them."""
        count = -(-self.rows // self.block_rows)
        sizes = [self.block_rows] * (count - 1) + [self.rows - (count - 1) * self.block_rows]
        self.prologue()
        for stream in self.kernel.loads:
            self.transfer("load", stream, 0, sizes[0], 0)

        def plain(number):
            self.block(number, sizes[number], sizes[number + 1] if number + 1 < count else 0, sizes[number - 1] if number else 0)

        # Block n may be in the loop if it, the one before and the one after have all rows.
        first, pairs = 1, max(0, (count - 3) // 2)
        if pairs > 1:
            plain(0)
            self.add("loop", count=pairs)
            for number in (1, 2):
                self.block(number, self.block_rows, self.block_rows, self.block_rows, 2)
            self.add("end")
            first = 1 + 2 * pairs
        else:
            first = 0
        for number in range(first, count):
            plain(number)
        for stream in self.kernel.stores:
            self.transfer("store", stream, count - 1, sizes[-1], 0)
        return "\n".join(self.lines) + "\n"


@dataclass(frozen=True)
class Program:
    """text: of the program; bytes: of its tensors in memory."""
    text: str
    bytes: int


def program_of(kernel, rows, device):
    """The program of `rows` rows. DoesNotFit if not even one row has room."""
    widest = max(stream.value.width for stream in [*kernel.loads, *kernel.stores])
    for twice in ((True, False) if device.overlap else (False,)):
        if place(kernel, 1, device, twice) <= device.words:
            break
    else:
        raise DoesNotFit(f"a row of {widest:,} numbers takes {4 * place(kernel, 1, device, False):,} bytes of intermediates, and "
                         f"the unified memory has {4 * device.words:,}")
    low, high = 1, rows
    while low < high:  # the most rows that fit
        middle = (low + high + 1) // 2
        low, high = (middle, high) if place(kernel, middle, device, twice) <= device.words else (low, middle - 1)
    wanted = max(math.ceil(rows / BLOCKS), math.ceil(BLOCK_WORDS / widest), 1)
    block_rows = min(low, wanted)
    if block_rows < rows:
        block_rows = math.ceil(rows / math.ceil(rows / block_rows))
    if widest == 1 and BURST_ELEMENTS < block_rows < rows:
        block_rows = min(round_up(block_rows, BURST_ELEMENTS), low // BURST_ELEMENTS * BURST_ELEMENTS)
    place(kernel, block_rows, device, twice)
    writer = Writer(kernel, rows, block_rows, device)
    return Program(writer.program(), writer.bytes)
