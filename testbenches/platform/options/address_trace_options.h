#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include "platform/options/options.h"

namespace tensorloom::activity {
class address_trace;
enum class trace_reader;
} // namespace tensorloom::activity

namespace tensorloom::testbench {

struct common_options;

/// Options of an address trace: --address-trace and the related options.
struct address_trace_options {
    std::string path;
    activity::trace_reader reader{};
    std::optional<std::uint32_t> burst_bytes; ///< none: a burst of the DRAM, or a beat of an SRAM
    std::vector<std::string> further;         ///< names of the memories after the first, each with a separate file

    /// `path`; for a further memory with its name before the ending: run.stl, run.sram.stl.
    std::string file_of(const std::string& memory) const;
    std::vector<std::string> files() const; ///< of all memories
};

/// Adds --address-trace --address-trace-format --address-trace-burst.
void add_address_trace_options(option_table& table);

/// None without --address-trace. Throws base::input_error.
std::optional<address_trace_options> read_address_trace_options(const option_values& values);

/// The trace of a memory (a DRAM, or an SRAM at the clock of the devices), or null. `name`: of the memory or its
/// platform. Throws base::input_error when the file cannot be written.
std::unique_ptr<activity::address_trace> make_address_trace(const common_options& common, const std::string& name,
                                                            bool in_dram);

} // namespace tensorloom::testbench
