#pragma once
#include <array>
#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/triada/isa/gemt_tiles.h>
#include <tensorloom/models/base/values/config_fields.h>
#include <tensorloom/workloads/gemt_order.h>
#include "platform/options/options.h"
#include "platform/run/chain_job.h"
#include "platform/run/transform_job.h"

namespace tensorloom::testbench {

/// Settings of GEMT commands of a TriADA device.
struct gemt_settings {
    bool esop = true;           ///< skip zeros; false: dense
    double zero_threshold = 0;  ///< ESOP: a stored operand whose modulus is at most this counts as zero
    bool double_buffer = false; ///< of tiles: load the next operand block and unload the last result while computing
};

/// Configuration fields of the settings; they refer to `settings`.
base::config_fields fields_of(gemt_settings& settings);

/// Adds --sparsity --zero-threshold --double-buffer, which are in gemt_settings.
void add_gemt_options(option_table& table);

gemt_settings read_gemt_settings(const option_values& values); ///< throws base::input_error

/// A 3D transform for a TriADA device.
struct gemt_job : transform_job, gemt_settings {
    workloads::tag_kind tags = workloads::tag_kind::diagonal; ///< the seed determines random ones
    /// Larger than the mesh: the flags of a command that say what is stored tile by tile (tile_options.h), and how many
    /// blocks of the result share a loaded block.
    std::uint16_t layouts = 0;
    std::uint8_t partials = 0;
    /// Of a DRAM: bytes of a row of every bank. Tensors in tiles that a stage reads and writes begin three eighths of
    /// it apart, so that the tiles of a pass lie in different banks. 0: tensors lie anywhere.
    std::uint64_t bank_bytes = 0;
};

/// What all commands of a job have in common; X and Y without their addresses.
triada::gemt_command command_of(const gemt_job& job);
/// The passes of each tensor of a job on a device with this mesh.
triada::gemt_plan plan_of(const gemt_job& job, const isa::mode_sizes& mesh);

/// Addresses of all data.
struct gemt_layout : transform_layout {
    std::array<std::uint64_t, 3> row_orders{};
    std::vector<chain_step_layout> steps; ///< of a chain, or the transform alone
    bool moves_beside_work = false;       ///< tensors of a batch (gemt_chain.h)
    isa::mode_sizes mesh{};               ///< tiles of tensors that are stored tile by tile
};

/// The data of a job in the device's format, with its operations. T: double, float, complex of both, bfloat16, int8.
template <class T> struct gemt_transform : transform_problem<T> {
    using typename transform_problem<T>::results;

    std::array<std::vector<std::uint32_t>, 3> row_orders; ///< empty for the diagonal
    chain_memory<T> chain; ///< data of a chain; the other members are those of a transform alone

    /// Loads or fills the tensors, and computes the matrices. Throws base::input_error.
    static gemt_transform make(const gemt_job& job);

    /// Places the program and the data of a job for a device with this mesh.
    gemt_layout lay_out(const gemt_job& job, const isa::mode_sizes& mesh, memory_layout& memory) const;
    /// Writes the data into memory by debug transport, and frees the tensors X on the host.
    void preload(bus::host_thread& cpu, const gemt_job& job, const gemt_layout& at);

    /// Results of a job.
    struct outcome {
        results y;
        std::uint64_t cycles = 0; ///< START to DONE
    };
    /// Runs a job whose data is in memory on the TriADA device with registers at `device`, from the host's thread:
    /// writes a program, starts it, waits for the interrupt, and reads the results. The program has one GEMT command
    /// per tensor; of a chain, and of a batch whose tensors move beside the work on others, a command per step
    /// (gemt_chain.h). Throws isa::device_failure; wrong_result when a sum overflowed.
    static outcome run(isa::host_port& host, std::uint64_t device, const gemt_job& job, const gemt_layout& at);

    /// Compares results with the reference of `workloads`; the worst of all. Shows progress unless `quiet`.
    workloads::check_result check(const gemt_job& job, const results& found, bool quiet) const;
};

/// Calls `run` with a value of the C++ type that a format of a TriADA has on the host; returns what it returns.
template <class Run> auto with_triada_element(base::element_type format, const Run& run)
{
    return base::with_element<double, float, std::complex<double>, std::complex<float>, arithmetic::bfloat16,
                              std::int8_t>(format, run);
}

/// Memory of a job on a device with this mesh: its actuators, and the core's registers or the modules of its mesh.
job_memory memory_of(const gemt_job& job, const std::array<std::uint32_t, 3>& mesh, bool detailed);

} // namespace tensorloom::testbench
