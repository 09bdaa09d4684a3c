#pragma once
#include <cstdint>
#include <optional>
#include <nlohmann/json_fwd.hpp>
#include <tensorloom/models/triada/isa/energy.h>
#include <tensorloom/models/triada/config.h>
#include <tensorloom/workloads/tensor.h>
#include "platform/options/testbench_options.h"
#include "platform/triada/gemt_job.h"

namespace tensorloom::testbench {

/// The largest mesh along a mode that a testbench takes or chooses, in cells.
inline constexpr std::uint32_t largest_mesh = 1024;

/// What the options of a testbench say about its TriADA device, checked.
struct triada_options {
    triada::config config;              ///< but mesh, format and what every testbench has
    std::optional<triada::shape3> mesh; ///< as given; none: mesh_for() chooses
    unsigned vertical_mode = 2;         ///< 1, 2, 3: lines along it are vias; 0: none are
    bool strobe_energy = false;         ///< the strobe that begins a time-step is charged
};

/// Adds --mesh --matrix-elements --step-cycles --load-elements --line-extent --vertical-mode --strobe-energy
/// --threads.
void add_triada_options(option_table& table);

/// Throws base::input_error.
triada_options read_triada_options(const option_values& values);

/// The mesh: as given, else as large as the active box, at most largest_mesh along a mode.
triada::shape3 mesh_for(const triada_options& options, const workloads::shape3& box);

/// The fields of a summary's configuration that say what the device is and how it runs, every default filled in.
nlohmann::ordered_json device_json(const triada_options& options, const gemt_settings& settings,
                                   const common_options& common, const triada::shape3& mesh, base::element_type format);

/// What the device's energy depends on.
triada::energy_parameters energy_parameters_of(const triada_options& options, const triada::shape3& mesh,
                                               base::element_type format);

/// The device.
triada::config device_config(const triada_options& options, const common_options& common, const triada::shape3& mesh,
                             base::element_type format);

} // namespace tensorloom::testbench
