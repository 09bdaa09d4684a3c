#pragma once
#include <array>
#include <optional>
#include <ostream>
#include <string>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/triada/config.h>
#include <tensorloom/workloads/fill.h>
#include <tensorloom/workloads/tensor.h>
#include <tensorloom/workloads/tucker/tucker_decomposition.h>
#include "platform/options/run_files.h"
#include "platform/triada/triada_options.h"
#include "tucker/device_ttm.h"

namespace tensorloom::testbench {

constexpr char singular_values_file[] = "singular_values.csv"; ///< in --out

/// The decomposed tensor.
struct tensor_source {
    std::optional<std::string> input; ///< else a fill
    workloads::shape3 shape{};
    std::optional<workloads::shape3> known_ranks;             ///< fill of these ranks
    double noise = 0;                                         ///< relative to its norm
    workloads::fill_kind fill = workloads::fill_kind::random; ///< without known ranks
};

/// Options of a run of tucker.
struct tucker_options : run_options {
    tensor_source source;
    workloads::tucker_request request;
    chain_settings chains;
    triada_options device;
    base::element_type format = base::element_type::f64; ///< f64 or f32

    std::optional<std::string> core;
    std::optional<std::array<std::string, 3>> factors;

    /// The largest possible ranks: by tolerance at most the rows or columns of an unfolding.
    workloads::shape3 largest_ranks() const;
};

/// Reads the command line; none for help or version. Throws base::input_error.
std::optional<tucker_options> read_tucker_options(int argc, char** argv, std::ostream& out);

} // namespace tensorloom::testbench
