#pragma once
#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/arch/triada/gemt_tiles.h>
#include <tensorloom/models/arch/values/config_fields.h>
#include <tensorloom/models/arch/values/element_type.h>
#include <tensorloom/models/arch/program/device_driver.h>
#include <tensorloom/models/arithmetic/number_format.h>
#include <tensorloom/workloads/fill.h>
#include <tensorloom/workloads/gemt_check.h>
#include <tensorloom/workloads/gemt_order.h>
#include <tensorloom/workloads/npy_file.h>
#include <tensorloom/workloads/tensor.h>
#include <tensorloom/workloads/transform.h>
#include "platform/options/options.h"

namespace tensorloom::bus {
class host_thread;
}

namespace tensorloom::testbench {

/// How a device is to run its GEMT commands.
struct gemt_settings {
    bool esop = true;           ///< skip zeros; false: dense
    double zero_threshold = 0;  ///< ESOP: a stored operand of at most this modulus counts as zero
    bool double_buffer = false; ///< of tiles: load the next operand block and unload the last result while computing
};

/// The table of how GEMT commands are run. It lives as long as the settings.
arch::config_fields fields_of(gemt_settings& settings);

/// Adds --sparsity --zero-threshold --double-buffer, which are in gemt_settings.
void add_gemt_options(option_table& table);

/// Adds --format. `formats`: those that the testbench takes; `format_default`: in words, which one it takes when none
/// is given.
void add_format_option(option_table& table, const std::vector<arch::element_type>& formats,
                       const std::string& format_default);

// Throw arch::input_error.
gemt_settings read_gemt_settings(const option_values& values);
std::array<unsigned, 3> read_order(const option_values& values); ///< --order: the modes as they are summed

/// The element format: as given, else f64, or c128 when `complex_because` names what is complex ("the data is
/// complex"). A real format is then an arch::input_error.
arch::element_type read_format(const option_values& values, const std::vector<arch::element_type>& formats,
                               const std::optional<std::string>& complex_because);

/// The header of the .npy file that an option names, of a tensor that a TriADA device can take: three modes, none of
/// them empty. `option`: without its dashes. Throws arch::input_error: another tensor, and what read_npy_header()
/// refuses.
workloads::npy_header tensor_header(const std::string& option, const std::string& path);

/// Hands out addresses in a memory, a page apart.
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
    std::uint64_t bytes() const { return m_bytes; } ///< handed out so far

private:
    static constexpr std::uint64_t page = 4096;

    std::uint64_t m_base;
    std::uint64_t m_bytes = 0;
};

/// Places the workspace of GEMT commands, arch::triada::gemt_workspace_elements() of them; returns its address, 0 when
/// none is needed. Throws arch::input_error: more elements than a tensor descriptor can have in a mode.
std::uint64_t place_workspace(std::uint64_t elements, arch::element_type format, memory_layout& memory);

/// In which format a device hands its result over; the two differ in bf16 and int8 alone.
enum class result_format {
    element,    ///< rounded like an operand
    accumulator ///< the sums themselves; those of int8 still shifted
};

/// "element" or "accumulator"; throws arch::input_error.
result_format parse_result_format(const std::string& name);

/// The transforms' names for modes 1, 2, 3, of an option with one for all of them or three. Throws arch::input_error.
std::array<std::string, 3> read_transform_names(const option_values& values, const std::string& option);
std::array<workloads::transform, 3> parse_transforms(const std::array<std::string, 3>& names); ///< likewise

/// A 3D transform that a device is asked for: what to transform, how, and how it is to be summed.
struct transform_job : gemt_settings {
    std::optional<std::string> input;           ///< else a fill
    workloads::shape3 shape{};                  ///< of the problem
    std::optional<workloads::shape3> out_shape; ///< of the result, with C_s of N_s x K_s; else as the problem
    workloads::fill_kind fill = workloads::fill_kind::random;
    double zeros = 0;
    std::uint64_t seed = 1; ///< of fill and row order

