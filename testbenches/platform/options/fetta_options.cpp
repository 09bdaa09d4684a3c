#include "platform/options/fetta_options.h"
#include <algorithm>
#include <charconv>
#include <string>
#include <nlohmann/json.hpp>
#include <tensorloom/models/arch/fetta/limits.h>
#include "platform/options/dram_option.h"
#include "platform/system/runtime.h"
#include "platform/report/report_table.h"

namespace tensorloom::testbench {
namespace {

constexpr std::uint64_t most_bank_bytes = 64u << 20;

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
                                      const arch::fetta::geometry& g)
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
            throw arch::input_error("--watch is '" + text + "', expected networks, engine=0 to engine=" +
                                    std::to_string(g.engines - 1) + ", or pes");
        }
    }
    if (traced.processing_elements && traced.engines.empty()) {
        throw arch::input_error("--watch pes is given without an engine, expected --watch engine=NUMBER as well");
    }
    if (!common.detailed) {
        throw arch::input_error("--watch is given with --fidelity fast, which has neither engines nor networks, "
                                "expected --fidelity detailed");
    }
    return traced;
}

void read_geometry(const option_values& values, arch::fetta::geometry& g)
{
    const auto choice = [&](const char* name) {
        return *arch::parse_element_type(values.get_choice(name, {"bf16", "f32"}));
    };
    g.operand = choice("operand");
    g.psum = choice("psum");
    const auto engines = values.get_string("engines");
    if (engines != "4" && engines != "16" && engines != "64") { throw values.complaint("engines", "4, 16 or 64"); }
    g.engines = static_cast<std::uint32_t>(std::stoul(engines));
    g.side = static_cast<std::uint32_t>(values.get_power_of_two("side", 2, 16));
    g.bank_bytes = static_cast<std::uint32_t>(values.get_power_of_two("bank-bytes", 4096, most_bank_bytes));
    g.accumulator_bank_bytes =
        static_cast<std::uint32_t>(values.get_power_of_two("accumulator-bytes", 1024, most_bank_bytes));
    if (const auto wrong = arch::fetta::complaint(g)) { throw arch::input_error("the device: " + *wrong); }
}

void read_memory(const option_values& values, fetta_options& o, run_files& files)
{
    o.in_dram = values.get_choice("memory", {"dram", "sram"}) == "dram";
    if (!o.in_dram && values.has("dram")) { refuse_together("dram", "--memory sram", "with --memory dram"); }
    o.outstanding = static_cast<unsigned>(values.get_unsigned("outstanding", 1, 64));
    o.dram = values.get_string("dram");
    o.dram_config = read_dram_option(values, files);
    const std::uint64_t bytes = o.dram_config.organisation.bytes();
    if (o.in_dram && bytes <= runtime_memory::program_bytes) {
        throw arch::input_error("--dram: " + o.dram + " has " + grouped_text(bytes) + " bytes, expected more than " +
                                grouped_text(runtime_memory::program_bytes) + ", the place of programs");
    }
}

} // namespace

void add_fetta_options(option_table& table)
{
    table.add_value("operand", "bf16|f32", "Format of the operands; f32 for checks.", "bf16");
    table.add_value("psum", "f32|bf16", "Format of every partial sum; bf16 with bf16 operands.", "f32");
    table.add_value("engines", "COUNT", "Contraction engines, ports and banks: 4, 16 or 64.", "16");
    table.add_value("side", "SIDE", "Rows and columns of an engine: 2, 4, 8 or 16.", "4");
    table.add_value("bank-bytes", "BYTES", "Size of a bank of the unified memory, a power of two.", "32768");
    table.add_value("accumulator-bytes", "BYTES", "Size of a bank of the accumulation unit, a power of two.", "8192");
    table.add_value("lanes", "COUNT", "Lanes of the vector unit: words per cycle.", "64");
    table.add_flag("no-overlap", "One unit at a time: without the ping-pong of the paper.");
    table.add_value("memory", "dram|sram", "Memory on the bus.", "dram");
    add_dram_option(table);
    table.add_value("outstanding", "BURSTS", "Bursts of the DMA in flight.", "8");
    table.add_list(
        "watch", "networks|engine=N|pes",
        "Show networks, an engine, the PEs of the engines shown, in the waveform; needs --vcd and --fidelity "
        "detailed.");
    table.begin_group("Reading of the paper's Table III");
    table.add_value("distributed", "64|128", "Elements that the distribution networks deliver in its cycle.", "64");
    table.add_value("memory-rows", "16|32", "Rows of the unified memory in its cycle.", "16");
    table.add_value("table-psum", "f32|bf16", "Format of its partial sums.", "f32");
    table.add_value("padding-share", "FRACTION", "Energy of a multiply-add of padding by that of any other.", "1");
    table.add_value("idle-share", "FRACTION", "Power of an idle block by that at work.", "0");
}

fetta_options read_fetta_options(const option_values& values, const common_options& common, run_files& files)
{
    fetta_options o;
    read_geometry(values, o.geometry);
    o.lanes = static_cast<unsigned>(values.get_unsigned("lanes", 1, 65536));
    o.overlap = !values.get_flag("no-overlap");
    read_memory(values, o, files);
    o.traced = read_watched(values, common, o.geometry);
    o.table.distributed_elements = values.get_choice("distributed", {"64", "128"}) == "64" ? 64 : 128;
    o.table.memory_rows = values.get_choice("memory-rows", {"16", "32"}) == "16" ? 16 : 32;
    o.table.table_psum = *arch::parse_element_type(values.get_choice("table-psum", {"f32", "bf16"}));
    o.table.padding_share = values.get_number("padding-share", 0, 1);
    o.table.idle_share = values.get_number("idle-share", 0, 1);
    device_config(o, common); // refuses what cannot be built
    return o;
}

fetta::config device_config(const fetta_options& o, const common_options& common)
{
    fetta::config c;
    c.geometry = o.geometry;
    c.lanes = o.lanes;
    c.overlap = o.overlap;
    c.dma.outstanding = o.outstanding;
    c.dma.transport = bus::dma_transport::non_blocking; // several bursts are on their way in a memory at once
    return with_common_options(c, common);
}

arch::fetta::energy_settings energy_settings_of(const fetta_options& o, const common_options& common)
{
    arch::fetta::energy_settings s = o.table;
    s.geometry = o.geometry;
    s.lanes = o.lanes;
    s.clock_ghz = 1000.0 / static_cast<double>(clock_period_ps(common));
    return s;
}

nlohmann::ordered_json device_json(const fetta_options& o, const common_options& common)
{
    return with_common_fields({{"operand", arch::element_type_name(o.geometry.operand)},
                               {"psum", arch::element_type_name(o.geometry.psum)},
                               {"engines", o.geometry.engines},
                               {"side", o.geometry.side},
                               {"bank_bytes", o.geometry.bank_bytes},
                               {"accumulator_bank_bytes", o.geometry.accumulator_bank_bytes},
                               {"lanes", o.lanes},
                               {"overlap", o.overlap},
                               {"memory", o.in_dram ? nlohmann::ordered_json(o.dram) : nlohmann::ordered_json("sram")},
                               {"outstanding", o.outstanding},
                               {"distributed_elements", o.table.distributed_elements},
                               {"memory_rows", o.table.memory_rows},
                               {"table_psum", arch::element_type_name(o.table.table_psum)},
                               {"padding_share", o.table.padding_share},
                               {"idle_share", o.table.idle_share}},
                              common);
}

} // namespace tensorloom::testbench
