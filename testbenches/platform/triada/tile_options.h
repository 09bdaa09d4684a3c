#pragma once
#include <cstdint>
#include <string>
#include <tensorloom/models/base/values/config_fields.h>
#include <tensorloom/models/triada/isa/gemt_estimate.h>
#include "platform/options/testbench_options.h"
#include "platform/report/run_report.h"
#include "platform/run/program_costs.h"
#include "platform/triada/gemt_job.h"
#include "platform/triada/triada_options.h"

namespace tensorloom::testbench {

/// How a product larger than the mesh lies in memory.
enum class tensor_layout {
    rows,      ///< all tensors in rows, in C order
    converted, ///< X and Y likewise, and copied from or to tiles by the device where that is faster; others in tiles
    tiles      ///< all in tiles; the host writes X and reads Y tile by tile
};

/// Settings of products larger than the mesh.
struct tile_settings {
    tensor_layout layout = tensor_layout::rows;
    unsigned partials = 1; ///< blocks of the result that share a loaded block; 0: by an estimate
};

/// Configuration fields of the settings; they refer to `settings`.
base::config_fields fields_of(tile_settings& settings);

/// Adds --tensor-layout and --partials, which are in tile_settings.
void add_tile_options(option_table& table);

/// Throws base::input_error. Without --partials, and with neither --cell-registers nor --tensor-layout, a loaded block
/// serves one block of the result.
tile_settings read_tile_settings(const option_values& values, const triada_options& device);

/// A TriADA of this mesh and the path to its memory, for estimates.
triada::gemt_rates rates_of(const triada_options& options, const common_options& common, const triada::shape3& mesh);

/// Sets the flags of a job's layouts and its number of partials: those that the settings name, or the ones that the
/// estimate finds fastest.
void choose_tiles(gemt_job& job, const tile_settings& settings, const triada::gemt_rates& rates);

/// Bounds of a product larger than the mesh, and the estimate by which its passes were chosen.
struct gemt_bound {
    std::uint64_t elements = 0;         ///< least_elements(), of all tensors
    std::uint64_t traffic_cycles = 0;   ///< to move them at the peak rate of port, bus and memory
    std::uint64_t compute_cycles = 0;   ///< of the time-steps
    std::uint64_t estimated_cycles = 0; ///< without matrices
};
/// `steps`: time-steps of the whole batch.
gemt_bound bound_of(const triada::gemt_command& command, std::uint32_t batch, std::uint64_t steps,
                    const triada::gemt_rates& rates);
json json_of(const gemt_bound& bound);
/// Lines "bound" and "estimate", field "bound".
void write_bound(run_report& report, const gemt_bound& bound, std::uint64_t cycles);

/// How the tensors of a command lie in memory: "X converted, intermediate tensors tiles, Y rows".
std::string layouts_text(const triada::gemt_command& command);
json layouts_json(const triada::gemt_command& command);

} // namespace tensorloom::testbench
