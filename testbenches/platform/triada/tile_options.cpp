#include "platform/triada/tile_options.h"
#include <algorithm>
#include <cmath>
#include "platform/options/field_options.h"
#include "platform/process/text.h"
#include "platform/report/run_bound.h"

namespace tensorloom::testbench {

using command = triada::gemt_command;

base::config_fields fields_of(tile_settings& s)
{
    return {
        base::choice(s.layout, {{"rows", 0}, {"converted", 1}, {"tiles", 2}},
                     {"tensor-layout", "tensor_layout", "rows|converted|tiles",
                      "Tiles: tensors in memory in rows; intermediate ones in tiles, and X and Y converted by the "
                      "device where that is faster; or all in tiles."}),
        base::number(s.partials, {0, 8},
                     {"partials", "partials", "COUNT",
                      "Tiles: blocks of the result that share a loaded block; 0: by an estimate."}),
    };
}

void add_tile_options(option_table& table)
{
    tile_settings defaults;
    const auto fields = fields_of(defaults);
    add_field(table, fields[0]);
    add_field(table, fields[1], "1; with --cell-registers or --tensor-layout 0");
}

tile_settings read_tile_settings(const option_values& values, const triada_options& device)
{
    tile_settings s;
    read_fields(values, fields_of(s));
    if (!values.has("partials")) {
        s.partials = values.has("cell-registers") || values.has("tensor-layout") ? 0 : 1;
    } else if (s.partials > device.config.cell_registers) {
        throw values.error("partials",
                           "at most " + std::to_string(device.config.cell_registers) + ", the --cell-registers");
    }
    return s;
}

triada::gemt_rates rates_of(const triada_options& options, const common_options& common, const triada::shape3& mesh)
{
    const auto& around = common.platform;
    triada::gemt_rates r;
    r.mesh = mesh;
    r.partials = options.config.cell_registers;
    r.step_cycles = options.config.step_cycles;
    r.load_elements = options.config.load_elements;
    r.port_aligner = options.config.port_aligner;
    r.bytes_per_cycle = peak_bytes_per_cycle(common, options.config.dma_ports);
    r.burst_bytes = around.burst_bytes;
    r.outstanding = around.outstanding;
    if (around.in_dram()) {
        const auto& dram = around.dram_config;
        const unsigned periods = dram.timing.RL + dram.timing.tDQSCK + dram.organisation.burst_cycles();
        r.latency_cycles = static_cast<double>(periods) * dram.tCK_ps / static_cast<double>(clock_period_ps(common));
        r.access_bytes = dram.organisation.burst_bytes();
        r.bank_bytes =
            std::uint64_t{dram.organisation.channels} * dram.organisation.banks * dram.organisation.row_bytes();
    } else {
        r.latency_cycles = around.memory_latency;
        r.access_bytes = around.bus_bytes_per_cycle();
    }
    return r;
}

void choose_tiles(gemt_job& job, const tile_settings& settings, const triada::gemt_rates& rates)
{
    auto c = command_of(job);
    if (triada::plan_gemt(c, rates.mesh).fits) { return; } // one tile is as rows are
    switch (settings.layout) {
    case tensor_layout::rows: break;
    case tensor_layout::converted: c.flags |= command::flag_work_tiles; break;
    case tensor_layout::tiles:
        c.flags |= command::flag_x_tiles | command::flag_y_tiles | command::flag_work_tiles;
        break;
    }
    c.partials = static_cast<std::uint8_t>(settings.partials);
    c = triada::choose_gemt(c, rates, settings.layout == tensor_layout::converted);
    job.layouts = static_cast<std::uint16_t>(c.flags & command::layout_flags);
    job.partials = c.partials;
    const bool in_banks = job.layouts != 0 && rates.bank_bytes % (8 * memory_layout::page) == 0;
    job.bank_bytes = in_banks ? rates.bank_bytes : 0;
}

gemt_bound bound_of(const triada::gemt_command& c, std::uint32_t batch, std::uint64_t steps,
                    const triada::gemt_rates& rates)
{
    const auto bytes = [](const isa::tensor_descriptor& d) {
        return base::element_bytes(static_cast<base::element_type>(d.type));
    };
    gemt_bound b;
    const std::uint64_t each = triada::least_elements(c, rates);
    b.elements = each * batch;
    // Only Y may have larger elements, once.
    const double moved =
        static_cast<double>(each * bytes(c.x)) + static_cast<double>(c.y.elements() * (bytes(c.y) - bytes(c.x)));
    b.traffic_cycles = static_cast<std::uint64_t>(
        std::ceil(batch * std::max(moved / rates.bytes_per_cycle, static_cast<double>(each) / port_elements(rates))));
    b.compute_cycles = steps * rates.step_cycles;
    b.estimated_cycles = static_cast<std::uint64_t>(std::llround(batch * triada::estimate_gemt(c, rates).cycles));
    return b;
}

json json_of(const gemt_bound& b)
{
    return {{"compute_cycles", b.compute_cycles},
            {"traffic_cycles", b.traffic_cycles},
            {"elements", b.elements},
            {"estimated_cycles", b.estimated_cycles}};
}

void write_bound(run_report& report, const gemt_bound& b, std::uint64_t cycles)
{
    const auto larger = static_cast<double>(std::max(b.traffic_cycles, b.compute_cycles));
    report.line("bound", grouped_text(b.compute_cycles) + " cycles of computing, " + grouped_text(b.traffic_cycles) +
                             " to move " + grouped_text(b.elements) + " elements: the run takes " +
                             number_text(ratio(static_cast<double>(cycles), larger)) + " x the larger");
    report.line("estimate", grouped_text(b.estimated_cycles) + " cycles without matrices, by the choice of passes");
    report.fields({{"bound", json_of(b)}});
}

namespace {

const char* layout_name(bool tiles, bool converts) { return tiles ? "tiles" : converts ? "converted" : "rows"; }

} // namespace

std::string layouts_text(const triada::gemt_command& c)
{
    return std::string("X ") + layout_name(c.x_tiles(), c.convert_x()) + ", intermediate tensors " +
           layout_name(c.work_tiles(), false) + ", Y " + layout_name(c.y_tiles(), c.convert_y());
}

json layouts_json(const triada::gemt_command& c)
{
    return {{"x", layout_name(c.x_tiles(), c.convert_x())},
            {"intermediate", layout_name(c.work_tiles(), false)},
            {"y", layout_name(c.y_tiles(), c.convert_y())}};
}

} // namespace tensorloom::testbench
