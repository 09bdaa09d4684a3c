#pragma once
#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/isa/program/device_driver.h>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/arithmetic/number_format.h>
#include <tensorloom/workloads/chain.h>
#include <tensorloom/workloads/fill.h>
#include <tensorloom/workloads/gemt_check.h>
#include <tensorloom/workloads/gemt_reference.h>
#include <tensorloom/workloads/tensor.h>
#include <tensorloom/workloads/transform.h>

namespace tensorloom::bus {
class host_thread;
}

namespace tensorloom::testbench {

/// Allocates addresses in a memory, at page boundaries.
class memory_layout {
public:
    /// `base`: bus address of the memory.
    explicit memory_layout(std::uint64_t base) : m_base(base) {}

    std::uint64_t place(std::uint64_t bytes)
    {
        const std::uint64_t at = m_base + m_bytes;
        m_bytes += (bytes + page - 1) / page * page;
        return at;
    }
    /// The next address that is `residue` modulo `modulus`, a multiple of the size of a page: for the next allocation.
    void skip_to(std::uint64_t residue, std::uint64_t modulus)
    {
        while ((m_base + m_bytes) % modulus != residue) { m_bytes += page; }
    }
    std::uint64_t bytes() const { return m_bytes; } ///< allocated so far

    static constexpr std::uint64_t page = 4096;

private:
    std::uint64_t m_base;
    std::uint64_t m_bytes = 0;
};

/// Allocates the workspace of commands whose intermediate tensors have this many elements; returns its address, 0 if
/// none is needed. Throws base::input_error: more elements than a tensor descriptor supports in a mode.
std::uint64_t place_workspace(std::uint64_t elements, base::element_type format, memory_layout& memory);

/// Format of a device's result; the two differ only in bf16 and int8.
enum class result_format {
    element,    ///< rounded like an operand
    accumulator ///< the sums; in int8 shifted
};

/// A 3D transform job: the data, the transforms, and the summation order.
struct transform_job {
    std::optional<std::string> input;           ///< else a fill
    workloads::shape3 shape{};                  ///< of the problem
    std::optional<workloads::shape3> out_shape; ///< of the result, with C_s of N_s x K_s; else as the problem
    workloads::fill_kind fill = workloads::fill_kind::random;
    double zeros = 0;
    std::uint64_t seed = 1;       ///< of all random data
    bool allow_nonfinite = false; ///< of files

    std::array<workloads::transform, 3> transforms;
    std::array<double, 3> matrix_zeros{}; ///< probability, by mode, that a coefficient is set to zero
    bool inverse = false;
    workloads::normalization scaling = workloads::normalization::orthonormal;
    std::array<unsigned, 3> order{3, 1, 2}; ///< the modes as they are summed
    std::optional<std::string> initial;     ///< file with the tensor that results start from; else zero
    std::array<unsigned, 3> shifts{}; ///< int8: bits by which the sums of the 1st, 2nd, 3rd stage are shifted right
    std::uint32_t batch = 1;
    base::element_type format = base::element_type::f64;
    result_format result = result_format::accumulator;
    /// Steps instead of the transform alone; empty: the transform alone.
    std::vector<workloads::chain_step> chain;
    std::optional<std::string> chain_file; ///< of the chain; none: --chain, or no chain

    /// The option of a chain, for messages.
    std::string chain_option() const { return chain_file ? "--chain-file" : "--chain"; }

