// tensorloom-registers: the register table, programs and commands as Markdown, as a C header, and as CMSIS-SVD.
#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/isa/export/register_export.h>
#include <tensorloom/models/isa/export/tool_main.h>
#include <tensorloom/models/base/files/atomic_file.h>

namespace {

using namespace tensorloom;
using namespace tensorloom::isa;

constexpr std::size_t longest_page = 16u << 20;

// Names of devices stand in place of the $.
constexpr const char* usage = R"(Usage: tensorloom-registers FORMAT [options]

Writes the registers and commands of devices for firmware, debuggers and documentation. FORMAT is one of

  --markdown PAGE   the page, with its generated sections updated
  --c-header        a C99 header: offsets, fields, reset values, error codes, commands, event counters
  --svd             CMSIS-SVD 1.3

  --device NAME     only this device ($); may be repeated; default: all devices; not with --markdown
  --base ADDRESS    address of the first device's registers, for --svd (default 0x40000000)
  --output FILE     file to write; default: standard output
  --help            print this text and stop
)";

std::string usage_text()
{
    std::string text = usage;
    return text.replace(text.find('$'), 1, described_device_names());
}

struct options {
    std::string format;
    std::string page;
    exported_devices devices;
    std::optional<std::uint64_t> base;
    std::string output;
    bool help = false;
};

std::uint64_t address_of(const std::string& text)
{
    char* end = nullptr;
    errno = 0;
    const auto value = std::strtoull(text.c_str(), &end, 0);
    if (text.empty() || text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0) {
        throw base::input_error("--base is '" + text + "', expected an address of at most 64 bits");
    }
    if (value % 4096 != 0) { throw base::input_error("--base is '" + text + "', expected a multiple of 4096"); }
    return value;
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
        if (option == "--help") {
            o.help = true;
            return o;
        }
        if (option == "--markdown" || option == "--c-header" || option == "--svd") {
            if (!o.format.empty()) {
                throw base::input_error("both " + o.format + " and " + option + ", expected one");
            }
            o.format = option;
            if (option == "--markdown") { o.page = value(); }
        } else if (option == "--device") {
            o.devices.push_back(&described_device(value()));
        } else if (option == "--base") {
            o.base = address_of(value());
        } else if (option == "--output") {
            o.output = value();
            if (o.output.empty()) { throw base::input_error("--output is '', expected a file"); }
        } else {
            throw base::input_error("unknown option '" + option + "' (see --help)");
        }
    }
    if (o.format.empty()) { throw base::input_error("expected --markdown, --c-header or --svd (see --help)"); }
    if (o.format == "--markdown" && !o.devices.empty()) {
        throw base::input_error("--device is not allowed with --markdown");
    }
    if (o.format != "--svd" && o.base) { throw base::input_error("--base is allowed with --svd only"); }
    if (o.devices.empty()) {
        for (const auto* d : described_devices()) { o.devices.push_back(d); }
    }
    return o;
}

std::string exported(const options& o)
{
    if (o.format == "--c-header") { return c_header(o.devices); }
    if (o.format == "--svd") { return svd(o.devices, o.base.value_or(0x4000'0000)); }
    const std::string page = base::read_whole_file(o.page, longest_page);
    try {
        return with_generated_sections(page);
    } catch (const base::input_error& e) {
        throw base::input_error(o.page + ": " + e.what());
    }
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
