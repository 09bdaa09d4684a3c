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

// Options of testbenches that transform tensors of three modes, whatever the device. What reads them throws
// base::input_error.

/// Adds --input --shape --fill --zeros --batch. `fills`: what a random fill is.
void add_problem_options(option_table& table, const std::string& fills);
/// Adds --transform --inverse --out-shape --norm --order.
void add_transform_options(option_table& table);
/// Adds --result-format --keep --output. `formats`: those whose sums are of another format: "bf16, int8"; `sums`: which
/// one that is.
void add_result_options(option_table& table, const std::string& formats, const std::string& sums);
/// Adds --format. `formats`: those that the testbench takes; `format_default`: in words, which one it takes when none
/// is given.
void add_format_option(option_table& table, const std::vector<base::element_type>& formats,
                       const std::string& format_default);

/// What data and transforms say about the element format that they need.
struct needed_format {
    bool complex_data = false;
    bool complex_transform = false;
    bool double_data = false; ///< some of it is filled, or a file of other than float32 or complex64
    bool single_data = false; ///< some of it is a file of these

    /// Notes a file with data.
    void add(const workloads::npy_header& header);
    /// "the data is complex"; nothing when nothing is.
    std::optional<std::string> complex_because() const
    {
        if (complex_data) { return "the data is complex"; }
        return complex_transform ? std::optional<std::string>("a transform is complex") : std::nullopt;
    }
    /// The one that is taken when none is given: f64 or c128; f32 or c64 when all data is in single precision.
    base::element_type format() const;
};

/// --input or --shape, of which at most one is given, and how it is filled; a --batch of at most `most`.
void read_problem(const option_values& values, transform_job& job, needed_format& found, std::uint64_t most);
void read_transform(const option_values& values, transform_job& job, needed_format& found);
/// Behind the format. `low_precision`: the formats whose sums are of another one, as a user may give them: "bf16 or
/// int8".
void read_result_format(const option_values& values, transform_job& job, const std::string& low_precision);
std::array<unsigned, 3> read_order(const option_values& values); ///< --order: the modes as they are summed

/// The element format: as given, else the needed one. A real format for something complex is an base::input_error.
base::element_type read_format(const option_values& values, const std::vector<base::element_type>& formats,
                               const needed_format& needed);

/// The transforms' names for modes 1, 2, 3, of an option with one for all of them or three.
std::array<std::string, 3> read_transform_names(const option_values& values, const std::string& option);
std::array<workloads::transform, 3> parse_transforms(const std::array<std::string, 3>& names); ///< likewise

/// The header of the .npy file that an option names, of a tensor that a device of transforms can take: three modes,
/// none of them empty. `option`: without its dashes. Throws base::input_error: another tensor, and what
/// read_npy_header() refuses.
workloads::npy_header tensor_header(const std::string& option, const std::string& path);

/// Notes the files that a job reads.
void add_inputs(run_files& files, const transform_job& job);

} // namespace tensorloom::testbench
