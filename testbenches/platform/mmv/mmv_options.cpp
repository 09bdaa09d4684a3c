#include "platform/mmv/mmv_options.h"
#include <algorithm>
#include <nlohmann/json.hpp>
#include "platform/options/field_options.h"
#include "platform/process/process_resources.h"
#include "platform/run/simulated_session.h"

namespace tensorloom::testbench {
namespace {

// What a testbench lets its user choose, and before it what is the testbench's own.
base::config_fields shown_fields(mmv::config& c)
{
    return with_option_name(
        base::fields_named(fields_of(c), {"side", "format", "lanes", "bank-broadcast", "banks", "scratchpad-bytes",
                                          "in-words", "out-words", "pipeline-depth", "call-latency", "blocks",
                                          "word-bits", "scalar-ops", "overlap"}),
        "scratchpad-bytes", "scratchpad");
}

base::config_fields chosen_fields(mmv::config& c)
{
    const auto fields = shown_fields(c);
    return {fields.begin() + 2, fields.end()};
}

std::vector<watched_element> read_watched(const option_values& values, const common_options& common, unsigned side)
{
    if (!values.has("watch")) { return {}; }
    require_both(values, "watch", "vcd");
    if (!common.is_stepped()) {
        throw base::input_error("--watch is given with --fidelity fast, which has no processing elements, expected "
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
    return std::clamp(part, least, mmv::largest_scratchpad);
}

} // namespace

void add_mmv_options(option_table& table)
{
    mmv::config defaults;
    for (const auto& field : chosen_fields(defaults)) {
        const bool sized_by_run = field.says.name == std::string_view("scratchpad");
        add_field(table, field, sized_by_run ? "as large as the run needs" : field.says.zero);
    }
    table.add_list(
        "watch", "ROW,COLUMN",
        "Show this processing element in the waveform (indices from 0); needs --vcd and --fidelity detailed.");
    table.one_run_alone();
}

mmv_options read_mmv_options(const option_values& values, const common_options& common, unsigned side)
{
    mmv_options o;
    o.config.side = side;
    read_fields(values, chosen_fields(o.config));
    require_program_room(common.platform, session_memory::program_bytes);
    if (values.has("scratchpad")) { o.scratchpad_bytes = o.config.scratchpad_bytes; }
    o.watched = read_watched(values, common, side);
    return o;
}

mmv::config device_config(const mmv_options& o, const common_options& common, unsigned side, base::element_type format,
                          std::size_t devices)
{
    mmv::config c = o.config;
    c.side = side;
    c.format = format;
    for (auto* words : {&c.in_words, &c.out_words}) { *words = *words == 0 ? side : *words; }
    if (c.word_bits == 0) { c.word_bits = base::element_bits(base::accumulator_type(format)); }
    if (!o.scratchpad_bytes) { c.scratchpad_bytes = spare_scratchpad(devices); }
    return with_common_options(c, common);
}

nlohmann::ordered_json device_json(const mmv::config& device, const common_options& common,
                                   std::uint64_t scratchpad_bytes)
{
    mmv::config c = device;
    c.scratchpad_bytes = scratchpad_bytes;
    return with_common_fields(json_of(shown_fields(c)), common);
}

} // namespace tensorloom::testbench
