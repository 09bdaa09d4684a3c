#include "platform/fetta/fetta_options.h"
#include <algorithm>
#include <charconv>
#include <string>
#include <nlohmann/json.hpp>
#include <tensorloom/models/fetta/isa/contract_check.h>
#include "platform/options/field_options.h"
#include "platform/run/simulated_session.h"

namespace tensorloom::testbench {
namespace {

// What a testbench lets its user choose in one word.
base::config_fields chosen_fields(fetta::config& c)
{
    return with_option_name(
        with_option_name(
            fields_named(fields_of(c), {"operand", "psum", "engines", "side", "bank-bytes", "accumulator-bank-bytes",
                                        "buffer-cycles", "mac-latency", "lanes", "bank-broadcast", "program-prefetch"}),
            "side", "array"),
        "accumulator-bank-bytes", "accumulator-bytes");
}

// The number behind "engine="; nothing when the text is no such thing.
std::optional<unsigned> engine_of(const std::string& text)
{
    static constexpr std::string_view prefix = "engine=";
    if (text.compare(0, prefix.size(), prefix) != 0) { return std::nullopt; }
    unsigned engine = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + prefix.size(), end, engine);
    if (read.ec != std::errc() || read.ptr != end) { return std::nullopt; }
    return engine;
}

fetta::contraction_trace read_watched(const option_values& values, const common_options& common,
                                      const fetta::device_limits& g)
{
    fetta::contraction_trace traced;
    const auto watched = values.get_list("watch");
    if (watched.empty()) { return traced; }
    require_both(values, "watch", "vcd");
    for (const auto& text : watched) {
        const auto engine = engine_of(text);
        if (text == "networks") {
            traced.networks = true;
        } else if (text == "pes") {
            traced.processing_elements = true;
        } else if (engine && *engine < g.engines) {
            if (std::find(traced.engines.begin(), traced.engines.end(), *engine) == traced.engines.end()) {
                traced.engines.push_back(*engine);
            }
        } else {
            throw base::input_error("--watch is '" + text + "', expected networks, engine=0 to engine=" +
                                    std::to_string(g.engines - 1) + ", or pes");
        }
    }
    if (traced.processing_elements && traced.engines.empty()) {
        throw base::input_error("--watch pes is given without an engine, expected --watch engine=NUMBER as well");
    }
    if (!common.is_stepped()) {
        throw base::input_error("--watch is given with --fidelity fast, which has neither engines nor networks, "
                                "expected --fidelity detailed");
    }
    return traced;
}

} // namespace

fetta_options::fetta_options()
{
    config.dma.transport = bus::dma_transport::non_blocking; // several bursts are on their way in a memory at once
}

void add_fetta_options(option_table& table)
{
    fetta_options defaults;
    add_fields(table, chosen_fields(defaults.config));
    table.add_flag("no-overlap", "Run one unit at a time, without the ping-pong of the paper.");
    table.add_list(
        "watch", "networks|engine=N|pes",
        "Show networks, an engine or the PEs of the engines shown in the waveform; needs --vcd and --fidelity "
        "detailed.");
    table.one_run_alone();
    table.begin_group("Reading of the paper's Table III");
    add_fields(table, fields_of(defaults.table));
}

fetta_options read_fetta_options(const option_values& values, const common_options& common)
{
    fetta_options o;
    read_fields(values, chosen_fields(o.config));
    o.config.overlap = !values.get_flag("no-overlap");
    require_program_room(common.platform, session_memory::program_bytes);
    device_config(o, common); // refuses what cannot be built
    o.traced = read_watched(values, common, o.config.limits);
    read_fields(values, fields_of(o.table));
    return o;
}

fetta::config device_config(const fetta_options& o, const common_options& common)
{
    return with_common_options(o.config, common);
}

fetta::energy_settings energy_settings_of(const fetta_options& o, const common_options& common)
{
    fetta::energy_settings s = o.table;
    s.limits = o.config.limits, s.lanes = o.config.lanes;
    s.dma = dma_build_of(common.platform, 1, o.config.program_prefetch);
    s.clock_ghz = 1000.0 / static_cast<double>(clock_period_ps(common));
    return s;
}

nlohmann::ordered_json device_json(const fetta_options& options, const common_options& common)
{
    fetta_options o = options;
    auto json = json_of(chosen_fields(o.config));
    json["overlap"] = o.config.overlap;
    json.update(json_of(fields_of(o.table)));
    return with_common_fields(std::move(json), common);
}

} // namespace tensorloom::testbench
