// write_technologies FILE.cpp TECHNOLOGY.yaml...: the table of shipped_technology.h. The base of a technology is one
// of those before it. Runs in the build; a technology that the reader refuses ends the build with its message.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <tensorloom/models/base/files/atomic_file.h>
#include <tensorloom/models/base/files/yaml_document.h>
#include <tensorloom/models/base/values/number_text.h>
#include <tensorloom/models/costs/technology.h>

namespace {

using namespace tensorloom;

// Text as a C++ literal, whatever it contains.
std::string literal(const std::string& text) { return "R\"embedded(" + text + ")embedded\""; }

std::map<std::string, costs::technology> shipped;

costs::technology find_shipped(const std::string& name)
{
    const auto found = shipped.find(name);
    if (found == shipped.end()) {
        throw base::input_error("found " + base::in_quotes(name) + ", expected one of those before it");
    }
    return found->second;
}

void write(std::ostream& numbers, std::ostream& table, const std::string& path, const std::string& place)
{
    const std::string name = std::filesystem::path(path).stem().string();
    const std::string text = base::read_whole_file(path, base::largest_yaml_file);
    const auto technology = costs::read_technology(text, name, find_shipped);
    if (technology.name() != name) {
        throw base::input_error(path + ": name is " + base::in_quotes(technology.name()) + ", expected the file's");
    }
    numbers << "const shipped_technology::number numbers_" << place << "[] = {\n";
    for (const auto& [key, n] : technology.numbers()) {
        numbers << "    {" << literal(key) << ", " << base::shortest_text(n.value) << ", " << literal(n.unit) << ", "
                << literal(n.process) << ", " << literal(n.source) << ", " << (n.estimate ? "true" : "false") << "},\n";
    }
    numbers << "};\n\n";
    shipped.emplace(name, technology);
    table << "    {" << literal(name) << ", " << literal(technology.process()) << ", "
          << literal(technology.second_source_name()) << ",\n"
          << literal(text) << ",\n     numbers_" << place << ", " << technology.numbers().size() << "},\n";
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 2) { return 2; }
    try {
        std::ostringstream numbers, table;
        for (int i = 2; i < argc; ++i) { write(numbers, table, argv[i], std::to_string(i - 2)); }
        base::write_whole_file(
            argv[1], "#include <tensorloom/models/costs/shipped_technology.h>\n\nnamespace tensorloom::costs {\n\n"
                     "namespace {\n\n" +
                         numbers.str() + "} // namespace\n\nconst shipped_technology shipped_technologies[] = {\n" +
                         table.str() + "};\nconst std::size_t shipped_technologies_count = " +
                         std::to_string(argc - 2) + ";\n\n} // namespace tensorloom::costs\n");
    } catch (const std::exception& e) {
        std::fprintf(stderr, "write_technologies: %s\n", e.what());
        return 2;
    }
}
