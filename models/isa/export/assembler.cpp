#include <tensorloom/models/isa/export/assembler.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/number_text.h>
#include <tensorloom/models/isa/export/register_export.h>
#include <tensorloom/models/isa/program/program.h>

namespace tensorloom::isa {
namespace {

// Calls an action for each non-empty line with its number, from 1, until it returns false.
template <class Action> void each_line(std::string_view text, const Action& action)
{
    for (std::size_t number = 1;; ++number) {
        const auto end = text.find('\n');
        const auto line = text.substr(0, end);
        if (line.find_first_not_of(" \t\r") != std::string_view::npos && !action(line, number)) { return; }
        if (end == std::string_view::npos) { return; }
        text.remove_prefix(end + 1);
    }
}

std::vector<std::string_view> words_of(std::string_view line)
{
    std::vector<std::string_view> words;
    line = line.substr(0, line.find(';'));
    constexpr const char* blanks = " \t\r";
    for (auto at = line.find_first_not_of(blanks); at != std::string_view::npos;) {
        const auto end = std::min(line.find_first_of(blanks, at), line.size());
        words.push_back(line.substr(at, end - at));
        at = line.find_first_not_of(blanks, end);
    }
    return words;
}

std::optional<std::uint64_t> parse_real(std::string_view text)
{
    if (text.substr(0, 2) == "0x") { return base::parse_integer(text, 64); }
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) { return std::nullopt; }
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Fields of kind `bits` hold a word of any format.
bool may_be_negative(const base::layout_field& field)
{
    return field.kind == base::field_kind::signed_number || field.kind == base::field_kind::bits;
}

std::optional<std::uint64_t> parse_number(std::string_view text, const base::layout_field& field)
{
    if (field.kind == base::field_kind::real) { return parse_real(text); }
    return may_be_negative(field) ? base::parse_integer(text, 8 * field.bytes)
                                  : base::parse_unsigned(text, 8 * field.bytes);
}

bool is_long_address(const base::layout_field& field)
{
    return field.kind == base::field_kind::address && field.bytes == sizeof(std::uint64_t);
}

std::string expected_value(const base::layout_field& field, bool symbols)
{
    if (symbols && is_long_address(field)) {
        return "an unsigned number of 64 bits, or a symbol with +NUMBER or -NUMBER";
    }
    switch (field.kind) {
    case base::field_kind::tensor:
        return std::string(tensor_text_form) + (symbols ? "; ADDRESS may be a symbol with +NUMBER or -NUMBER" : "");
    case base::field_kind::real: return "a real number, or its bits in hexadecimal (0x...)";
    default:
        return (may_be_negative(field) ? "a number of " : "an unsigned number of ") + std::to_string(8 * field.bytes) +
               " bits";
    }
}

void store(std::uint64_t value, std::uint32_t bytes, std::uint8_t* to)
{
    for (std::uint32_t b = 0; b < bytes; ++b) { to[b] = static_cast<std::uint8_t>(value >> 8 * b); }
}

// SYMBOL, SYMBOL+NUMBER, SYMBOL-NUMBER; the offset is set later.
std::optional<relocation> parse_symbol(std::string_view text)
{
    const auto sign = std::min(text.find_first_of("+-"), text.size());
    relocation place;
    place.symbol = text.substr(0, sign);
    if (!is_symbol(place.symbol)) { return std::nullopt; }
    if (sign == text.size()) { return place; }
    const auto number = base::parse_unsigned(text.substr(sign + 1), 63);
    if (!number) { return std::nullopt; }
    place.addend = text[sign] == '-' ? -static_cast<std::int64_t>(*number) : static_cast<std::int64_t>(*number);
    return place;
}

// Writes the value for a symbol at address 0.
std::optional<relocation> store_symbolic(std::string_view text, const base::layout_field& field, std::uint8_t* to)
{
    const auto address_end =
        field.kind == base::field_kind::tensor ? std::min(text.find(':'), text.size()) : text.size();
    const auto place = parse_symbol(text.substr(0, address_end));
    if (!place) { return std::nullopt; }
    if (field.kind == base::field_kind::tensor) {
        auto tensor = parse_tensor("0" + std::string(text.substr(address_end)));
        if (!tensor) { return std::nullopt; }
        tensor->base = static_cast<std::uint64_t>(place->addend);
        tensor->encode(to);
    } else {
        store(static_cast<std::uint64_t>(place->addend), field.bytes, to);
    }
    return place;
}

bool store_value(std::string_view text, const base::layout_field& field, std::uint8_t* to)
{
    if (field.kind == base::field_kind::tensor) {
        const auto tensor = parse_tensor(text);
        if (tensor) { tensor->encode(to); }
        return tensor.has_value();
    }
    const auto value = parse_number(text, field);
    if (value) { store(*value, field.bytes, to); }
    return value.has_value();
}

/// One line with a command or a directive.
class source_line {
public:
    source_line(std::string_view line, std::string place) : m_words(words_of(line)), m_place(std::move(place)) {}

