#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/workloads/segmented/inputs.h>
#include <tensorloom/workloads/segmented/problem.h>
#include <tensorloom/workloads/segmented/variants.h>
#include "platform/mmv/mmv_options.h"
#include "platform/report/testbench_run.h"

namespace tensorloom::testbench {

/// Source of the data of a run.
struct segmented_source {
    std::optional<std::string> matrix; ///< spmv: a .mtx file
    bool allow_nonfinite = false;      ///< of the inputs
    std::vector<std::string> inputs;   ///< x, or x and y: .npy files
    std::optional<std::string> flags;  ///< .npy file
    std::uint64_t length = 0;          ///< elements; spmv: rows; matrix product: each side; for files their size
    std::uint64_t columns = 0;         ///< spmv
    workloads::product_shape shape;    ///< matrix product
    double density = 0;                ///< of flags, of the elements of a matrix
    std::optional<workloads::attention_pattern> attention; ///< spmv: of the generated matrix, in place of a density
    bool formula = false;                                  ///< the formulas of the docs instead of random numbers

    bool generated() const { return !matrix && inputs.empty() && !flags; }
};

/// Sizes of a device that a comparison also runs on.
struct device_sizes {
    unsigned array = 0; ///< rows and columns
    unsigned lanes = 0;
    unsigned banks = 0;
};

/// Options of a run of segmented.
struct segmented_options : run_options {
    bool theorems = false; ///< run all theorems instead of an operation
    segmented_source source;
    workloads::segmented_operation operation = workloads::segmented_operation::scan;
    const workloads::segmented_variant* variant = nullptr;     ///< to run; none with `compare`
    std::vector<const workloads::segmented_variant*> compared; ///< with `compare`
    std::vector<std::pair<std::string, std::string>> left_out; ///< of these: name, reason
    std::optional<unsigned> bits;
    bool bits_by_default = false; ///< not given by the user
    bool compare = false;
    std::optional<std::uint64_t> tile; ///< elements that pass through the scratchpad at a time; none: all
    unsigned pairs = 1;                ///< MMU/VCU pairs on one bus, which share the work
    std::vector<device_sizes> varied;  ///< with `compare`
    unsigned side = 16;
    mmv_options device;
    base::element_type format = base::element_type::int64;

    /// At least per command, because every command belongs to a primitive.
    activity::log_detail detail() const
    {
        return common.out ? activity::log_detail::every_record : activity::log_detail::per_command;
    }
};

/// Reads the command line; none for help or version. Throws base::input_error.
std::optional<segmented_options> read_segmented_options(int argc, char** argv, std::ostream& out);

/// A device of a comparison, one of several in a simulation; its sizes as text: "s = 16, 64 lanes, 64 banks".
mmv::config sized_device(const segmented_options& options, const device_sizes& sizes, std::size_t devices);
std::string text_of(const device_sizes& sizes);

/// What every report says of what was run, and on what: "int64, s = 16, 64 lanes, fast"; and the configuration of a
/// summary, every default filled in. `memory_bytes`, `scratchpad_bytes`: as energy takes them.
std::string device_text(const segmented_options& options);
json configuration_json(const segmented_options& options, std::uint64_t memory_bytes, const mmv::config& device,
                        std::uint64_t scratchpad_bytes);

// ---- bits of operands ----

/// Puts in the bits of operands when an algorithm that is asked for, and can run, needs them and none were given: 8, in
/// int8 7, which it can hold. Needs the format.
void complete_bits(segmented_options& options);

/// Why generated operands of these bits are nothing for a variant that runs in this format ("found .., expected ..");
/// empty when they are.
std::string why_not_bits(const workloads::segmented_variant& variant, const segmented_options& options);

/// Throws base::input_error that names the largest bits when sums of products of random operands could leave the words:
/// B bits by B bits make 2B, and a sum of n of them ceil(log2 n) more. What files hold is left to the device.
void check_bits_fit(const segmented_options& options);

// ---- operands ----

/// Loads or generates what an operation works on. T: int64_t for integer formats, double. Throws base::input_error.
template <class T> workloads::segmented_problem<T> make_problem(const segmented_options& options);

/// The first part of a problem: so many elements, or rows and as many columns of a matrix product's operands. Generated
/// sparse matrices are made anew at this size, as random or formula say; one from a file is taken whole.
template <class T>
workloads::segmented_problem<T> part_of(const segmented_options& options, const workloads::segmented_problem<T>& whole,
                                        std::uint64_t length);

/// All variants at growing sizes on three devices in one simulation, which differ in the costs of their vector units:
/// half, once and twice those estimated; and on those of other sizes. Files with a line per record have the programs of
/// the device as the options say. T: int64_t, double. The options must outlive it.
template <class T> std::unique_ptr<testbench_run> make_comparison(const segmented_options& options);

/// Every theorem of MMV-RAM at growing sizes on two arrays.
std::unique_ptr<testbench_run> make_theorem_run(const segmented_options& options);

} // namespace tensorloom::testbench
