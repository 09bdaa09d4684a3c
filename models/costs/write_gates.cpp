// write_gates FILE.cpp gates.yaml: the table of gates.h. Runs in the build.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <sstream>
#include <string>
#include <tensorloom/models/base/files/atomic_file.h>
#include <tensorloom/models/base/files/yaml_document.h>

namespace {

using namespace tensorloom;

bool has(const base::yaml_value& map, const std::string& name)
{
    return std::any_of(map.entries.begin(), map.entries.end(), [&](const auto& e) { return e.first->text == name; });
}

const base::yaml_value& child(const base::yaml_value& map, const std::string& name)
{
    for (const auto& [key, value] : map.entries) {
        if (key->text == name) { return *value; }
    }
    throw base::input_error("line " + std::to_string(map.line) + ": " + name + " is missing");
}

std::string number_of(const base::yaml_value& row, const char* name)
{
    const std::string& text = child(row, name).text;
    if (text.empty() || text.find_first_not_of("0123456789.") != std::string::npos) {
        throw base::input_error("line " + std::to_string(row.line) + ": " + name + ": found " + base::in_quotes(text) +
                                ", expected a number");
    }
    return text;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 3) { return 2; }
    try {
        const auto root = base::parse_yaml(base::read_whole_file(argv[2], base::largest_yaml_file));
        std::ostringstream table;
        std::size_t rows = 0;
        for (const auto& [block, formats] : child(*root, "blocks").entries) {
            for (const auto& [format, row] : formats->entries) {
                table << "    {\"" << block->text << "\", \"" << format->text << "\", " << number_of(*row, "nand2")
                      << ", " << number_of(*row, "flip_flops") << ", " << number_of(*row, "levels") << ", "
                      << (has(*row, "toggles") ? number_of(*row, "toggles") : "0") << "},\n";
                ++rows;
            }
        }
        base::write_whole_file(argv[1], "#include <tensorloom/models/costs/gates.h>\n\nnamespace tensorloom::costs "
                                        "{\n\nconst block_gates synthesized_gates[] = {\n" +
                                            table.str() + "};\nconst std::size_t synthesized_gates_count = " +
                                            std::to_string(rows) + ";\n\n} // namespace tensorloom::costs\n");
    } catch (const std::exception& e) {
        std::fprintf(stderr, "write_gates: %s: %s\n", argv[2], e.what());
        return 2;
    }
}