    bool empty() const { return m_words.empty(); }
    bool is_directive() const { return !empty() && m_words.front().front() == '.'; }

    /// The device named by a directive.
    const device_description& device() const
    {
        if (m_words.front() != ".device") { fail(m_words.front(), ".device"); }
        if (m_words.size() != 2) { fail(m_words.back(), ".device with one name"); }
        try {
            return described_device(m_words[1]);
        } catch (const base::input_error& e) {
            throw base::input_error(m_place + e.what());
        }
    }

    [[noreturn]] void throw_error(const std::string& expected) const
    {
        fail(std::string(m_words.front()) + (m_words.size() > 1 ? " " + std::string(m_words[1]) : ""), expected);
    }

    /// Adds its relocations to the table; symbols are not allowed without one.
    void add_to(program_builder& program, const device_description& device, relocation_table* relocations)
    {
        m_relocations = relocations;
        m_payload_at = program.size() + command_header::encoded_bytes;
        m_command = find_command(device, m_words.front());
        if (m_command == nullptr) { fail(m_words.front(), std::string("a command of device ") + device.name); }
        m_payload.assign(m_command->payload == nullptr ? 0 : m_command->payload->bytes(), 0);
        for (auto word = m_words.begin() + 1; word != m_words.end(); ++word) {
            const auto sign = word->find('=');
            const auto name = word->substr(0, sign);
            if (std::find(m_given.begin(), m_given.end(), name) != m_given.end()) {
                fail(*word, std::string(name) + " once");
            }
            m_given.push_back(name);
            sign == std::string_view::npos ? take_flag(name) : take_value(*word, name, word->substr(sign + 1));
        }
        program.add(command_code(static_cast<std::uint8_t>(m_command->opcode.value)), m_flags, m_token, m_payload);
    }

private:
    [[noreturn]] void fail(std::string_view found, const std::string& expected) const
    {
        throw base::input_error(m_place + "found " + base::in_quotes(found) + ", expected " + expected);
    }

    std::string names() const
    {
        std::string text;
        for (const auto& f : m_command->flags) { text += std::string(f.name) + ", "; }
        if (m_command->payload != nullptr) {
            for (const auto& f : *m_command->payload) {
                if (f.kind != base::field_kind::reserved) { text += std::string(f.name) + "=, "; }
            }
        }
        return text.empty() ? "token= alone" : text + "or token=";
    }

    void take_flag(std::string_view name)
    {
        for (const auto& f : m_command->flags) {
            if (name == f.name) {
                m_flags = static_cast<std::uint16_t>(m_flags | f.value);
                return;
            }
        }
        fail(name, names());
    }

