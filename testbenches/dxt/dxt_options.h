#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>
#include <tensorloom/models/arch/element_type.h>
#include <tensorloom/models/triada/config.h>
#include <tensorloom/workloads/fill.h>
#include <tensorloom/workloads/tag_order.h>
#include <tensorloom/workloads/tensor.h>
#include <tensorloom/workloads/transform.h>
#include "platform/options.h"
#include "platform/testbench_options.h"

namespace tensorloom::testbench {

/// What a run of dxt is asked to do; checked, as far as that goes without loading data. Files named have been looked at.
struct dxt_options {
    common_options common;

    std::optional<std::string> input; ///< else a fill
    workloads::shape3 shape{};        ///< of the problem
    workloads::fill_kind fill = workloads::fill_kind::random;
    double zeros = 0;

    std::array<workloads::transform, 3> transforms;
    bool inverse = false;
    workloads::normalization scaling = workloads::normalization::orthonormal;
    std::array<unsigned, 3> order{3, 1, 2};
    workloads::tag_kind tags = workloads::tag_kind::diagonal;
    std::optional<std::string> initial;
    std::optional<double> keep;
    bool esop = true;
    double zero_threshold = 0;
    std::uint32_t batch = 1;

    arch::element_type format = arch::element_type::f64;
    triada::shape3 mesh{};
    unsigned step_cycles = 3;
    unsigned load_elements = 8;
    triada::line_extent line_extent = triada::line_extent::mesh;
    unsigned vertical_mode = 2;

    std::optional<std::string> output;
    std::vector<triada::shape3> watch;

    std::vector<std::pair<std::string, std::string>> given; ///< every option with its text, for the summary
};

/// Reads the command line; nothing when it asked for help or version. Throws arch::input_error.
std::optional<dxt_options> read_dxt_options(int argc, char** argv, std::ostream& out);

/// Throws arch::input_error when --output or --vcd cannot be written; files in a directory that --out has yet to make pass.
void check_outputs(const dxt_options& options);

} // namespace tensorloom::testbench
