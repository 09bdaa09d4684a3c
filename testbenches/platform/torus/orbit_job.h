#pragma once
#include <array>
#include <complex>
#include <cstdint>
#include <vector>
#include <tensorloom/models/isa/tiles/tile_plan.h>
#include <tensorloom/models/torus/isa/orbit_command.h>
#include <tensorloom/models/torus/isa/orbit_tiles.h>
#include "platform/torus/torus_options.h"
#include "platform/run/chain_job.h"
#include "platform/run/transform_job.h"

namespace tensorloom::testbench {

/// A 3D transform for an orbital torus.
///
/// A forward transform multiplies by its matrices, an inverse one by the conjugate transposes of the loaded matrices.
/// `transform_job` has the matrices of the product, so the loaded ones are their conjugate transposes. `order` is the
/// summation order; an inverse command holds it in reverse.
struct orbit_job : transform_job {
    torus::scheduling_vector vector;
    /// Further sets of transforms of the same tensor, which stays on the nodes: only matrices are loaded for each.
    /// Without batches, chains and tiles.
    std::vector<std::array<workloads::transform, 3>> more_sets;
    bool double_buffer = false; ///< load and unload while nodes work

    /// The modes (0 to 2) that are transformed, in the order of the sums.
    std::vector<unsigned> summed_modes() const;
    std::size_t sets() const { return 1 + more_sets.size(); }
    /// The job of one set of transforms alone.
    orbit_job of_set(std::size_t set) const;
    std::uint64_t transforms_run() const { return std::uint64_t{batch} * transforms_of_tensor() * sets(); }
    std::uint64_t transforms_of_tensor() const; ///< of a chain
    /// Multiply-adds of the problem without padding, over batch and sets.
    std::uint64_t macs() const;
    /// Size and number of results: a result for each set.
    transform_job as_read_out() const;
};

/// N and K of modes 1, 2, 3; of a chain the largest (orbit_chain.h).
torus::orbit_sizes sizes_of(const orbit_job& job);

/// The passes of one transform, the first one of a chain.
isa::tile_plan plan_of(const orbit_job& job, const torus_fit& fit);

/// Addresses of all data.
struct orbit_layout : transform_layout {
    std::vector<std::array<std::uint64_t, 3>> more_matrices; ///< of the further sets
    std::vector<chain_step_layout> steps;                    ///< of a chain
};

/// The data of a job in the device's format, with its operations. T: double, float, complex of both, bfloat16, int8.
template <class T> struct orbit_transform : transform_problem<T> {
    using typename transform_problem<T>::results;

    std::vector<std::array<std::vector<T>, 3>> more_matrices; ///< of the further sets
    workloads::chain_data<T> steps;                           ///< of a chain; the members above are of transforms alone

    /// Loads or fills the tensors, and computes the matrices. Throws base::input_error.
    static orbit_transform make(const orbit_job& job);

    /// Places program and data; tensors of a batch are contiguous, so that a command processes them as a stream.
    orbit_layout lay_out(const orbit_job& job, const torus_fit& fit, memory_layout& memory) const;
    /// Writes the data into memory by debug transport, and frees the tensors X on the host.
    void preload(bus::host_thread& cpu, const orbit_job& job, const orbit_layout& at);

    /// Runs a job whose data is in memory on the torus with registers at `device`, from the host's thread: writes a
    /// program with one command for the whole batch (chains: a command per step of every tensor; one command per set of
    /// transforms), starts it, waits for the interrupt, and reads the results. Throws isa::device_failure.
    static results run(isa::host_port& host, std::uint64_t device, const orbit_job& job, const torus_fit& fit,
                       const orbit_layout& at);

    /// Compares results of a transform or a chain with the reference of `workloads`; returns the worst.
    workloads::check_result check(const orbit_job& job, const results& found, bool quiet) const;
    /// Compares the result of one set of transforms with the reference of `workloads`.
    workloads::check_result check_set(const orbit_job& job, std::size_t set, const results& found, bool quiet) const;

private:
    chain_memory<T> memory_of_steps(const orbit_job& job) const;
};

/// Calls `run` with a value of the C++ type that a format of an orbital torus has on the host; returns what it returns.
template <class Run> auto with_torus_element(base::element_type format, const Run& run)
{
    return base::with_element<double, float, std::complex<double>, std::complex<float>, arithmetic::bfloat16,
                              std::int8_t>(format, run);
}

/// Host memory of a node's module and its links, without blocks, in bytes.
inline constexpr std::uint64_t detailed_node_bytes = 8192;

/// Largest memory of a job in bytes, on the host and for a device with this fit.
job_memory memory_of(const orbit_job& job, const torus_fit& fit, bool detailed);

} // namespace tensorloom::testbench
