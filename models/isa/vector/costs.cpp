#include <tensorloom/models/isa/vector/costs.h>
#include <algorithm>
#include <string_view>
#include <vector>
#include <tensorloom/models/base/values/number_text.h>
#include <tensorloom/models/isa/vector/signature.h>

namespace tensorloom::isa::vector {

std::optional<std::string> validate(const costs& given)
{
    for (std::size_t i = 0; i < instruction_count; ++i) {
        const vector_cost& cost = given[i];
        if (cost.depth > 1000000 || cost.cycles_per_group < 1 || cost.cycles_per_group > 1000000) {
            return std::string("vector cost of ") + instructions[i].name + ": depth " + std::to_string(cost.depth) +
                   " and " + std::to_string(cost.cycles_per_group) +
                   " cycles per group, expected at most 1000000, and at least 1 cycle per group";
        }
    }
    return std::nullopt;
}

namespace {

std::optional<std::size_t> instruction_named(std::string_view name)
{
    for (std::size_t i = 0; i < instruction_count; ++i) {
        if (instructions[i].name == name) { return i; }
    }
    return std::nullopt;
}

bool same(const vector_cost& a, const vector_cost& b)
{
    return a.depth == b.depth && a.cycles_per_group == b.cycles_per_group;
}

} // namespace

base::config_field costs_field(costs& at)
{
    const std::string values = "default, or NAME:DEPTH:CYCLES_PER_GROUP of some instructions, with commas between them";
    const auto text = [&at] {
        const costs defaults = default_vector_costs();
        std::string all;
        for (std::size_t i = 0; i < instruction_count; ++i) {
            if (same(at[i], defaults[i])) { continue; }
            all += (all.empty() ? "" : ",") + std::string(instructions[i].name) + ":" + std::to_string(at[i].depth) +
                   ":" + std::to_string(at[i].cycles_per_group);
        }
        return all.empty() ? "default" : all;
    };
    const auto read = [&at, values](const std::string& given) -> std::optional<std::string> {
        costs changed = default_vector_costs();
        for (const auto part : given == "default" ? std::vector<std::string_view>{} : base::split(given, ',')) {
            const auto words = base::split(part, ':');
            const auto place = instruction_named(words[0]);
            const auto depth = words.size() == 3 ? base::parse_number<unsigned>(words[1]) : std::nullopt;
            const auto cycles = words.size() == 3 ? base::parse_number<unsigned>(words[2]) : std::nullopt;
            if (!place || !depth || !cycles) { return values; }
            changed[*place] = {*depth, *cycles};
        }
        if (auto wrong = validate(changed)) { return values + ": " + *wrong; }
        at = changed;
        return std::nullopt;
    };
    return base::text_field(text, read, values,
                            {"vector-costs", "vector_costs", "NAME:DEPTH:CYCLES,..|default",
                             "Cycles of vector instructions: depth of the pipeline and cycles per word of a lane."});
}

base::config_fields unit_fields(unsigned& lanes, bool& bank_broadcast)
{
    return {
        base::number(lanes, {1, 65536},
                     {"lanes", "lanes", "COUNT", "Lanes of the vector unit: words per cycle.", "vector lanes: #"}),
        base::on_off(bank_broadcast,
                     {"bank-broadcast", "bank_broadcast", "on|off",
                      "Lanes that read the same word of the scratchpad share the access; off: one after the other."})};
}

namespace {

std::uint64_t blocks_of(const vector_command& c) { return (std::uint64_t{c.length} + c.block - 1) / c.block; }

std::uint64_t longest(opcode code, const vector_command& c)
{
    const vector_lengths l = lengths_of(code, c);
    return std::max({l.result, l.a, l.b, l.c});
}

bool updates_in_place(const vector_command& c)
{
    return !c.zero_a() && c.a.shift == 0 && c.a.address == c.result.address;
}

} // namespace

std::uint64_t vector_elements(opcode code, const vector_command& c)
{
    switch (code) {
    case opcode::gather_last:
    case opcode::scatter_last: return blocks_of(c);
    case opcode::scatter_add: return lengths_of(code, c).a;
    case opcode::random_mask: return c.length; // the two words of c are no elements
    default: return longest(code, c);
    }
}

std::uint64_t vector_elements(const strided_command& repl) { return repl.elements(); }

std::uint64_t vector_words(opcode code, const vector_command& c)
{
    return code == opcode::scatter_last && !updates_in_place(c) ? c.length : vector_elements(code, c);
}

std::uint64_t circuit_size(opcode code, const vector_command& c, std::uint64_t word_bits)
{
    const std::uint64_t n = c.length;
    const std::uint64_t adders = n * word_bits * word_bits;
    switch (code) {
    case opcode::add:
    case opcode::sub:
    case opcode::mul:
    case opcode::sigmoid:
    case opcode::tanh:
    case opcode::exp:
    case opcode::log:
    case opcode::div:
    case opcode::sqrt:
    case opcode::sum_block:
    case opcode::mul_add:
    case opcode::random_mask: return adders;
    case opcode::and_:
    case opcode::or_:
    case opcode::not_:
    case opcode::or_block:
    case opcode::bit: return n;
    case opcode::gather_last:
    case opcode::scatter_last: return blocks_of(c) * word_bits;
    case opcode::revspec: return n * c.block * word_bits + adders;
    case opcode::compact: return n * n * word_bits;
    case opcode::revert: return n * n * word_bits + adders;
    case opcode::gather_idx:
    case opcode::gather_prev:
    case opcode::flags: return n * c.table * word_bits;
    case opcode::scatter_add: return n * c.block * c.table * word_bits + adders * c.block;
    case opcode::expand: return n * c.block * 2 * c.bits;
    default: return n * word_bits;
    }
}

std::uint64_t circuit_size(const strided_command& repl, std::uint64_t word_bits) { return repl.elements() * word_bits; }

} // namespace tensorloom::isa::vector
