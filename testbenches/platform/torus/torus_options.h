#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <nlohmann/json_fwd.hpp>
#include <tensorloom/models/torus/isa/energy.h>
#include <tensorloom/models/torus/config.h>
#include "platform/options/testbench_options.h"

namespace tensorloom::testbench {

/// Torus options of a testbench, checked.
struct torus_options {
    torus::config config;               ///< without grid, block, coefficient memory, format and common settings
    std::optional<std::uint32_t> grid;  ///< as given; none: fit_torus() chooses
    std::optional<torus::shape3> block; ///< likewise
    std::optional<std::uint32_t> coefficient_elements; ///< likewise
    torus::scheduling_vector vector;
    bool tiles = true;                                    ///< problems may be larger than the torus
    std::optional<torus::axis> vertical = torus::axis::r; ///< axis whose links cross stacked tiers
};

/// Adds --array --block --schedule --tiles --overlap --macs-per-cycle --mac-latency --words-per-cycle
/// --cycles-per-pitch
/// --folded --vertical-axis --load-elements --dma-ports --coefficient-elements --threads.
void add_torus_options(option_table& table);

/// Throws base::input_error.
torus_options read_torus_options(const option_values& values);

/// Only --array, by this name, and --block. Synonym of --array: --grid.
void add_torus_sizes(option_table& table, const std::string& array = "array");
void read_torus_sizes(const option_values& values, torus_options& options, const std::string& array = "array");

/// A torus for a problem, and the problem's blocks.
struct torus_fit {
    std::uint32_t side = 1;                 ///< P
    torus::shape3 block{1, 1, 1};           ///< the largest block of a node
    torus::block_sizes blocks;              ///< by mode: of the problem, or of each of its tiles
    bool tiled = false;                     ///< some mode is larger than P blocks
    std::uint32_t coefficient_elements = 1; ///< capacity of a node

    std::uint64_t nodes() const { return std::uint64_t{side} * side * side; }
    torus::config applied_to(torus::config c) const
    {
        c.side = side, c.block = block, c.coefficient_elements = coefficient_elements;
        return c;
    }
};

/// If only one of grid and block is given, the other one is ceil(size / it), with the larger of N and K in each mode.
/// Without both the grid has default_grid nodes along a side, or the largest size if that is less. Throws
/// base::input_error for a problem that exceeds the largest torus or blocks, needs tiles without --tiles on, or needs
/// more coefficients than a node holds.
inline constexpr std::uint32_t default_grid = 4;
torus_fit fit_torus(const torus_options& options, const torus::shape3& in_size, const torus::shape3& out_size,
                    const std::vector<unsigned>& summed_modes = {0, 1, 2});

/// A torus for a product of matrices, and the blocks along i, j, k of its matrices.
struct product_fit {
    torus_fit device; ///< i is along mode 1 of its blocks, j and k along mode 3; with no coefficients unless requested
    torus::shape3 blocks{1, 1, 1};
};

/// For I x J x K elements, chosen likewise.
product_fit fit_product(const torus_options& options, const torus::shape3& sizes);

/// The device.
torus::config device_config(const torus_options& options, const common_options& common, const torus_fit& fit,
                            base::element_type format);

/// Parameters of its energy and area; without `dma` that of its DMA is not charged.
torus::energy_parameters energy_parameters_of(const torus_options& options, const torus_fit& fit,
                                              base::element_type format, const costs::dma_build& dma = {});

/// The device's fields of a summary's configuration, with all defaults; without a fit (several sizes) the sizes of the
/// torus are null.
nlohmann::ordered_json device_json(const torus_options& options, const common_options& common,
                                   const std::optional<torus_fit>& fit, base::element_type format);

} // namespace tensorloom::testbench
