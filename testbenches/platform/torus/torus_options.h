#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <nlohmann/json_fwd.hpp>
#include <tensorloom/models/torus/isa/energy.h>
#include <tensorloom/models/torus/isa/schedule.h>
#include <tensorloom/models/torus/config.h>
#include "platform/options/testbench_options.h"

namespace tensorloom::testbench {

/// What the options of a testbench say about its orbital torus, checked.
struct torus_options {
    torus::config config;               ///< but grid, block, coefficient memory, format and what every testbench has
    std::optional<std::uint32_t> grid;  ///< as given; none: fit_torus() chooses
    std::optional<torus::shape3> block; ///< likewise
    std::optional<std::uint32_t> coefficient_elements; ///< likewise
    torus::scheduling_vector vector;
    bool tiles = true;                                    ///< problems may be larger than the torus
    std::optional<torus::axis> vertical = torus::axis::r; ///< whose links go through stacked tiers
};

/// Adds --grid --block --schedule --tiles --overlap --macs-per-cycle --fma-latency --words-per-cycle --cycles-per-pitch
/// --folded --vertical-axis --load-elements --coefficient-elements --threads.
void add_torus_options(option_table& table);

/// Throws base::input_error.
torus_options read_torus_options(const option_values& values);

/// The first two of them alone.
void add_torus_sizes(option_table& table);
void read_torus_sizes(const option_values& values, torus_options& options);

/// A torus for a problem, and the blocks in which it lies there.
struct torus_fit {
    std::uint32_t side = 1;                 ///< P
    torus::shape3 block{1, 1, 1};           ///< the largest that a node takes
    torus::block_sizes blocks;              ///< by mode: of the problem, or of each of its tiles
    bool tiled = false;                     ///< some mode is larger than P blocks
    std::uint32_t coefficient_elements = 1; ///< that a node can hold

    std::uint64_t nodes() const { return std::uint64_t{side} * side * side; }
};

/// Of grid and block the one that is not given becomes ceil(size / the other), with the larger of N and K in each mode;
/// without either the grid has default_grid nodes along a side, or as many as the largest mode has elements. Throws
/// base::input_error for a problem that needs a larger torus or larger blocks than there are, or tiles without
/// --tiles on, or more coefficients than a node holds.
inline constexpr std::uint32_t default_grid = 4;
torus_fit fit_torus(const torus_options& options, const torus::shape3& in_size, const torus::shape3& out_size);

/// A torus for a product of matrices, and the blocks along i, j, k of its matrices.
struct product_fit {
    torus_fit
        device; ///< i lies along mode 1 of its blocks, j and k along mode 3; without coefficients but those asked for
    torus::shape3 blocks{1, 1, 1};
};

/// Of I x J x K elements, chosen likewise.
product_fit fit_product(const torus_options& options, const torus::shape3& sizes);

/// The device.
torus::config device_config(const torus_options& options, const common_options& common, const torus_fit& fit,
                            base::element_type format);

/// What its energy depends on.
torus::energy_parameters energy_parameters_of(const torus_options& options, const torus_fit& fit,
                                              base::element_type format);

/// The fields of a summary's configuration that say what the device is, every default filled in; of several fits the
/// sizes of the torus are null.
nlohmann::ordered_json device_json(const torus_options& options, const common_options& common,
                                   const std::optional<torus_fit>& fit, base::element_type format);

} // namespace tensorloom::testbench
