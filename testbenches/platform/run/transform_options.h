#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/workloads/npy_file.h>
#include "platform/options/options.h"
#include "platform/options/run_files.h"
#include "platform/run/transform_job.h"

namespace tensorloom::testbench {

// Options of testbenches that transform tensors of three modes, for any device. Functions that read them throw
// base::input_error.

/// Adds --input --allow-nonfinite --shape --fill --zeros --batch. `fills`: what a random fill is.
void add_problem_options(option_table& table, const std::string& fills);
/// Adds --transform --inverse --out-shape --norm --order. `more`: further names of transforms, each followed by a
/// space.
void add_transform_options(option_table& table, const std::string& more);
/// Adds --initial.
void add_initial_option(option_table& table);
/// Adds --shift.
void add_shift_option(option_table& table);
/// Adds --chain --threshold --chain-file.
void add_chain_options(option_table& table);
/// Adds --result-format --keep --output. `formats`: formats whose sums have another format: "bf16, int8"; `sums`: the
/// formats of the sums.
void add_result_options(option_table& table, const std::string& formats, const std::string& sums);
/// Adds --format. `formats`: supported formats; `format_default`: description of the default.
void add_format_option(option_table& table, const std::vector<base::element_type>& formats,
                       const std::string& format_default);

/// The element format required by data and transforms.
struct needed_format {
    bool complex_data = false;
    bool complex_transform = false;
    std::optional<std::string> complex_step; ///< of a chain's file: "step 2 (c.yaml:3)"
    bool double_data = false; ///< some data is generated, or from a file that is not float32 or complex64
    bool single_data = false; ///< some data is from a file of float32 or complex64

    /// Adds a file with data.
    void add(const workloads::npy_header& header);
    /// "the data is complex"; none if nothing is complex.
    std::optional<std::string> complex_because() const
    {
        if (complex_data) { return "the data is complex"; }
        if (complex_transform) { return "a transform is complex"; }
        return complex_step ? std::optional(*complex_step + " is complex") : std::nullopt;
    }
    /// The default format: f64 or c128; f32 or c64 if all data is in single precision.
    base::element_type format() const;
};

/// Reads --input or --shape, of which at most one is given, the fill, and a --batch of at most `most`.
void read_problem(const option_values& values, transform_job& job, needed_format& found, std::uint64_t most);
void read_transform(const option_values& values, transform_job& job, needed_format& found);
/// Call it after reading the transforms.
void read_initial(const option_values& values, transform_job& job, needed_format& found);
/// Call it after reading transforms and format.
void read_shifts(const option_values& values, transform_job& job);
/// Reads a chain, after the transforms.
void read_chain(const option_values& values, transform_job& job, needed_format& found);
/// Throws base::input_error for a chain that a device with this format cannot run. Call it after reading the format.
void check_chain(const transform_job& job);
/// Throws base::input_error for a job whose program, of `bytes`, is longer than a device takes, `most` bytes: it names
/// the largest batch, if there is one.
void check_program(const option_values& values, const transform_job& job, std::uint64_t bytes, std::uint64_t most);
/// Call it after reading the format. `low_precision`: the formats whose sums have another one, for errors: "bf16 or
/// int8".
void read_result_format(const option_values& values, transform_job& job, const std::string& low_precision);
std::array<unsigned, 3> read_order(const option_values& values); ///< --order: the modes as they are summed

/// The element format: as given, else the needed one. base::input_error: a real format for complex data.
base::element_type read_format(const option_values& values, const std::vector<base::element_type>& formats,
                               const needed_format& needed);

/// The names of transforms for modes 1, 2, 3, from an option with one name for all modes or three names.
std::array<std::string, 3> read_transform_names(const option_values& values, const std::string& option);
std::array<workloads::transform, 3> parse_transforms(const std::array<std::string, 3>& names); ///< likewise

/// The header of an option's .npy file with a tensor for a device of transforms: three modes, none of them empty.
/// `option`: without its dashes. Throws base::input_error: another tensor, or a file that read_npy_header()
/// rejects.
workloads::npy_header tensor_header(const std::string& option, const std::string& path);

/// Adds the input files of a job, or of transforms alone, which an option gives (with its dashes).
void add_inputs(run_files& files, const transform_job& job);
void add_inputs(run_files& files, const std::string& option, const std::array<workloads::transform, 3>& transforms);

} // namespace tensorloom::testbench
