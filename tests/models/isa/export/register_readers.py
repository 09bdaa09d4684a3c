"""The registers of a device in the formats of tensorloom-registers, read into one shape, and the table that they must have.

A register is {name: Register}; readers know nothing of the tool but its output.
"""
import collections
import re
import xml.etree.ElementTree as ElementTree

Register = collections.namedtuple("Register", "offset reset fields meaning")
Field = collections.namedtuple("Field", "lsb bits access latches values meaning")
Device = collections.namedtuple("Device", "base registers")

DEVICE = None  # the value is the device's
RO, RW, W1C, W1S = "read-only", "read-write", "write 1 to clear", "write-only"
WORD = 0xffffffff
# name: offset, value after reset, fields {name: (lowest bit, bits, access)}
REGISTERS = {
    "ID": (0x000, 0x41495254, {"NAME": (0, 32, RO)}),
    "VERSION": (0x004, 0x00010005, {"MINOR": (0, 16, RO), "MAJOR": (16, 16, RO)}),
    "CAPS": (0x008, DEVICE, {"FORMAT": (0, 8, RO), "COUNTERS": (8, 8, RO)}),
    "CAPS_SIZE_0": (0x010, DEVICE, {"SIZE": (0, 32, RO)}),
    "CAPS_SIZE_1": (0x014, DEVICE, {"SIZE": (0, 32, RO)}),
    "CAPS_SIZE_2": (0x018, DEVICE, {"SIZE": (0, 32, RO)}),
    "CTRL": (0x020, 0, {"START": (0, 1, W1S), "ABORT": (1, 1, W1S), "RESET": (2, 1, W1S)}),
    "STATUS": (0x024, 0, {"BUSY": (0, 1, RO), "DONE": (1, 1, RO), "ERROR": (2, 1, RO), "ABORTED": (3, 1, RO)}),
    "IRQ_STATUS": (0x028, 0, {"DONE": (0, 1, W1C), "ERROR": (1, 1, W1C), "COMMAND": (2, 1, W1C)}),
    "IRQ_ENABLE": (0x02c, 0, {"DONE": (0, 1, RW), "ERROR": (1, 1, RW), "COMMAND": (2, 1, RW)}),
    "PROGRAM_ADDR_LO": (0x030, 0, {"ADDRESS": (0, 32, RW)}),
    "PROGRAM_ADDR_HI": (0x034, 0, {"ADDRESS": (0, 32, RW)}),
    "ERROR_CODE": (0x040, 0, {"CODE": (0, 32, RO)}),
    "ERROR_COMMAND": (0x044, 0, {"INDEX": (0, 32, RO)}),
    "ERROR_ADDR_LO": (0x048, 0, {"ADDRESS": (0, 32, RO)}),
    "ERROR_ADDR_HI": (0x04c, 0, {"ADDRESS": (0, 32, RO)}),
    "CYCLES_LO": (0x050, 0, {"COUNT": (0, 32, RO)}),
    "CYCLES_HI": (0x054, 0, {"COUNT": (0, 32, RO)}),
    "COMMANDS_DONE": (0x058, 0, {"COUNT": (0, 32, RO)}),
    "TOKEN": (0x05c, 0, {"TOKEN": (0, 32, RO)}),
    "COUNTER_INDEX": (0x060, 0, {"INDEX": (0, 8, RW)}),
    "COUNTER_VALUE_LO": (0x068, 0, {"COUNT": (0, 32, RO)}),
    "COUNTER_VALUE_HI": (0x06c, 0, {"COUNT": (0, 32, RO)}),
    "ERROR_RESPONSE": (0x070, 0, {"RESPONSE": (0, 32, RO)}),
}
VALUES = {
    ("CAPS", "FORMAT"): {"f64": 1, "f32": 2, "c128": 3, "c64": 4, "bf16": 5, "int8": 6, "int32": 7, "int64": 8, "f16": 9},
    ("ERROR_RESPONSE", "RESPONSE"): {"none": 0, "address_error": 1, "command_error": 2, "burst_error": 3,
                                     "byte_enable_error": 4, "generic_error": 5, "incomplete": 6,
                                     "timed_out": 7},
}
LATCHING = ["CYCLES_LO", "COUNTER_VALUE_LO"]


