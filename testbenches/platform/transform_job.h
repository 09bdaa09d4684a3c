#pragma once
#include <array>
#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/arch/element_type.h>
#include <tensorloom/workloads/fill.h>
#include <tensorloom/workloads/tag_order.h>
#include <tensorloom/workloads/tensor.h>
#include <tensorloom/workloads/transform.h>

namespace tensorloom::testbench {

/// A 3D transform that a device is asked for: what to transform, how, and how it is to be summed.
struct transform_job {
    std::optional<std::string> input; ///< else a fill
    workloads::shape3 shape{};        ///< of the problem
    workloads::fill_kind fill = workloads::fill_kind::random;
    double zeros = 0;
    std::uint64_t seed = 1; ///< of fill and row order

    std::array<workloads::transform, 3> transforms;
    bool inverse = false;
    workloads::normalization scaling = workloads::normalization::orthonormal;
    std::array<unsigned, 3> order{3, 1, 2};
    workloads::tag_kind tags = workloads::tag_kind::diagonal;
    std::optional<std::string> initial;
    bool esop = true;
    double zero_threshold = 0;
    std::uint32_t batch = 1;
    arch::element_type format = arch::element_type::f64;
};

/// Its data in the device's format. T: double, float, complex of both.
template <class T> struct transform_problem {
    std::vector<workloads::tensor<T>> x; ///< one per tensor of the batch; a repeated input is held once
    std::optional<workloads::tensor<T>> initial;
    std::array<std::vector<T>, 3> matrices;
    std::array<std::vector<std::uint32_t>, 3> row_orders; ///< empty for the diagonal

    const workloads::tensor<T>& tensor(std::size_t item) const { return x[x.size() == 1 ? 0 : item]; }
};

/// Calls `run` with a value of the C++ type that a format has on the host; returns what it returns.
template <class Run> auto with_element(arch::element_type format, const Run& run)
{
    switch (format) {
    case arch::element_type::f32: return run(float{});
    case arch::element_type::c128: return run(std::complex<double>{});
    case arch::element_type::c64: return run(std::complex<float>{});
    case arch::element_type::f64: break;
    }
    return run(double{});
}

/// Loads or fills the tensors and computes the matrices. Throws arch::input_error.
template <class T> transform_problem<T> make_problem(const transform_job& job);

/// Roughly what the tensors of a job take, on the host and in the memory, with the reference when `checked`.
std::uint64_t tensor_bytes(const transform_job& job, bool checked);

/// Roughly what a tensor core takes: its registers, or the modules of its mesh.
std::uint64_t core_bytes(const transform_job& job, const std::array<std::uint32_t, 3>& mesh, bool detailed);

} // namespace tensorloom::testbench
