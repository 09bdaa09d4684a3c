#include <cstdio>
#include <string>
#include <tensorloom/models/isa/export/register_export.h>
#include <tensorloom/models/isa/program/register_map.h>

namespace tensorloom::isa {
namespace {

std::string hex(std::uint64_t value)
{
    char text[24];
    std::snprintf(text, sizeof text, "0x%08llx", static_cast<unsigned long long>(value));
    return text;
}

std::string escaped(const std::string& text)
{
    std::string safe;
    for (char c : text) {
        switch (c) {
        case '&': safe += "&amp;"; break;
        case '<': safe += "&lt;"; break;
        case '>': safe += "&gt;"; break;
        default: safe += c;
        }
    }
    return safe;
}

/// Writes elements, indented by their depth.
class xml_text {
public:
    void open(const std::string& element)
    {
        indent();
        m_text += "<" + element + ">\n";
        ++m_depth;
    }
    void close(const std::string& element)
    {
        --m_depth;
        indent();
        m_text += "</" + element + ">\n";
    }
    void leaf(const std::string& element, const std::string& value)
    {
        indent();
        m_text += "<" + element + ">" + escaped(value) + "</" + element + ">\n";
    }
    const std::string& text() const { return m_text; }

private:
    void indent() { m_text.append(2 * m_depth, ' '); }
    std::string m_text = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n";
    std::size_t m_depth = 0;
};

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

// Reset value of a register, and the mask of bits that are equal on every device. ID is known when a device is given.
struct reset_state {
    std::uint32_t value;
    std::uint32_t mask;
};
reset_state reset_of(const register_definition& r, const device_description* device)
{
    if (r.offset == reg::id && device != nullptr) { return {device->id, 0xffffffff}; }
    if (r.trait == register_trait::identification) { return {0, 0}; }
    return {r.reset(), 0xffffffff};
}

void add_register(xml_text& x, const register_definition& r, const device_description* device)
{
    const auto reset = reset_of(r, device);
    x.open("register");
    x.leaf("name", r.name);
    x.leaf("description", r.meaning);
    x.leaf("addressOffset", hex(r.offset));
    x.leaf("resetValue", hex(reset.value));
    x.leaf("resetMask", hex(reset.mask));
    x.open("fields");
    for (const auto& f : r) { add_field(x, r, f); }
    x.close("fields");
    x.close("register");
}

void add_peripheral(xml_text& x, const std::string& name, const std::string& title, std::uint64_t base,
                    const device_description* device)
{
    x.open("peripheral");
    x.leaf("name", name);
    x.leaf("description", title);
    x.leaf("baseAddress", hex(base));
    x.open("addressBlock");
    x.leaf("offset", "0x0");
    x.leaf("size", hex(registers.block_bytes));
    x.leaf("usage", "registers");
    x.close("addressBlock");
    x.open("registers");
    for (const auto& r : registers) { add_register(x, r, device); }
    x.close("registers");
    x.close("peripheral");
}

} // namespace

std::string svd(const exported_devices& devices, std::uint64_t base)
{
    xml_text x;
    x.open("device schemaVersion=\"1.3\" xmlns:xs=\"http://www.w3.org/2001/XMLSchema-instance\" "
           "xs:noNamespaceSchemaLocation=\"CMSIS-SVD.xsd\"");
    x.leaf("name", "TensorLoom");
    x.leaf("version", std::to_string(register_map_major) + "." + std::to_string(register_map_minor));
    x.leaf("description", "Tensor accelerators of the TensorLoom library");
    x.leaf("addressUnitBits", "8");
    x.leaf("width", "32");
    x.leaf("size", "32");
    x.leaf("resetValue", hex(0));
    x.leaf("resetMask", hex(0xffffffff));
    x.open("peripherals");
    if (devices.empty()) { add_peripheral(x, "ACCELERATOR", "Any tensor accelerator of the library", base, nullptr); }
    for (const auto* d : devices) {
        add_peripheral(x, capitals(d->name), std::string(d->title) + " tensor accelerator", base, d);
        base += registers.block_bytes;
    }
    x.close("peripherals");
    x.close("device");
    return x.text();
}

} // namespace tensorloom::isa
