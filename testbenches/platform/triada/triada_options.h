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

/// Cells along a mode of the largest mesh that a testbench accepts or chooses.
inline constexpr std::uint32_t largest_mesh = 1024;

/// TriADA options of a testbench, checked.
struct triada_options {
    triada::config config;              ///< without mesh, format and common settings
    std::optional<triada::shape3> mesh; ///< as given; none: mesh_for() chooses
    unsigned mac_latency = 1;           ///< cycles of a multiply-add; a time-step takes two more, unless given
    std::optional<std::uint32_t> matrix_elements; ///< as given
    unsigned vertical_mode = 2;                   ///< 1, 2, 3: lines along it are vias; 0: none are
    bool strobe_energy = false;                   ///< energy is charged for the strobe that starts a time-step
};

/// Adds --mesh --matrix-elements --mac-latency --step-cycles --look-ahead --load-elements --port-aligner --dma-ports
/// --line-extent --vertical-mode --strobe-energy --threads.
void add_triada_options(option_table& table);

/// Throws base::input_error, also for a time-step that is shorter than its multiply-add.
triada_options read_triada_options(const option_values& values);

/// The mesh: as given, else as large as the active box, at most largest_mesh along a mode.
triada::shape3 mesh_for(const triada_options& options, const workloads::shape3& box);

/// The device's fields of a summary's configuration, with all defaults.
nlohmann::ordered_json device_json(triada_options options, gemt_settings settings, const common_options& common,
                                   const triada::shape3& mesh, base::element_type format);

/// Parameters of the device's energy and area; without `dma` that of its DMA is not charged.
triada::energy_parameters energy_parameters_of(const triada_options& options, const triada::shape3& mesh,
                                               base::element_type format, const costs::dma_build& dma = {});

/// The device.
triada::config device_config(const triada_options& options, const common_options& common, const triada::shape3& mesh,
                             base::element_type format);

} // namespace tensorloom::testbench
