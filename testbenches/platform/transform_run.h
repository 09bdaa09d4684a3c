#pragma once
#include <array>
#include <cstdint>
#include <vector>
#include <tensorloom/models/arch/triada/gemt_tiles.h>
#include <tensorloom/models/arch/values/host_port.h>
#include <tensorloom/tlm/host_thread.h>
#include <tensorloom/workloads/tensor.h>
#include "platform/memory_layout.h"
#include "platform/transform_job.h"

namespace tensorloom::testbench {

/// How a device with this mesh cuts each tensor of a job into passes.
arch::triada::gemt_plan plan_of(const transform_job& job, const arch::triada::gemt_shape& mesh);

/// Where everything lies, and the commands that say so.
struct transform_layout {
    std::uint64_t program = 0;
    std::array<std::uint64_t, 3> matrices{};
    std::array<std::uint64_t, 3> row_orders{};
    std::uint64_t initial = 0;
    std::uint64_t workspace = 0; ///< of the batch's tensors, one after the other; 0: none is needed
    std::uint64_t workspace_elements = 0;
    std::vector<std::uint64_t> x;
    std::vector<std::uint64_t> y;
};

/// Places the program and the data of a job for a device with this mesh.
template <class T>
transform_layout lay_out(const transform_job& job, const transform_problem<T>& problem,
                         const arch::triada::gemt_shape& mesh, memory_layout& memory);

/// Writes the data into memory by debug transport, and forgets the tensors X: the host holds them no longer.
template <class T> void preload(bus::host_thread& cpu, transform_problem<T>& problem, const transform_layout& at);

/// What a job gave.
template <class T> struct transform_outcome {
    std::vector<workloads::tensor<arithmetic::accumulator_of<T>>>
        y;                    ///< one per tensor of the batch; elements come widened
    std::uint64_t cycles = 0; ///< START to DONE
};

/// Runs a job whose data lies in memory on the TriADA device with registers at `device`, from the host's thread: writes
/// a program of one GEMT command per tensor, starts it, waits for the interrupt, and reads the results. Throws
/// arch::device_failure; wrong_result when a sum overflowed.
template <class T>
transform_outcome<T> run_transform(arch::host_port& host, std::uint64_t device, const transform_job& job,
                                   const transform_layout& at);

} // namespace tensorloom::testbench