    std::array<workloads::transform, 3> transforms;
    bool inverse = false;
    workloads::normalization scaling = workloads::normalization::orthonormal;
    std::array<unsigned, 3> order{3, 1, 2};
    workloads::tag_kind tags = workloads::tag_kind::diagonal;
    std::optional<std::string> initial;
    std::uint32_t batch = 1;
    arch::element_type format = arch::element_type::f64;
    std::array<unsigned, 3> shifts{}; ///< int8: bits by which the sums of the 1st, 2nd, 3rd stage are shifted right
    result_format result = result_format::accumulator;

    workloads::shape3 result_shape() const { return out_shape.value_or(shape); }
    /// The larger of both in every mode: the cells that an untiled job needs.
    workloads::shape3 box() const
    {
        const auto out = result_shape();
        return {std::max(shape[0], out[0]), std::max(shape[1], out[1]), std::max(shape[2], out[2])};
    }
    arch::element_type result_type() const
    {
        return result == result_format::element ? format : arch::accumulator_type(format);
    }
};

std::string transforms_text(const transform_job& job); ///< "dct,dct,dft"

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

/// Its data in the device's format, and what is done with them. T: double, float, complex of both, bfloat16, int8.
template <class T> struct transform_problem {
    using result_tensor = workloads::tensor<arithmetic::accumulator_of<T>>; ///< results in the element format widened
    using results = std::vector<result_tensor>;                             ///< one per tensor of the batch

    std::vector<workloads::tensor<T>> x; ///< one per tensor of the batch; a repeated input is held once
    std::optional<result_tensor> initial;
    std::array<std::vector<T>, 3> matrices;               ///< C1, C2, C3; C_s is N_s x K_s, row-major
    std::array<std::vector<std::uint32_t>, 3> row_orders; ///< empty for the diagonal

    const workloads::tensor<T>& tensor(std::size_t item) const { return x[x.size() == 1 ? 0 : item]; }

    /// Loads or fills the tensors X. Throws arch::input_error.
    void make_tensors(const transform_job& job);
    /// The same, and computes the matrices. Throws arch::input_error.
    static transform_problem make(const transform_job& job);

    /// Places the program and the data of a job for a device with this mesh.
    transform_layout lay_out(const transform_job& job, const arch::triada::gemt_shape& mesh,
                             memory_layout& memory) const;
    /// Writes the data into memory by debug transport, and forgets the tensors X: the host holds them no longer.
    void preload(bus::host_thread& cpu, const transform_layout& at);

    /// What a job gave.
    struct outcome {
        results y;
        std::uint64_t cycles = 0; ///< START to DONE
    };
    /// Runs a job whose data lies in memory on the TriADA device with registers at `device`, from the host's thread:
    /// writes a program of one GEMT command per tensor, starts it, waits for the interrupt, and reads the results.
    /// Throws arch::device_failure; wrong_result when a sum overflowed.
    static outcome run(arch::host_port& host, std::uint64_t device, const transform_job& job,
                       const transform_layout& at);

    /// Compares results with the reference of `workloads`; the worst of all. Shows progress unless `quiet`.
    workloads::check_result check(const transform_job& job, const results& found, bool quiet) const;
};

/// Calls `run` with a value of the C++ type that a format of a TriADA has on the host; returns what it returns.
template <class Run> auto with_triada_element(arch::element_type format, const Run& run)
{
    return arch::with_element<double, float, std::complex<double>, std::complex<float>, arithmetic::bfloat16,
                              std::int8_t>(format, run);
}

/// What a job takes at most, in bytes, without what the process itself takes.
struct job_memory {
    std::uint64_t platform =
        0; ///< the simulated memory, the actuators, and the core's registers or the modules of its mesh
    std::uint64_t tensors = 0;   ///< on the host: results, matrices, Y0
    std::uint64_t reference = 0; ///< for the check, besides: X, made again, and the sums
};

/// On a device with this mesh.
job_memory memory_of(const transform_job& job, const std::array<std::uint32_t, 3>& mesh, bool detailed);

} // namespace tensorloom::testbench