def number(text):
    """Of XML and SystemRDL: 16, 0x10, 'h10, 8'd16."""
    based = re.fullmatch(r"\d*'([hd])([0-9a-f]+)", text)
    return int(based[2], {"h": 16, "d": 10}[based[1]]) if based else int(text, 0)


def field_access(access, write_effect):
    assert write_effect in (None, "oneToClear") and (write_effect is None or access == RW), (access, write_effect)
    return W1C if write_effect else access


def joined_reset(fields, resets):
    """Of a register, from those of its fields; None when they have none."""
    if None in resets:
        assert resets == [None] * len(resets)
        return DEVICE
    return sum(value << field.lsb for field, value in zip(fields, resets))


# ---- CMSIS-SVD -------------------------------------------------------------------------------------------------------

def svd_field(f):
    values = {v.findtext("name"): number(v.findtext("value")) for v in f.iter("enumeratedValue")}
    return Field(number(f.findtext("bitOffset")), number(f.findtext("bitWidth")),
                 field_access(f.findtext("access"), f.findtext("modifiedWriteValues")),
                 f.findtext("readAction") == "modify", values, f.findtext("description"))


def svd_register(r):
    mask = number(r.findtext("resetMask"))
    assert mask in (0, WORD)
    return Register(number(r.findtext("addressOffset")), number(r.findtext("resetValue")) if mask else DEVICE,
                    {f.findtext("name"): svd_field(f) for f in r.iter("field")}, r.findtext("description"))


def read_svd(text):
    """{name: Device} of the peripherals with registers."""
    return {p.findtext("name"): Device(number(p.findtext("baseAddress")),
                                       {r.findtext("name"): svd_register(r) for r in p.iter("register")})
            for p in ElementTree.fromstring(text).iter("peripheral") if p.find("registers") is not None}


# ---- IP-XACT ---------------------------------------------------------------------------------------------------------

IPXACT = "{http://www.accellera.org/XMLSchema/IPXACT/1685-2014}"


def ipxact_tree(text):
    """The tree without the standard's namespace, in which every element must be."""
    tree = ElementTree.fromstring(text)
    for element in tree.iter():
        assert element.tag.startswith(IPXACT), element.tag
        element.tag = element.tag[len(IPXACT):]
    return tree


def ipxact_field(f):
    values = {v.findtext("name"): number(v.findtext("value")) for v in f.iter("enumeratedValue")}
    return Field(number(f.findtext("bitOffset")), number(f.findtext("bitWidth")),
                 field_access(f.findtext("access"), f.findtext("modifiedWriteValue")),
                 f.findtext("readAction") == "modify", values, f.findtext("description"))


def ipxact_register(r):
    assert r.findtext("size") == "32"
    fields = {f.findtext("name"): ipxact_field(f) for f in r.iter("field")}
    resets = [f.findtext("resets/reset/value") for f in r.iter("field")]
    return Register(number(r.findtext("addressOffset")),
                    joined_reset(fields.values(), [value and number(value) for value in resets]), fields,
                    r.findtext("description"))


def read_ipxact(text):
    return {b.findtext("name"): Device(number(b.findtext("baseAddress")),
                                       {r.findtext("name"): ipxact_register(r) for r in b.iter("register")})
            for b in ipxact_tree(text).iter("addressBlock") if b.findtext("usage") == "register"}


# ---- SystemRDL -------------------------------------------------------------------------------------------------------

