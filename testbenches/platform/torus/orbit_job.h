#pragma once
#include <array>
#include <complex>
#include <cstdint>
#include <vector>
#include <tensorloom/models/isa/tiles/tile_plan.h>
#include <tensorloom/models/torus/isa/orbit_command.h>
#include <tensorloom/models/torus/isa/orbit_tiles.h>
#include "platform/torus/torus_options.h"
#include "platform/run/transform_job.h"

namespace tensorloom::testbench {

/// A 3D transform for an orbital torus.
///
/// A forward one multiplies by its matrices, an inverse one by the conjugate transposes of the matrices that it loads:
/// `transform_job` has those that multiply, so these are their conjugate transposes. `order` is that of the sums; an
/// inverse command names it from the end.
struct orbit_job : transform_job {
    torus::scheduling_vector vector;
    bool chain = false;         ///< there and back, without a movement in between
    bool double_buffer = false; ///< load and unload while nodes work

    std::uint64_t transforms_run() const { return std::uint64_t{batch} * (chain ? 2 : 1); }
    /// Multiply-adds of the problem without padding, over the batch.
    std::uint64_t macs() const;
    /// What is read out: of a chain as large as what was loaded.
    transform_job as_read_out() const;
};

/// N and K of modes 1, 2, 3.
torus::orbit_sizes sizes_of(const orbit_job& job);

/// The passes of one transform, the first one of a chain.
isa::tile_plan plan_of(const orbit_job& job, const torus_fit& fit);

/// Its data in the device's format, and what is done with them. T: double, float, complex of both, bfloat16.
template <class T> struct orbit_transform : transform_problem<T> {
    using typename transform_problem<T>::results;

    /// Loads or fills the tensors, and computes the matrices. Throws base::input_error.
    static orbit_transform make(const orbit_job& job);

    /// Places program and data; tensors of a batch one behind the other, so that a command takes them as a stream.
    transform_layout lay_out(const orbit_job& job, const torus_fit& fit, memory_layout& memory) const;
    /// Writes the data into memory by debug transport, and forgets the tensors X: the host holds them no longer.
    void preload(bus::host_thread& cpu, const orbit_job& job, const transform_layout& at);

    /// Runs a job whose data lies in memory on the torus with registers at `device`, from the host's thread: writes a
    /// program of a command for the whole batch, in chains of two for every tensor, starts it, waits for the interrupt,
    /// and reads the results. Throws isa::device_failure.
    static results run(isa::host_port& host, std::uint64_t device, const orbit_job& job, const torus_fit& fit,
                       const transform_layout& at);
};

/// Of a row-major matrix with so many rows. T: likewise.
template <class T> std::vector<T> conjugate_transpose(const std::vector<T>& matrix, std::size_t rows);

/// Calls `run` with a value of the C++ type that a format of an orbital torus has on the host; returns what it returns.
template <class Run> auto with_torus_element(base::element_type format, const Run& run)
{
    return base::with_element<double, float, std::complex<double>, std::complex<float>, arithmetic::bfloat16>(format,
                                                                                                              run);
}

/// What a node's module and its links take on the host besides their blocks, in bytes.
inline constexpr std::uint64_t detailed_node_bytes = 8192;

/// What a job takes at most, in bytes, on the host and for a device with this fit.
job_memory memory_of(const orbit_job& job, const torus_fit& fit, bool detailed);

} // namespace tensorloom::testbench
