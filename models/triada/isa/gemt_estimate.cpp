#include <tensorloom/models/triada/isa/gemt_estimate.h>
#include <algorithm>
#include <cmath>

namespace tensorloom::triada {
namespace {

double bytes_of(std::uint8_t type) { return base::element_bytes(static_cast<base::element_type>(type)); }

/// A block in memory: its elements, how many of them are contiguous, and how many lie in a row of the mesh.
struct block_runs {
    double elements;
    double run;
    double row;
};

// Of one transfer. Runs are cut into bursts; each takes its bytes, in whole accesses, and at least its part of the
// latency of the bursts in flight.
double transfer_cycles(const block_runs& block, double element_bytes, const gemt_rates& r)
{
    const double run = block.run * element_bytes;
    const double runs = block.elements / block.run;
    const double whole = std::ceil(run / r.access_bytes) * r.access_bytes;
    const double bursts = runs * std::ceil(run / r.burst_bytes);
    const double each = (r.latency_cycles + whole / std::ceil(run / r.burst_bytes) / r.bytes_per_cycle) / r.outstanding;
    const double moving = std::max(runs * whole / r.bytes_per_cycle, bursts * each);
    const double port_cycles = r.port_aligner ? block.elements / r.load_elements
                                              : block.elements / block.row * std::ceil(block.row / r.load_elements);
    return std::max(r.latency_cycles + moving, port_cycles);
}

/// How a tensor lies in memory, as far as transfers depend on it.
struct tensor_layout {
    isa::mode_sizes size{};
    bool tiles = false;
    double element_bytes = 8;
};

// The runs of an average block: whole rows join where a block is as wide as its tensor.
block_runs runs_of(const tensor_layout& tensor, const isa::mode_sizes& tile)
{
    double size[3];
    for (unsigned m = 0; m < 3; ++m) {
        size[m] = tensor.size[m] / std::ceil(static_cast<double>(tensor.size[m]) / std::min(tile[m], tensor.size[m]));
    }
    const double all = size[0] * size[1] * size[2];
    if (tensor.tiles) { return {all, all, size[2]}; }
    double run = size[2];
    if (tile[2] >= tensor.size[2]) { run *= tile[1] >= tensor.size[1] ? size[1] * size[0] : size[1]; }
    return {all, run, size[2]};
}

// A copy between rows and tiles, as many tiles at a time as a cell has registers.
double conversion_cycles(const tensor_layout& rows, const gemt_rates& r)
{
    isa::mode_sizes wide = r.mesh;
    wide[2] *= r.partials + 2;
    block_runs block = runs_of(rows, wide);
    block.row = runs_of(rows, r.mesh).row;
    const double blocks = static_cast<double>(isa::volume_of(rows.size)) / block.elements;
    return blocks * (transfer_cycles(block, rows.element_bytes, r) +
                     transfer_cycles({block.elements, block.elements, block.row}, rows.element_bytes, r));
}

} // namespace

gemt_estimate estimate_gemt(const gemt_command& command, const gemt_rates& r)
{
    const gemt_plan plan = plan_gemt(command, r.mesh);
    gemt_estimate total;
    for (std::size_t i = 0; i < plan.stages.size(); ++i) {
        const auto& stage = plan.stages[i];
        const bool first = i == 0, last = i + 1 == plan.stages.size();
        const tensor_layout input{stage.input, first ? command.x_tiles() || command.convert_x() : command.work_tiles(),
                                  bytes_of(command.x.type)};
        const tensor_layout output{stage.output, last ? command.y_tiles() || command.convert_y() : command.work_tiles(),
                                   bytes_of(last ? command.y.type : command.x.type)};
        const double load = transfer_cycles(runs_of(input, stage.operand_tile), input.element_bytes, r);
        const double unload = transfer_cycles(runs_of(output, stage.result_tile), output.element_bytes, r);
        const double port =
            static_cast<double>(stage.operands()) * load + static_cast<double>(stage.results()) * unload;
        const double compute = static_cast<double>(stage.rows()) * r.step_cycles;
        // With double buffering the first load and the last unload are alone, and a cell that has no partial sum to
        // spare waits for the unload of each group.
        double alone = load + unload;
        const std::uint64_t group = std::max<std::uint64_t>(command.partials, 1);
        if (r.partials < 2 * group) {
            alone += static_cast<double>(stage.results()) / static_cast<double>(group) *
                     std::min(unload, compute / static_cast<double>(stage.results()));
        }
        total.port += port;
        total.compute += compute;
        total.cycles += command.double_buffer() ? std::max(port, compute) + alone : port + compute;
        if (first && command.convert_x()) {
            const double copy = conversion_cycles({stage.input, false, input.element_bytes}, r);
            total.port += copy;
            total.cycles += copy;
        }
        if (last && command.convert_y()) {
            const double copy = conversion_cycles({stage.output, false, output.element_bytes}, r);
            total.port += copy;
            total.cycles += copy;
        }
    }
    return total;
}

gemt_command choose_gemt(const gemt_command& command, const gemt_rates& rates, bool convert)
{
    if (plan_gemt(command, rates.mesh).fits) { return command; }
    gemt_command best = command;
    double fewest = 0;
    for (unsigned conversions = 0; conversions < (convert ? 4u : 1u); ++conversions) {
        const unsigned first = std::max<unsigned>(command.partials, 1);
        const unsigned last = command.partials != 0 ? first : rates.partials;
        for (unsigned partials = first; partials <= last; ++partials) {
            gemt_command c = command;
            c.partials = static_cast<std::uint8_t>(partials);
            c.flags |= (conversions & 1u) != 0 ? gemt_command::flag_convert_x : 0;
            c.flags |= (conversions & 2u) != 0 ? gemt_command::flag_convert_y : 0;
            const double cycles = estimate_gemt(c, rates).cycles;
            if (fewest != 0 && cycles >= fewest) { continue; }
            fewest = cycles;
            best = c;
        }
    }
    return best;
}

std::uint64_t least_elements(const gemt_command& command, const gemt_rates& rates)
{
    const gemt_plan plan = plan_gemt(command, rates.mesh);
    if (plan.fits) { return isa::volume_of(plan.stages.front().input) + isa::volume_of(plan.stages.back().output); }
    std::uint64_t all = 0;
    for (const auto& stage : plan.stages) {
        const std::uint64_t rows = stage.input[stage.mode], columns = stage.output[stage.mode];
        const std::uint64_t line = std::uint64_t{rates.mesh[stage.mode]} * (rates.partials + 2);
        const std::uint64_t fibres = isa::volume_of(stage.input) / rows;
        const std::uint64_t passes = (rows * columns + line - 1) / line;
        all += fibres * std::max(rows + columns, passes > line ? passes - line : 0);
    }
    return all;
}

} // namespace tensorloom::triada
