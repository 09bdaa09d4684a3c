#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/export/register_export.h>
#include <tensorloom/models/isa/program/register_map.h>
#include <tensorloom/models/isa/program/tensor_descriptor.h>

namespace tensorloom::isa {
namespace {

std::string hex(std::uint32_t value, int digits)
{
    char text[16];
    std::snprintf(text, sizeof text, "0x%0*x", digits, static_cast<unsigned>(value));
    return text;
}

// The access of all fields of a register, or "by field".
std::string access_of(const register_definition& r)
{
    for (const auto& f : r) {
        if (f.access != r.fields[0].access) { return "by field"; }
    }
    return access_text(r.fields[0].access);
}

std::string registers_section()
{
    std::string text = "| offset | name | access | after reset | meaning |\n|---|---|---|---|---|\n";
    for (const auto& r : registers) {
        const bool own = r.trait == register_trait::identification;
        text += "| " + hex(r.offset, 3) + " | " + r.name + " | " + access_of(r) + " | " +
                (own              ? "the device's"
                 : r.reset() == 0 ? "0"
                                  : hex(r.reset(), 8)) +
                " | " + r.meaning + " |\n";
    }
    return text;
}

std::string values_text(const base::named_values& values)
{
    std::string text;
    for (const auto& v : values) { text += (text.empty() ? ": " : ", ") + std::to_string(v.value) + " " + v.name; }
    return text;
}

std::string fields_section()
{
    std::string text = "| register | bits | field | access | after reset | meaning |\n|---|---|---|---|---|---|\n";
    for (const auto& r : registers) {
        for (const auto& f : r) {
            const unsigned msb = f.lsb + f.width - 1;
            const std::string bits =
                f.width == 1 ? std::to_string(f.lsb) : std::to_string(msb) + ".." + std::to_string(f.lsb);
            const bool own = r.trait == register_trait::identification;
            text += std::string("| ") + r.name + " | " + bits + " | " + f.name + " | " + access_text(f.access) + " | " +
                    (own ? "the device's" : std::to_string(f.reset)) + " | " + f.meaning + values_text(f.values) +
                    " |\n";
        }
    }
    return text;
}

std::string values_section(const base::named_values& values)
{
    std::string text = "| value | name | meaning |\n|---|---|---|\n";
    for (const auto& v : values) {
        text += "| " + std::to_string(v.value) + " | " + v.name + " | " + v.meaning + " |\n";
    }
    return text;
}

std::string layout_section(const base::byte_layout& layout)
{
    std::string text = "| offset | bytes | field | meaning |\n|---|---|---|---|\n";
    for (const auto& f : layout) {
        text += "| " + std::to_string(f.offset) + " | " + (f.count > 1 ? std::to_string(f.count) + " x " : "") +
                std::to_string(f.bytes) + " | " + f.name + " | " + f.meaning + " |\n";
    }
    return text;
}

// Text in a table cell.
std::string cell(const std::string& text)
{
    std::string escaped;
    for (const char c : text) { escaped += c == '|' ? "\\|" : std::string(1, c); }
    return escaped;
}

std::string opcode_line(const base::named_value& opcode, const std::string& of)
{
    return "| " + hex(opcode.value, 2) + " | " + opcode.name + " | " + of + " | " + cell(opcode.meaning) + " |\n";
}

// A command that several devices share is listed once, with all of them.
std::string opcodes_section()
{
    std::vector<std::pair<base::named_value, std::string>> commands;
    for (const auto& v : opcode_values) { commands.push_back({v, "all"}); }
    for (const auto* d : described_devices()) {
        for (const auto& c : d->commands) {
            const auto same = std::find_if(commands.begin(), commands.end(), [&](const auto& known) {
                return known.first.value == c.opcode.value && known.first.name == std::string_view(c.opcode.name) &&
                       known.first.meaning == std::string_view(c.opcode.meaning);
            });
            if (same == commands.end()) {
                commands.push_back({c.opcode, d->title});
            } else {
                same->second += std::string(", ") + d->title;
            }
        }
    }
    std::string text = "| opcode | command | devices | what it does |\n|---|---|---|---|\n";
    for (const auto& [opcode, devices] : commands) { text += opcode_line(opcode, devices); }
    return text;
}

std::string commands_section(const command_descriptions& commands)
{
    std::string text = "| opcode | command | payload | what it does |\n|---|---|---|---|\n";
    for (const auto& c : commands) { text += opcode_line(c.opcode, c.payload == nullptr ? "-" : c.payload->name); }
    return text;
}

// The flags of the commands with this payload, and its layout.
std::string payload_section(const command_description& command)
{
    std::string text;
    for (const auto& v : command.flags) {
        if (text.empty()) { text = "| flag | name | meaning |\n|---|---|---|\n"; }
        text += "| " + hex(v.value, 4) + " | " + v.name + " | " + v.meaning + " |\n";
    }
    return text + (text.empty() ? "" : "\n") + layout_section(*command.payload);
}

constexpr const char* begin_mark = "<!-- generated: ";
constexpr const char* mark_end = " -->";
constexpr const char* end_mark = "<!-- end of generated -->";

} // namespace

std::string markdown_section(const std::string& name)
{
    if (name == "registers") { return registers_section(); }
    if (name == "fields") { return fields_section(); }
    if (name == "error_codes") { return values_section(error_code_values); }
    if (name == "bus_responses") { return values_section(bus_response_values); }
    if (name == "opcodes") { return opcodes_section(); }
    for (const auto* layout : {&program_layout, &command_layout, &descriptor_layout}) {
        if (name == layout->name) { return layout_section(*layout); }
    }
    std::vector<command_descriptions> lists = {shell_command_descriptions()};
    for (const auto* d : described_devices()) {
        if (name == std::string(d->name) + "_commands") { return commands_section(d->commands); }
        lists.push_back(d->commands);
    }
    for (const auto& list : lists) {
        for (const auto* c : distinct_payloads(list)) {
            if (name == c->payload->name) { return payload_section(*c); }
        }
    }
    throw base::input_error("generated section '" + name + "' is unknown");
}

std::string with_generated_sections(const std::string& page, const section_writer& section)
{
    std::istringstream lines(page);
    std::string text;
    std::string open; // the current section
    for (std::string line; std::getline(lines, line);) {
        if (!open.empty()) {
            if (line.rfind(begin_mark, 0) == 0) {
                throw base::input_error("generated section '" + open + "' has no end");
            }
            if (line != end_mark) { continue; }
            open.clear();
        } else if (line.rfind(begin_mark, 0) == 0) {
            const std::string rest = line.substr(std::string(begin_mark).size());
            open = rest.substr(0, rest.find(mark_end));
            text += line + "\n\n" + section(open) + "\n";
            continue;
        }
        text += line + "\n";
    }
    if (!open.empty()) { throw base::input_error("generated section '" + open + "' has no end"); }
    return text;
}

} // namespace tensorloom::isa