    void take_value(std::string_view word, std::string_view name, std::string_view value)
    {
        if (name == "token") {
            const auto token = base::parse_unsigned(value, 32);
            if (!token) { fail(word, "an unsigned number of 32 bits"); }
            m_token = static_cast<std::uint32_t>(*token);
            return;
        }
        if (m_command->payload != nullptr) {
            for (const auto& f : *m_command->payload) {
                if (name == f.name && f.kind != base::field_kind::reserved) { return take_field(word, f, value); }
            }
        }
        fail(word, names());
    }

    void take_field(std::string_view word, const base::layout_field& field, std::string_view value)
    {
        const auto values = base::split(value, ',');
        if (values.size() != field.count) {
            fail(word, std::to_string(field.count) + (field.count == 1 ? " value" : " values"));
        }
        std::uint8_t* to = m_payload.data() + field.offset;
        for (const auto v : values) {
            if (!store_value(v, field, to) && !take_symbol(v, field, to)) {
                fail(v, std::string(field.name) + " as " + expected_value(field, m_relocations != nullptr));
            }
            to += field.bytes;
        }
    }

    // The base of a tensor is its first field, and has 64 bits like other addresses.
    bool take_symbol(std::string_view text, const base::layout_field& field, std::uint8_t* to)
    {
        static_assert(descriptor_fields::base.offset == 0 && descriptor_fields::base.bytes == sizeof(std::uint64_t));
        if (m_relocations == nullptr || !(field.kind == base::field_kind::tensor || is_long_address(field))) {
            return false;
        }
        auto place = store_symbolic(text, field, to);
        if (!place) { return false; }
        place->offset = static_cast<std::uint32_t>(m_payload_at + static_cast<std::size_t>(to - m_payload.data()));
        m_relocations->push_back(*place);
        return true;
    }

    std::vector<std::string_view> m_words;
    std::string m_place;
    const command_description* m_command = nullptr;
    std::vector<std::string_view> m_given;
    std::vector<std::uint8_t> m_payload;
    std::size_t m_payload_at = 0; // in the program
    relocation_table* m_relocations = nullptr;
    std::uint16_t m_flags = 0;
    std::uint32_t m_token = 0;
};

std::vector<std::uint8_t> assembled(const std::string& text, const std::string& origin,
                                    const device_description& device, relocation_table* relocations)
{
    program_builder program;
    std::size_t lines = 0; // non-empty lines
    each_line(text, [&](std::string_view text_line, std::size_t number) {
        source_line line(text_line, origin + ":" + std::to_string(number) + ": ");
        if (line.empty()) { return true; }
        if (!line.is_directive()) {
            line.add_to(program, device, relocations);
        } else if (const auto& named = line.device(); lines > 0) {
            line.throw_error(".device before everything else");
        } else if (&named != &device) {
            line.throw_error(std::string("device ") + device.name);
        }
        ++lines;
        return true;
    });
    auto bytes = program.bytes();
    if (bytes.size() > program_header::max_bytes) {
        throw base::input_error(origin + ": found a program of " + std::to_string(bytes.size()) +
                                " bytes, expected at most " + std::to_string(program_header::max_bytes));
    }
    return bytes;
}

} // namespace

const device_description* named_device(const std::string& text, const std::string& origin)
{
    const device_description* named = nullptr;
    each_line(text, [&](std::string_view text_line, std::size_t number) {
        const source_line line(text_line, origin + ":" + std::to_string(number) + ": ");
        if (!line.empty() && line.is_directive()) { named = &line.device(); }
        return line.empty();
    });
    return named;
}

relocatable_program assemble_relocatable(const std::string& text, const std::string& origin,
                                         const device_description& device)
{
    relocatable_program program;
    program.bytes = assembled(text, origin, device, &program.relocations);
    return program;
}

std::vector<std::uint8_t> assemble(const std::string& text, const std::string& origin, const device_description& device)
{
    return assembled(text, origin, device, nullptr);
}

} // namespace tensorloom::isa
