// tensorloom-registers: the register table, programs and commands as Markdown and as a C header; registers at their
// addresses as CMSIS-SVD, SystemRDL and IP-XACT; a memory map as a C header and as a device tree.
#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/base/files/atomic_file.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/number_text.h>
#include <tensorloom/models/isa/export/memory_map_file.h>
#include <tensorloom/models/isa/export/register_export.h>
#include <tensorloom/models/isa/export/tool_main.h>

namespace {

using namespace tensorloom;
using namespace tensorloom::isa;

constexpr std::size_t longest_page = 16u << 20;

// Names of devices stand in place of the $.
constexpr const char* usage = R"(Usage: tensorloom-registers FORMAT [options]

Writes the registers and commands of devices for firmware, debuggers, other tools and documentation. FORMAT is one of

  --markdown PAGE   the page, with its generated sections updated
  --c-header        a C99 header: offsets, fields, reset values, error codes, commands, event counters
  --svd             CMSIS-SVD 1.3
  --systemrdl       SystemRDL 2.0
  --ipxact          IP-XACT (IEEE 1685-2014), a component
  --map-header      a C99 header of a platform: addresses, sizes, interrupts, identifications; needs --map
  --device-tree     nodes of a device tree, to be included in that of a board; needs --map

  --map FILE        the devices and memories of this memory map (YAML), for --svd, --systemrdl, --ipxact,
                    --map-header and --device-tree; in place of --device, --base and --irq
  --device NAME     only this device ($); may be repeated; default: all devices; not with --markdown
  --base ADDRESS    address of the first device's registers, for --svd, --systemrdl and --ipxact (default 0x40000000);
                    each further device follows 4096 bytes later
  --irq NUMBER      interrupt of the first device, 0 to 1023, for --svd (default 0); each further device has the next
  --output FILE     file to write; default: standard output
  --help            print this text and stop
)";

std::string usage_text()
{
    std::string text = usage;
    return text.replace(text.find('$'), 1, described_device_names());
}

// Which options a format takes besides --device and --output.
enum class addressing {
    none,     // it has no addresses
    any,      // --base, or --map
    with_irq, // --base and --irq, or --map
    mapped    // --map
};

struct format {
    const char* option;
    addressing takes;
    std::string (*of_map)(const memory_map&); // nullptr: not of a map
};

constexpr format formats[] = {
    {"--markdown", addressing::none, nullptr},
    {"--c-header", addressing::none, nullptr},
    {"--svd", addressing::with_irq, svd},
    {"--systemrdl", addressing::any, systemrdl},
    {"--ipxact", addressing::any, ipxact},
    {"--map-header", addressing::mapped, map_header},
    {"--device-tree", addressing::mapped, device_tree},
};

const format* format_of(const std::string& option)
{
    for (const auto& f : formats) {
        if (option == f.option) { return &f; }
    }
    return nullptr;
}

struct options {
    const format* as = nullptr;
    std::string page;
    std::string map;
    exported_devices devices;
    std::optional<std::uint64_t> base;
    std::optional<unsigned> irq;
    std::string output;
    bool help = false;
};

std::uint64_t address_of(const std::string& text)
{
    const auto value = base::parse_unsigned(text, 64);
    if (!value) { throw base::input_error("--base is '" + text + "', expected an address of at most 64 bits"); }
    if (*value % 4096 != 0) { throw base::input_error("--base is '" + text + "', expected a multiple of 4096"); }
    return *value;
}

unsigned interrupt_of(const std::string& text)
{
    const auto value = base::parse_number<unsigned>(text);
    if (!value || *value > largest_interrupt) {
        throw base::input_error("--irq is '" + text + "', expected a whole number" +
                                base::range_text(0u, largest_interrupt));
    }
    return *value;
}

