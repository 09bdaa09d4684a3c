#include <string>
#include <tensorloom/models/base/values/number_text.h>
#include <tensorloom/models/isa/export/register_export.h>
#include <tensorloom/models/isa/export/xml_text.h>
#include <tensorloom/models/isa/program/register_map.h>

namespace tensorloom::isa {
namespace {

/// A number in the standard's notation, which is that of SystemVerilog.
std::string hex(std::uint64_t value) { return "'h" + base::hexadecimal(value).substr(2); }

void add_names(xml_text& x, const std::string& name, const std::string& meaning)
{
    x.leaf("name", name);
    x.leaf("description", meaning);
}

void add_values(xml_text& x, const base::named_values& values)
{
    if (values.size == 0) { return; }
    x.open("enumeratedValues");
    for (const auto& v : values) {
        x.open("enumeratedValue");
        add_names(x, v.name, v.meaning);
        x.leaf("value", std::to_string(v.value));
        x.close("enumeratedValue");
    }
    x.close("enumeratedValues");
}

void add_field(xml_text& x, const register_definition& r, const field_definition& f, const device_description& device)
{
    x.open("field");
    add_names(x, f.name, f.meaning);
    x.leaf("bitOffset", std::to_string(f.lsb));
    if (const auto reset = known_reset(r, device)) {
        x.open("resets");
        x.open("reset");
        x.leaf("value", hex((*reset & f.mask()) >> f.lsb));
        x.close("reset");
        x.close("resets");
    }
    x.leaf("bitWidth", std::to_string(f.width));
    switch (f.access) {
    case register_access::read_only:
        x.leaf("volatile", "true");
        x.leaf("access", "read-only");
        break;
    case register_access::read_write: x.leaf("access", "read-write"); break;
    case register_access::write_one_clear:
        x.leaf("volatile", "true");
        x.leaf("access", "read-write");
        break;
    case register_access::write_start: x.leaf("access", "write-only"); break;
    }
    add_values(x, f.values);
    if (f.access == register_access::write_one_clear) { x.leaf("modifiedWriteValue", "oneToClear"); }
    if (r.trait == register_trait::latches_next) { x.leaf("readAction", "modify"); }
    x.close("field");
}

void begin_block(xml_text& x, const std::string& name, const std::string& meaning, std::uint64_t base,
                 std::uint64_t bytes, const char* usage)
{
    x.open("addressBlock");
    add_names(x, capitals(name), meaning);
    x.leaf("baseAddress", hex(base));
    x.leaf("range", hex(bytes));
    x.leaf("width", "32");
    x.leaf("usage", usage);
}

void add_device(xml_text& x, const mapped_device& d)
{
    const auto& device = described_device(d.kind);
    begin_block(x, d.name, std::string(device.title) + " tensor accelerator", d.base, registers.block_bytes,
                "register");
    for (const auto& r : registers) {
        x.open("register");
        add_names(x, r.name, r.meaning);
        x.leaf("addressOffset", hex(r.offset));
        x.leaf("size", "32");
        for (const auto& f : r) { add_field(x, r, f, device); }
        x.close("register");
    }
    x.close("addressBlock");
}

} // namespace

std::string ipxact(const memory_map& map)
{
    const std::string standard = "http://www.accellera.org/XMLSchema/IPXACT/1685-2014";
    xml_text x("ipxact:");
    x.open("component", " xmlns:ipxact=\"" + standard + "\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"" +
                            " xsi:schemaLocation=\"" + standard + " " + standard + "/index.xsd\"");
    x.leaf("vendor", "tensorloom");
    x.leaf("library", "accelerators");
    x.leaf("name", map.platform);
    x.leaf("version", std::to_string(register_map_major) + "." + std::to_string(register_map_minor));
    x.open("memoryMaps");
    x.open("memoryMap");
    x.leaf("name", "bus");
    for (const auto& d : map.devices) { add_device(x, d); }
    for (const auto& m : map.memories) {
        begin_block(x, m.name, "Memory", m.base, m.bytes, "memory");
        x.close("addressBlock");
    }
    x.leaf("addressUnitBits", "8");
    x.close("memoryMap");
    x.close("memoryMaps");
    x.leaf("description", "Tensor accelerators of the TensorLoom library");
    x.close("component");
    return x.text();
}

} // namespace tensorloom::isa
