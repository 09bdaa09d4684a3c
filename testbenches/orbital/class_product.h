#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/torus/isa/multiply_command.h>
#include <tensorloom/tlm/host_thread.h>
#include <tensorloom/workloads/gemt_check.h>
#include <tensorloom/workloads/tensor.h>
#include "platform/torus/orbit_job.h"

namespace tensorloom::testbench {

/// The product of two matrices that a job's shape, I x J x K, and a form name, in the device's format. T: double,
/// float, complex of both, bfloat16.
template <class T> class class_product {
public:
    using sum = arithmetic::accumulator_of<T>;

    class_product(const orbit_job& job, torus::matrix_form form);

    /// Generates the factors of the job: the first with its seed, the second with the next one.
    void fill(const orbit_job& job);

    std::uint64_t macs() const; ///< I J K

    /// Places the matrices; the accumulated one has the format of sums.
    void lay_out(memory_layout& memory);
    /// The command of a class, in blocks that fit.
    torus::multiply_command command_of(torus::matrix_class cls, const torus::shape3& blocks,
                                       const torus::scheduling_vector& vector) const;
    void preload(bus::host_thread& cpu) const;
    /// Called in the thread of a host; returns the result.
    std::vector<sum> run(bus::host_thread& cpu, const torus::multiply_command& command, std::uint64_t program) const;

    /// Compares with the direct sum in long double: each element within the rounding errors of its terms.
    workloads::check_result check(const std::vector<sum>& found) const;

private:
    using matrix = torus::matrix;
    const std::vector<T>& of(matrix which) const { return m_data[static_cast<unsigned>(which)]; }

    torus::matrix_blocks m_sizes; // I, J, K
    torus::plane_program m_form;  // which is what; of one node
    torus::matrix_form m_name;
    std::array<std::vector<T>, torus::matrices> m_data; // of what accumulates none
    std::array<isa::tensor_descriptor, torus::matrices> m_at;
};

} // namespace tensorloom::testbench
