// tensorloom-asm: programs for a device from text, and back.
#include <exception>
#include <iostream>
#include <string>
#include <vector>
#include <tensorloom/models/arch/export/register_export.h>
#include <tensorloom/models/arch/export/assembler.h>
#include <tensorloom/models/arch/values/input_error.h>
#include <tensorloom/models/arch/program/program.h>
#include <tensorloom/models/arch/files/atomic_file.h>

namespace {

using namespace tensorloom::arch;

constexpr std::size_t longest_text = 256u << 20;

constexpr const char* usage = R"(Usage: tensorloom-asm [options] INPUT -o OUTPUT

Turns the text of a program into the bytes that a device runs: one command per line, with its flags and fields.

  --disassemble   the other way: INPUT has the bytes, OUTPUT gets the text
  --device NAME   whose commands they are: fetta, mmv (default), triada
  -o OUTPUT       where to write
  --help          print this text and stop
)";

struct options {
    const device_description* device = find_described_device("mmv");
    bool disassemble = false;
    std::string input;
    std::string output;
    bool help = false;
};

options parse(const std::vector<std::string>& arguments)
{
    options o;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        const auto value = [&] {
            if (i + 1 == arguments.size()) { throw input_error(argument + " needs a value (see --help)"); }
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
            throw input_error("unknown option " + in_quotes(argument) + " (see --help)");
        } else if (!o.input.empty()) {
            throw input_error("found a second input " + in_quotes(argument) + ", expected one");
        } else {
            o.input = argument;
        }
    }
    if (o.input.empty()) { throw input_error("found no input, expected a file (see --help)"); }
    if (o.output.empty()) { throw input_error("found no -o, expected a file to write (see --help)"); }
    if (same_file(o.input, o.output)) {
        throw input_error("-o " + in_quotes(o.output) + " is the input " + in_quotes(o.input) +
                          ", expected another file");
    }
    return o;
}

std::string translated(const options& o)
{
    if (o.disassemble) {
        const std::string bytes = read_whole_file(o.input, program_header::max_bytes);
        return disassemble({bytes.begin(), bytes.end()}, o.input, *o.device);
    }
    const auto bytes = assemble(read_whole_file(o.input, longest_text), o.input, *o.device);
    return {bytes.begin(), bytes.end()};
}

} // namespace

int main(int argc, char* argv[])
{
    remove_temporaries_on_signals();
    try {
        const options o = parse({argv + 1, argv + argc});
        if (o.help) {
            std::cout << usage;
            return 0;
        }
        write_whole_file(o.output, translated(o));
        return 0;
    } catch (const input_error& e) {
        std::cerr << "tensorloom-asm: " << e.what() << "\n";
        return 2;
    } catch (const std::exception& e) {
        std::cerr << "tensorloom-asm: internal failure: " << e.what() << "\n";
        return 3;
    }
}
