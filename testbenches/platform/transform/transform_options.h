#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/arch/values/element_type.h>
#include <tensorloom/workloads/npy_file.h>
#include "platform/options/options.h"
#include "platform/report/run_files.h"
#include "platform/transform/transform_job.h"

namespace tensorloom::testbench {

// Options of testbenches that transform tensors of three modes, whatever the device. What reads them throws
// arch::input_error.

/// Adds --input --shape --fill --zeros --batch. `fills`: what a random fill is.
void add_problem_options(option_table& table, const std::string& fills);
/// Adds --transform --inverse --out-shape --norm --order.
void add_transform_options(option_table& table);
/// Adds --result-format --keep --output. `formats`: those whose sums are of another format: "bf16, int8"; `sums`: which
/// one that is.
void add_result_options(option_table& table, const std::string& formats, const std::string& sums);
/// Adds --format. `formats`: those that the testbench takes; `format_default`: in words, which one it takes when none
/// is given.
void add_format_option(option_table& table, const std::vector<arch::element_type>& formats,
                       const std::string& format_default);

/// Whether something asks for a complex format.
struct complex_parts {
    bool data = false;
    bool transform = false;

    /// "the data is complex"; nothing when nothing is.
    std::optional<std::string> reason() const
    {
        if (data) { return "the data is complex"; }
        return transform ? std::optional<std::string>("a transform is complex") : std::nullopt;
    }
};

/// --input or --shape, of which at most one is given, and how it is filled; a --batch of at most `most`.
void read_problem(const option_values& values, transform_job& job, complex_parts& found, std::uint64_t most);
void read_transform(const option_values& values, transform_job& job, complex_parts& found);
/// Behind the format. `low_precision`: the formats whose sums are of another one, as a user may give them: "bf16 or
/// int8".
void read_result_format(const option_values& values, transform_job& job, const std::string& low_precision);
std::array<unsigned, 3> read_order(const option_values& values); ///< --order: the modes as they are summed

/// The element format: as given, else f64, or c128 when `complex_because` names what is complex ("the data is
/// complex"). A real format is then an arch::input_error.
arch::element_type read_format(const option_values& values, const std::vector<arch::element_type>& formats,
                               const std::optional<std::string>& complex_because);

/// The transforms' names for modes 1, 2, 3, of an option with one for all of them or three.
std::array<std::string, 3> read_transform_names(const option_values& values, const std::string& option);
std::array<workloads::transform, 3> parse_transforms(const std::array<std::string, 3>& names); ///< likewise

/// The header of the .npy file that an option names, of a tensor that a device of transforms can take: three modes,
/// none of them empty. `option`: without its dashes. Throws arch::input_error: another tensor, and what
/// read_npy_header() refuses.
workloads::npy_header tensor_header(const std::string& option, const std::string& path);

/// Notes the files that a job reads.
void add_inputs(run_files& files, const transform_job& job);

} // namespace tensorloom::testbench
