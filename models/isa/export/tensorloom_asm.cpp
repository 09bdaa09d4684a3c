// tensorloom-asm: assembles and disassembles programs of a device.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>
#include <tensorloom/models/isa/export/register_export.h>
#include <tensorloom/models/isa/export/assembler.h>
#include <tensorloom/models/isa/export/tool_main.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/base/files/atomic_file.h>

namespace {

using namespace tensorloom;
using namespace tensorloom::isa;

constexpr std::size_t longest_text = 256u << 20;

// Names of devices stand in place of the $.
constexpr const char* usage = R"(Usage: tensorloom-asm [options] INPUT -o OUTPUT

Assembles the text of a program, one command per line with its flags and fields, into the bytes that a device runs.

  --disassemble   the reverse: INPUT is a program, OUTPUT its text
  --device NAME   the program's device: $; default: that of the line .device NAME in the text,
                  or mmv
  -o OUTPUT       file to write; a text with symbolic addresses also writes OUTPUT.rel, the table of their offsets
  --help          print this text and stop
)";

std::string usage_text()
{
    std::vector<std::string> names;
    for (const auto* d : described_devices()) { names.emplace_back(d->name); }
    std::sort(names.begin(), names.end());
    std::string listed;
    for (const auto& name : names) { listed += (listed.empty() ? "" : ", ") + name; }
    std::string text = usage;
    return text.replace(text.find('$'), 1, listed);
}

struct options {
    const device_description* device = nullptr; // as in the text, or mmv
    bool disassemble = false;
    std::string input;
    std::string output;
    bool help = false;
};

void check_not_input(const options& o, const std::string& output, const std::string& what)
{
    if (base::same_file(o.input, output)) {
        throw base::input_error(what + " " + base::in_quotes(output) + " is the input " + base::in_quotes(o.input) +
                                ", expected another file");
    }
}

options parse(const std::vector<std::string>& arguments)
{
    options o;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        const auto value = [&] {
            if (i + 1 == arguments.size()) { throw base::input_error(argument + " needs a value (see --help)"); }
            return arguments[++i];
        };
        if (argument == "--help") {
            o.help = true;
            return o;
        }
        if (argument == "--disassemble") {
            o.disassemble = true;
        } else if (argument == "--device") {
            o.device = &described_device(value());
        } else if (argument == "-o") {
            o.output = value();
        } else if (!argument.empty() && argument.front() == '-') {
            throw base::input_error("unknown option " + base::in_quotes(argument) + " (see --help)");
        } else if (!o.input.empty()) {
            throw base::input_error("found a second input " + base::in_quotes(argument) + ", expected one");
        } else {
            o.input = argument;
        }
    }
    if (o.input.empty()) { throw base::input_error("found no input, expected a file (see --help)"); }
    if (o.output.empty()) { throw base::input_error("found no -o, expected a file to write (see --help)"); }
    check_not_input(o, o.output, "-o");
    return o;
}

const device_description& device_of(const options& o, const std::string& text)
{
    const auto* named = o.device != nullptr ? o.device : named_device(text, o.input);
    return named != nullptr ? *named : described_device("mmv");
}

bool is_table(const std::string& path)
{
    std::error_code unknown;
    if (!std::filesystem::is_regular_file(path, unknown)) { return false; }
    try {
        parse_relocations(base::read_whole_file(path, longest_text), path);
        return true;
    } catch (const base::input_error&) {
        return false;
    }
}

void write_program(const options& o)
{
    const std::string text = base::read_whole_file(o.input, longest_text);
    const auto program = assemble_relocatable(text, o.input, device_of(o, text));
    const std::string table = o.output + ".rel";
    // A table from an earlier run would not match this program.
    const bool has_table = !program.relocations.empty() || is_table(table);
    if (has_table) {
        check_not_input(o, table, "the table");
        base::check_writable(table);
    }
    base::write_whole_file(o.output, {program.bytes.begin(), program.bytes.end()});
    if (has_table) { base::write_whole_file(table, relocation_text(program.relocations)); }
}

void write_text(const options& o)
{
    const std::string bytes = base::read_whole_file(o.input, program_header::max_bytes);
    const auto& device = o.device != nullptr ? *o.device : described_device("mmv");
    base::write_whole_file(o.output, disassemble({bytes.begin(), bytes.end()}, o.input, device));
}

} // namespace

int main(int argc, char* argv[])
{
    return tool_main("tensorloom-asm", argc, argv, [](const std::vector<std::string>& arguments) {
        const options o = parse(arguments);
        if (o.help) {
            std::cout << usage_text();
        } else {
            o.disassemble ? write_text(o) : write_program(o);
        }
    });
}
