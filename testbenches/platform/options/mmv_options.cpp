#include "platform/options/mmv_options.h"
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include "platform/process/process_resources.h"

namespace tensorloom::testbench {
namespace {

struct named_block {
    const char* name;
    arch::vector::functional_block block;
};

constexpr named_block named_blocks[] = {{"revspec", arch::vector::functional_block::revspec},
                                        {"compact", arch::vector::functional_block::compact},
                                        {"revert", arch::vector::functional_block::revert},
                                        {"multiplier", arch::vector::functional_block::multiplier},
                                        {"activation", arch::vector::functional_block::activation},
                                        {"reduction", arch::vector::functional_block::reduction},
                                        {"multiply_add", arch::vector::functional_block::multiply_add},
                                        {"conversion", arch::vector::functional_block::conversion}};

std::uint8_t read_blocks(const option_values& values)
{
    const auto words = values.get_words("blocks");
    if (words == std::vector<std::string>{"none"}) { return 0; }
    std::uint8_t blocks = 0;
    for (const auto& word : words) {
        const auto* found = std::find_if(std::begin(named_blocks), std::end(named_blocks),
                                         [&](const named_block& b) { return word == b.name; });
        if (found == std::end(named_blocks) || (blocks & arch::vector::block_bit(found->block)) != 0) {
            throw values.complaint("blocks", "none, or some of " + block_names(arch::vector::all_functional_blocks) +
                                                 ", each once");
        }
        blocks |= arch::vector::block_bit(found->block);
    }
    return blocks;
}

std::uint64_t read_scratchpad(const option_values& values)
{
    const auto bytes = values.get_unsigned("scratchpad", mmv::scratchpad_unit, largest_scratchpad);
    if (bytes % mmv::scratchpad_unit != 0) {
        throw values.complaint("scratchpad", "a multiple of " + std::to_string(mmv::scratchpad_unit));
    }
    return bytes;
}

std::vector<watched_element> read_watched(const option_values& values, const common_options& common, unsigned side)
{
    if (!values.has("watch")) { return {}; }
    require_both(values, "watch", "vcd");
    if (!common.detailed) {
        throw arch::input_error("--watch is given with --fidelity fast, which has no processing elements, expected "
                                "--fidelity detailed");
    }
    std::vector<watched_element> elements;
    for (const auto& [row, column] : values.get_positions<2>("watch", {side, side})) {
        elements.emplace_back(static_cast<unsigned>(row), static_cast<unsigned>(column));
    }
    return elements;
}

// Of a device without a size given.
std::uint64_t spare_scratchpad(std::size_t devices)
{
    constexpr std::uint64_t least = 64u << 10;
    const std::uint64_t part = address_space_left_bytes() / (2 * devices) / mmv::scratchpad_unit * mmv::scratchpad_unit;
    return std::clamp(part, least, largest_scratchpad);
}

unsigned read_port(const option_values& values, const char* name, unsigned side)
{
    return values.has(name) ? static_cast<unsigned>(values.get_unsigned(name, 1, side)) : 0;
}

} // namespace

void add_mmv_options(option_table& table)
{
    table.add_value("lanes", "COUNT", "Lanes of the vector unit: words per cycle.", "64");
    table.add_value(
        "banks", "COUNT",
        "Banks of the scratchpad, a word wide each: a power of two. A bank reads and writes a word per cycle.", "64");
    table.add_value("scratchpad", "BYTES", "Size of the scratchpad (default: as large as the run needs).");
    table.add_value("in-words", "PER_CYCLE", "Words per cycle into the array (default: as its side).");
    table.add_value("out-words", "PER_CYCLE", "Words per cycle out of the array (default: as its side).");
    table.add_value("call-latency", "CYCLES", "Cycles of every call of the array on top of its schedule.", "0");
    table.add_value("blocks", "NAME,NAME,..|none", "Functional blocks that the vector unit has.",
                    block_names(arch::mmv::functional_blocks));
    table.add_value("word-bits", "BITS", "Bits of a word in the circuit sizes of the model (default: as the format).");
    table.add_value("scalar-ops", "PER_CYCLE", "Operations per cycle of the scalar unit.", "1");
    table.add_flag("overlap", "Units work at the same time: an extension, not the papers' machine.");
    table.add_list("watch", "ROW,COLUMN",
                   "Show this processing element (from 0) in the waveform; needs --vcd and --fidelity detailed.");
}

mmv_options read_mmv_options(const option_values& values, const common_options& common, unsigned side)
{
    mmv_options o;
    mmv::config& c = o.config;
    c.lanes = static_cast<unsigned>(values.get_unsigned("lanes", 1, 65536));
    c.banks = static_cast<unsigned>(values.get_power_of_two("banks", 1, 4096));
    if (values.has("scratchpad")) { o.scratchpad_bytes = read_scratchpad(values); }
    c.in_words = read_port(values, "in-words", side);
    c.out_words = read_port(values, "out-words", side);
    c.call_latency = static_cast<unsigned>(values.get_unsigned("call-latency", 0, 1u << 20));
    c.blocks = read_blocks(values);
    if (values.has("word-bits")) { c.word_bits = static_cast<unsigned>(values.get_unsigned("word-bits", 1, 128)); }
    c.scalar_ops = static_cast<unsigned>(values.get_unsigned("scalar-ops", 1, 1024));
    c.overlap = values.get_flag("overlap");
    o.watched = read_watched(values, common, side);
    return o;
}

std::string block_names(std::uint8_t blocks)
{
    std::string names;
    for (const auto& b : named_blocks) {
        if ((blocks & arch::vector::block_bit(b.block)) != 0) {
            names += (names.empty() ? "" : ",") + std::string(b.name);
        }
    }
    return names.empty() ? "none" : names;
}

mmv::config device_config(const mmv_options& o, const common_options& common, unsigned side, arch::element_type format,
                          std::size_t devices)
{
    mmv::config c = o.config;
    c.side = side;
    c.format = format;
    c.in_words = o.config.in_words != 0 ? o.config.in_words : side;
    c.out_words = o.config.out_words != 0 ? o.config.out_words : side;
    if (c.word_bits == 0) { c.word_bits = arch::element_bits(arch::accumulator_type(format)); }
    c.scratchpad_bytes = o.scratchpad_bytes ? *o.scratchpad_bytes : spare_scratchpad(devices);
    return with_common_options(c, common);
}

nlohmann::ordered_json device_json(const mmv::config& c, const common_options& common, std::uint64_t scratchpad_bytes)
{
    return with_common_fields({{"side", c.side},
                               {"format", arch::element_type_name(c.format)},
                               {"lanes", c.lanes},
                               {"banks", c.banks},
                               {"scratchpad_bytes", scratchpad_bytes},
                               {"in_words_per_cycle", c.in_words},
                               {"out_words_per_cycle", c.out_words},
                               {"call_latency", c.call_latency},
                               {"blocks", block_names(c.blocks)},
                               {"word_bits", c.word_bits},
                               {"scalar_ops_per_cycle", c.scalar_ops},
                               {"overlap", c.overlap}},
                              common);
}

} // namespace tensorloom::testbench
