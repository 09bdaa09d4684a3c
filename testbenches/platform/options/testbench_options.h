#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <systemc>
#include <nlohmann/json_fwd.hpp>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/blocks/fidelity.h>
#include "platform/options/address_trace_options.h"
#include "platform/options/options.h"
#include "platform/options/platform_options.h"

namespace tensorloom::testbench {

/// The version of the project, as in CMakeLists.txt: "0.1.0".
std::string version();

/// The options of every testbench, checked. Files are not accessed here.
struct common_options {
    std::string technology; ///< a name that ships with the project, or a file
    double leakage = 1;     ///< factor on leakage power, 0 to 100
    blocks::fidelity fidelity = blocks::fidelity::fast;
    bool is_stepped() const { return blocks::is_stepped(fidelity); } ///< detailed or rtl
    double clock_ghz = 1;                                            ///< 0.001 to 1000
    bool clock_given = false;                                        ///< else the 1 GHz of the papers
    bool allow_overclock = false;                                    ///< runs a clock that the device does not allow
    bool overclocked = false;                                        ///< it does: set before the run
    std::string overclocked_because;                                 ///< a warning that says why
    std::optional<double> voltage;                                   ///< supply in V; none: the technology's
    platform_options platform;
    std::uint64_t seed = 1;
    std::optional<std::string> out; ///< directory
    std::optional<std::string> vcd; ///< file
    std::optional<address_trace_options> address_trace;
    bool check = true; ///< false: --no-check
    bool quiet = false;
    bool dry_run = false; ///< nothing is run
};

/// Adds --technology --voltage --leakage --fidelity --clock --allow-overclock, those of the platform, and --config
/// --seed --out --vcd, those of an address trace, --no-check --quiet --dry-run --help --help-json --version.
void add_common_options(option_table& table, const memory_choice& memories = {});

common_options read_common_options(const option_values& values);

/// Adds --allow-nonfinite, of testbenches that read data. Without it they refuse NaN and infinities with their place
/// (workloads/finite_data.h).
void add_nonfinite_option(option_table& table);
bool read_nonfinite_option(const option_values& values);

const char* fidelity_name(const common_options& common); ///< "fast", "detailed" or "rtl"

/// The clock period, rounded to whole picoseconds.
std::uint64_t clock_period_ps(const common_options& common);

/// The same platform at the fast fidelity, without files: of runs that only look for a size or a plan.
common_options for_search(common_options common);

/// A device's configuration with the fidelity, clock and DMA of these options. Throws base::input_error for a
/// configuration that is not valid.
template <class Config> Config with_common_options(Config device, const common_options& common)
{
    device.fidelity = common.fidelity;
    device.clock_period = sc_core::sc_time(static_cast<double>(clock_period_ps(common)), sc_core::SC_PS);
    device.burst_bytes = common.platform.burst_bytes;
    device.dma.outstanding = common.platform.outstanding;
    device.dma.overlap_runs = common.platform.overlap_runs;
    device.count_banks = common.out.has_value(); // for banks.csv
    if (const auto wrong = validate(device)) { throw base::input_error("the device: " + *wrong); }
    return device;
}

/// A device's fields of a summary's configuration, plus fidelity, platform and seed.
nlohmann::ordered_json with_common_fields(nlohmann::ordered_json device, const common_options& common);

} // namespace tensorloom::testbench