void check(const options& o)
{
    if (o.as == nullptr) {
        throw base::input_error("expected one of --markdown, --c-header, --svd, --systemrdl, --ipxact, --map-header, "
                                "--device-tree (see --help)");
    }
    const std::string name = o.as->option;
    const auto refuse_with = [&](bool given, const char* option, const std::string& what) {
        if (given) { throw base::input_error(std::string(option) + " is not allowed with " + what); }
    };
    const auto takes = o.as->takes;
    refuse_with(name == "--markdown" && !o.devices.empty(), "--device", name);
    refuse_with(takes == addressing::none && !o.map.empty(), "--map", name);
    refuse_with((takes == addressing::none || takes == addressing::mapped) && o.base.has_value(), "--base", name);
    refuse_with(takes != addressing::with_irq && o.irq.has_value(), "--irq", name);
    if (takes == addressing::mapped && o.map.empty()) { throw base::input_error(name + " needs --map FILE"); }
    if (!o.map.empty()) {
        refuse_with(!o.devices.empty(), "--device", "--map");
        refuse_with(o.base.has_value(), "--base", "--map");
        refuse_with(o.irq.has_value(), "--irq", "--map");
    }
}

options parse(const std::vector<std::string>& arguments)
{
    options o;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& option = arguments[i];
        const auto value = [&] {
            if (i + 1 == arguments.size()) { throw base::input_error(option + " needs a value (see --help)"); }
            return arguments[++i];
        };
        const auto file = [&] {
            auto path = value();
            if (path.empty()) { throw base::input_error(option + " is '', expected a file"); }
            return path;
        };
        if (option == "--help") {
            o.help = true;
            return o;
        }
        if (const auto* as = format_of(option)) {
            if (o.as != nullptr) {
                throw base::input_error(std::string("both ") + o.as->option + " and " + option + ", expected one");
            }
            o.as = as;
            if (option == "--markdown") { o.page = file(); }
        } else if (option == "--device") {
            const auto* device = &described_device(value());
            if (std::count(o.devices.begin(), o.devices.end(), device) > 0) {
                throw base::input_error("--device is '" + std::string(device->name) +
                                        "' again, expected each device once");
            }
            o.devices.push_back(device);
        } else if (option == "--map") {
            o.map = file();
        } else if (option == "--base") {
            o.base = address_of(value());
        } else if (option == "--irq") {
            o.irq = interrupt_of(value());
        } else if (option == "--output") {
            o.output = file();
        } else {
            throw base::input_error("unknown option '" + option + "' (see --help)");
        }
    }
    check(o);
    if (o.devices.empty()) { o.devices = described_devices(); }
    const std::uint64_t last_base = 0 - std::uint64_t{registers.block_bytes} * o.devices.size();
    if (o.base.value_or(0) > last_base) {
        throw base::input_error("--base is " + base::hexadecimal(*o.base) + ", expected at most " +
                                base::hexadecimal(last_base) + " for " + std::to_string(o.devices.size()) + " devices");
    }
    if (o.irq.value_or(0) + o.devices.size() - 1 > largest_interrupt) {
        throw base::input_error("--irq is " + std::to_string(*o.irq) + ", expected the last of " +
                                std::to_string(o.devices.size()) + " devices at " + std::to_string(largest_interrupt) +
                                " or below");
    }
    return o;
}

memory_map map_of(const options& o)
{
    return o.map.empty() ? devices_in_a_row(o.devices, o.base.value_or(0x4000'0000), o.irq.value_or(0))
                         : read_memory_map(o.map);
}

std::string exported(const options& o)
{
    if (o.as->of_map != nullptr) { return o.as->of_map(map_of(o)); }
    if (o.page.empty()) { return c_header(o.devices); }
    const std::string page = base::read_whole_file(o.page, longest_page);
    return base::complaining_of(o.page, [&] { return with_generated_sections(page); });
}

} // namespace

int main(int argc, char* argv[])
{
    return tool_main("tensorloom-registers", argc, argv, [](const std::vector<std::string>& arguments) {
        const options o = parse(arguments);
        if (o.help) {
            std::cout << usage_text();
        } else if (o.output.empty()) {
            std::cout << exported(o);
        } else {
            base::write_whole_file(o.output, exported(o));
        }
    });
}