RDL_TOKEN = re.compile(r"""\s+|//[^\n]*|("(?:\\.|[^"\\])*"|\d+'d\d+|[A-Za-z_]\w*|0x[0-9a-f]+|\d+|[{}\[\]:;=@])""")
Component = collections.namedtuple("Component", "kind name properties children")
Instance = collections.namedtuple("Instance", "component name range reset address")


class RdlReader:
    """The part of SystemRDL 2.0 that registers need: components, properties, enums, instances with range, reset, @."""

    def __init__(self, text):
        self.tokens, at = [], 0
        while at < len(text):
            token = RDL_TOKEN.match(text, at)
            assert token, text[at:at + 40]
            at = token.end()
            if token[1]:
                self.tokens.append(token[1])
        self.at = 0
        self.types = {}

    def peek(self):
        return self.tokens[self.at]

    def take(self, *expected):
        token = self.tokens[self.at]
        assert not expected or token in expected, (token, expected)
        self.at += 1
        return token

    def take_if(self, token):
        if self.peek() != token:
            return False
        self.at += 1
        return True

    def root(self):
        """The last component, which has the instances of all others."""
        last = None
        while self.at < len(self.tokens):
            last = self.component(self.take("addrmap"))
            self.take(";")
        return last

    def component(self, kind):
        name = self.take() if self.peek() != "{" else None
        made = Component(kind, name, {}, [])
        if name:
            self.types[name] = made
        self.take("{")
        while not self.take_if("}"):
            self.statement(made)
        return made

    def statement(self, inside):
        if inside.kind == "enum":
            name, _, value = self.take(), self.take("="), self.take()
            entry = Component("entry", name, {"value": value}, [])
            self.take("{")
            while not self.take_if("}"):
                self.statement(entry)
            self.take(";")
            inside.children.append(entry)
        elif self.peek() == "enum":
            inside.children.append(self.component(self.take()))
            self.take(";")
        elif self.peek() in ("external", "reg", "field", "mem"):
            external = self.take_if("external")
            made = self.component(self.take())
            made.properties["external"] = external
            inside.children.append(self.instance(made))
        elif self.peek() in self.types:
            inside.children.append(self.instance(self.types[self.take()]))
        else:
            name = self.take()
            inside.properties[name] = self.take() if self.take_if("=") else "true"
            self.take(";")

    def instance(self, component):
        name, bits, reset, address = self.take(), None, None, None
        if self.take_if("["):
            bits = number(self.take()), self.take(":") and number(self.take())
            self.take("]")
        if self.take_if("="):
            reset = number(self.take())
        if self.take_if("@"):
            address = number(self.take())
        self.take(";")
        return Instance(component, name, bits, reset, address)


RDL_ACCESS = {("r", "w", None, None): RO, ("rw", "r", None, None): RW, ("rw", "rw", "woclr", None): W1C,
              ("w", "r", None, "true"): W1S}


def rdl_field(instance):
    p = instance.component.properties
    assert [e.name for e in instance.component.children] == ([p["encode"]] if "encode" in p else [])
    values = {v.name: number(v.properties["value"]) for e in instance.component.children for v in e.children}
    high, low = instance.range
    return Field(low, high - low + 1, RDL_ACCESS[p["sw"], p["hw"], p.get("onwrite"), p.get("singlepulse")],
                 p.get("onread") == "ruser", values, p["desc"][1:-1])


def rdl_register(instance):
    p = instance.component.properties
    assert p["regwidth"] == "32"
    fields = {f.name: rdl_field(f) for f in instance.component.children}
    # the standard allows ruser in external registers alone
    assert p["external"] == any(f.latches for f in fields.values()), instance.name
    return Register(instance.address,
                    joined_reset(fields.values(), [f.reset for f in instance.component.children]), fields,
                    p["desc"][1:-1])


def read_systemrdl(text):
    return {device.name: Device(device.address, {r.name: rdl_register(r) for r in device.component.children})
            for device in RdlReader(text).root().children if device.component.kind == "addrmap"}
