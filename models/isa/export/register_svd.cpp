#include <cstdio>
#include <string>
#include <tensorloom/models/isa/export/register_export.h>
#include <tensorloom/models/isa/export/xml_text.h>
#include <tensorloom/models/isa/program/register_map.h>

namespace tensorloom::isa {
namespace {

std::string hex(std::uint64_t value)
{
    char text[24];
    std::snprintf(text, sizeof text, "0x%08llx", static_cast<unsigned long long>(value));
    return text;
}

void add_field(xml_text& x, const register_definition& r, const field_definition& f)
{
    x.open("field");
    x.leaf("name", f.name);
    x.leaf("description", f.meaning);
    x.leaf("bitOffset", std::to_string(f.lsb));
    x.leaf("bitWidth", std::to_string(f.width));
    switch (f.access) {
    case register_access::read_only: x.leaf("access", "read-only"); break;
    case register_access::read_write: x.leaf("access", "read-write"); break;
    case register_access::write_one_clear:
        x.leaf("access", "read-write");
        x.leaf("modifiedWriteValues", "oneToClear");
        break;
    case register_access::write_start: x.leaf("access", "write-only"); break;
    }
    if (r.trait == register_trait::latches_next) { x.leaf("readAction", "modify"); }
    if (f.values.size != 0) {
        x.open("enumeratedValues");
        for (const auto& v : f.values) {
            x.open("enumeratedValue");
            x.leaf("name", v.name);
            x.leaf("description", v.meaning);
            x.leaf("value", std::to_string(v.value));
            x.close("enumeratedValue");
        }
        x.close("enumeratedValues");
    }
    x.close("field");
}

void add_register(xml_text& x, const register_definition& r, const device_description& device)
{
    const auto reset = known_reset(r, device);
    x.open("register");
    x.leaf("name", r.name);
    x.leaf("description", r.meaning);
    x.leaf("addressOffset", hex(r.offset));
    x.leaf("resetValue", hex(reset.value_or(0)));
    x.leaf("resetMask", hex(reset ? 0xffffffff : 0));
    x.open("fields");
    for (const auto& f : r) { add_field(x, r, f); }
    x.close("fields");
    x.close("register");
}

void begin_peripheral(xml_text& x, const std::string& name, const std::string& title, std::uint64_t base,
                      std::uint64_t bytes, const char* usage)
{
    x.open("peripheral");
    x.leaf("name", capitals(name));
    x.leaf("description", title);
    x.leaf("baseAddress", hex(base));
    x.open("addressBlock");
    x.leaf("offset", "0x0");
    x.leaf("size", hex(bytes));
    x.leaf("usage", usage);
    x.close("addressBlock");
}

void add_device(xml_text& x, const mapped_device& d)
{
    const auto& device = described_device(d.kind);
    begin_peripheral(x, d.name, std::string(device.title) + " tensor accelerator", d.base, registers.block_bytes,
                     "registers");
    x.open("interrupt");
    x.leaf("name", capitals(d.name));
    x.leaf("description", "High while IRQ_STATUS & IRQ_ENABLE is not 0");
    x.leaf("value", std::to_string(d.interrupt));
    x.close("interrupt");
    x.open("registers");
    for (const auto& r : registers) { add_register(x, r, device); }
    x.close("registers");
    x.close("peripheral");
}

void add_memory(xml_text& x, const mapped_memory& m)
{
    begin_peripheral(x, m.name, "Memory", m.base, m.bytes, "buffer");
    x.close("peripheral");
}

} // namespace

std::string svd(const memory_map& map)
{
    xml_text x;
    x.open("device", " schemaVersion=\"1.3\" xmlns:xs=\"http://www.w3.org/2001/XMLSchema-instance\" "
                     "xs:noNamespaceSchemaLocation=\"CMSIS-SVD.xsd\"");
    x.leaf("name", map.platform);
    x.leaf("version", std::to_string(register_map_major) + "." + std::to_string(register_map_minor));
    x.leaf("description", "Tensor accelerators of the TensorLoom library");
    x.leaf("addressUnitBits", "8");
    x.leaf("width", "32");
    x.leaf("size", "32");
    x.leaf("resetValue", hex(0));
    x.leaf("resetMask", hex(0xffffffff));
    x.open("peripherals");
    for (const auto& d : map.devices) { add_device(x, d); }
    for (const auto& m : map.memories) { add_memory(x, m); }
    x.close("peripherals");
    x.close("device");
    return x.text();
}

} // namespace tensorloom::isa
