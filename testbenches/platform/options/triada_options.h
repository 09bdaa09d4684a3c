#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <nlohmann/json_fwd.hpp>
#include <tensorloom/models/arch/values/element_type.h>
#include <tensorloom/models/triada/config.h>
#include <tensorloom/workloads/npy_file.h>
#include <tensorloom/workloads/tensor.h>
#include "platform/transform/transform_job.h"
#include "platform/options/testbench_options.h"

namespace tensorloom::testbench {

/// The largest mesh along a mode that a testbench takes or chooses, in cells.
inline constexpr std::uint32_t largest_mesh = 1024;

/// What the options of a testbench say about its TriADA device, checked.
struct triada_options {
    triada::config config;              ///< but mesh, format and what every testbench has
    std::optional<triada::shape3> mesh; ///< as given; none: mesh_for() chooses
    unsigned vertical_mode = 2;         ///< 1, 2, 3: lines along it are vias; 0: none are
};

/// Adds --format. `formats`: those that the testbench takes; `format_default`: in words, which one it takes when none
/// is given.
void add_format_option(option_table& table, const std::vector<arch::element_type>& formats,
                       const std::string& format_default);

/// Adds --sparsity --zero-threshold --double-buffer, which are in gemt_settings, and
/// --mesh --matrix-elements --step-cycles --load-elements --line-extent --vertical-mode --threads.
void add_triada_options(option_table& table);

// Throw arch::input_error.
gemt_settings read_gemt_settings(const option_values& values);
std::array<unsigned, 3> read_order(const option_values& values); ///< --order: the modes as they are summed
triada_options read_triada_options(const option_values& values);

/// The element format: as given, else f64, or c128 when `complex_because` names what is complex ("the data is
/// complex"). A real format is then an arch::input_error.
arch::element_type read_format(const option_values& values, const std::vector<arch::element_type>& formats,
                               const std::optional<std::string>& complex_because);

/// The mesh: as given, else as large as the active box, at most largest_mesh along a mode.
triada::shape3 mesh_for(const triada_options& options, const workloads::shape3& box);

/// The fields of a summary's configuration that say what the device is and how it runs, every default filled in.
nlohmann::ordered_json device_json(const triada_options& options, const gemt_settings& settings,
                                   const common_options& common, const triada::shape3& mesh, arch::element_type format);

/// The device.
triada::config device_config(const triada_options& options, const common_options& common, const triada::shape3& mesh,
                             arch::element_type format);

/// The header of the .npy file that an option names, of a tensor that a TriADA device can take: three modes, none of
/// them empty. `option`: without its dashes. Throws arch::input_error: another tensor, and what read_npy_header()
/// refuses.
workloads::npy_header tensor_header(const std::string& option, const std::string& path);

} // namespace tensorloom::testbench