    /// False: the mode (0, 1, 2) is left as it is, without a stage.
    bool sums(std::size_t mode) const { return transforms[mode].kind != workloads::transform_kind::none; }
    /// Of a chain, after its last step.
    workloads::shape3 result_shape() const
    {
        return chain.empty() ? out_shape.value_or(shape) : chain.back().out_shape;
    }
    /// The largest size of the tensor in every mode, before, between and after the steps.
    workloads::shape3 box() const
    {
        auto largest = shape;
        const auto cover = [&](const workloads::shape3& sizes) {
            for (std::size_t m = 0; m < 3; ++m) { largest[m] = std::max(largest[m], sizes[m]); }
        };
        cover(result_shape());
        for (const auto& step : chain) { cover(step.out_shape); }
        return largest;
    }
    base::element_type result_type() const
    {
        return result == result_format::element ? format : base::accumulator_type(format);
    }
};

std::string transforms_text(const transform_job& job); ///< "dct,dct,dft"
/// The transform of a job as a step of a chain.
workloads::chain_step transform_step(const transform_job& job);
std::string computation_text(const transform_job& job); ///< "inverse dct,dct,dft", or the steps of the chain
std::string problem_text(const transform_job& job);     ///< "inverse dct, 9x8x7 to 4x4x4, batch of 2"

/// Sizes in the type of descriptors.
std::vector<std::uint32_t> descriptor_sizes(const workloads::shape3& shape);

/// Addresses of all data.
struct transform_layout {
    std::uint64_t program = 0;
    std::array<std::uint64_t, 3> matrices{};
    std::uint64_t workspace = 0; ///< of the batch's tensors, one after the other; 0: none is needed
    std::uint64_t workspace_elements = 0;
    std::uint64_t initial = 0; ///< 0: the results' places contain it
    std::vector<std::uint64_t> x;
    std::vector<std::uint64_t> y;
};

/// The data of a job in the device's format, with its operations on any device. T: double, float, complex of both,
/// bfloat16, int8.
template <class T> struct transform_problem {
    using result_tensor = workloads::tensor<arithmetic::accumulator_of<T>>; ///< results in the element format widened
    using results = std::vector<result_tensor>;                             ///< one per tensor of the batch

    std::vector<workloads::tensor<T>> x;    ///< one per tensor of the batch; a repeated input is held once
    std::array<std::vector<T>, 3> matrices; ///< C1, C2, C3; C_s is N_s x K_s, row-major; empty: the mode is not summed

    std::optional<result_tensor> initial; ///< what results start from

    const workloads::tensor<T>& tensor(std::size_t item) const { return x[x.size() == 1 ? 0 : item]; }

    /// Loads or fills the tensors X. Throws base::input_error, also for a file with NaN or infinities (in the format),
    /// unless the job allows them.
    void make_tensors(const transform_job& job);
    /// Computes the matrices, or loads them likewise. Throws base::input_error.
    void make_matrices(const transform_job& job);
    /// Both, and loads the initial tensor likewise.
    void make_data(const transform_job& job);

    void place_initial(const transform_job& job, memory_layout& memory, transform_layout& at) const;
    /// Places the tensors X and Y.
    void place_inputs(const transform_job& job, memory_layout& memory, transform_layout& at) const;
    void place_outputs(const transform_job& job, memory_layout& memory, transform_layout& at) const;
    void place_tensors(const transform_job& job, memory_layout& memory, transform_layout& at) const;
    /// Writes the matrices into memory by debug transport.
    void preload_matrices(bus::host_thread& cpu, const transform_layout& at) const;
    /// Writes the initial tensor, if it has a place, and the tensors X likewise, and frees the latter on the host.
    void preload_tensors(bus::host_thread& cpu, const transform_layout& at);
    /// Reads the results.
    static results read_results(isa::host_port& host, const transform_job& job, const transform_layout& at);

    /// The problem of a job, without X.
    workloads::gemt_problem<T> sums(const transform_job& job) const;
    /// Compares results with the reference of `workloads`; returns the worst. Shows progress unless `quiet`.
    workloads::check_result check(const workloads::gemt_problem<T>& sums, const results& found, bool quiet) const;
    /// The same with another reference of a tensor; the reference gets a function that shows its progress.
    using reference_function = std::function<workloads::gemt_reference<T>(const workloads::tensor<T>& tensor,
                                                                          const std::function<void(double)>& progress)>;
    workloads::check_result check(const reference_function& reference_of, const results& found, bool quiet) const;
};

/// Throws base::input_error for an element that is NaN or infinite; int8 has none. `where`: "--input: x.npy: ".
template <class T>
void require_finite_elements(const std::vector<T>& elements, const std::vector<std::size_t>& shape,
                             const std::string& where);

/// Combines two checks: the worse of both for each figure.
void take_worse(workloads::check_result& worst, const workloads::check_result& other);

/// Writes results in the job's format (bfloat16 as float32, because .npy has no bfloat16); those of a batch as one
/// tensor of four modes.
template <class T>
void save_results(const std::string& path, const transform_job& job,
                  const std::vector<workloads::tensor<arithmetic::accumulator_of<T>>>& results);

/// Elements of X and of the results of the three stages; of a chain no more than these.
std::array<std::uint64_t, 4> stage_elements(const transform_job& job);

/// Largest memory of a job in bytes, without the overhead of the process.
struct job_memory {
    std::uint64_t platform = 0;  ///< the simulated memory, and the device with its matrices
    std::uint64_t tensors = 0;   ///< on the host: results, matrices
    std::uint64_t reference = 0; ///< additionally for the check: X, generated again, and the sums
};

/// Without the device itself and intermediate tensors.
job_memory memory_of(const transform_job& job);

} // namespace tensorloom::testbench
