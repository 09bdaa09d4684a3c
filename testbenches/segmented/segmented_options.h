#pragma once
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>
#include <nlohmann/json_fwd.hpp>
#include <tensorloom/models/arch/values/element_type.h>
#include <tensorloom/workloads/segmented/problem.h>
#include <tensorloom/workloads/segmented/variants.h>
#include "platform/options/mmv_options.h"
#include "platform/report/run_files.h"

namespace tensorloom::testbench {

/// Where the data of a run comes from.
struct segmented_source {
    std::optional<std::string> matrix; ///< spmv: a .mtx file
    std::vector<std::string> inputs;   ///< x, or x and y: .npy files
    std::optional<std::string> flags;  ///< .npy file
    std::uint64_t length = 0;       ///< elements; of spmv rows, of a matrix product each side; of files as they have it
    std::uint64_t columns = 0;      ///< spmv
    workloads::product_shape shape; ///< matrix product
    double density = 0;             ///< of flags, of the elements of a matrix
    bool formula = false;           ///< the formulas of the docs instead of random numbers

    bool generated() const { return !matrix && inputs.empty() && !flags; }
};

/// What a run of segmented is asked to do.
struct segmented_options : run_options {
    segmented_source source;
    workloads::segmented_operation operation = workloads::segmented_operation::scan;
    const workloads::segmented_variant* variant = nullptr;     ///< that runs; with `compare` none
    std::vector<const workloads::segmented_variant*> compared; ///< with `compare`
    std::vector<std::pair<std::string, std::string>> left_out; ///< of them: name, why
    std::optional<unsigned> bits;
    bool bits_by_default = false; ///< nobody asked for them
    bool compare = false;
    unsigned side = 16;
    mmv_options device;
    arch::element_type format = arch::element_type::int64;
};

/// Reads the command line; nothing when it asked for help or version. Throws arch::input_error.
std::optional<segmented_options> read_segmented_options(int argc, char** argv, std::ostream& out);

/// What every report says of what was run, and on what: "int64, s = 16, 64 lanes, fast"; and the configuration of a
/// summary, every default filled in. `memory_bytes`, `scratchpad_bytes`: as energy takes them.
std::string device_text(const segmented_options& options);
nlohmann::ordered_json configuration_json(const segmented_options& options, std::uint64_t memory_bytes,
                                          const mmv::config& device, std::uint64_t scratchpad_bytes);

} // namespace tensorloom::testbench
