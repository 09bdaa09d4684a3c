#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <systemc>
#include <tensorloom/models/costs/technology.h>
#include <tensorloom/models/base/values/element_type.h>
#include "compare_devices/mode_products.h"
#include "platform/fetta/fetta_options.h"
#include "platform/mmv/mmv_options.h"
#include "platform/options/testbench_options.h"
#include "platform/torus/torus_options.h"
#include "platform/triada/triada_options.h"
#include "platform/process/progress.h"
#include "platform/run/die.h"
#include "platform/run/program_costs.h"
#include "platform/report/run_report.h"
#include "platform/run/testbed.h"
#include "platform/triada/gemt_job.h"

namespace tensorloom::testbench {

/// How large the devices are, and what else of them may be chosen.
struct array_options {
    triada_options triada;
    gemt_settings gemt; ///< how it runs the transform
    torus_options torus;
    mmv_options mmv;
    unsigned mmv_side = 16; ///< of its array
    fetta_options fetta;
};

/// What a device did with the work.
struct device_result {
    std::string device; ///< as --devices names it
    std::string title;
    std::string way;         ///< "one transform"
    std::string array;       ///< what multiplies: "32 x 32 x 32 cells"
    std::uint64_t units = 0; ///< that multiply and add once in a cycle each
    base::element_type operands = base::element_type::bf16, sums = base::element_type::f32;
    std::uint64_t macs_done = 0;      ///< with those of padding
    std::uint64_t working_cycles = 0; ///< in which the array worked
    program_costs costs;
    die on;                         ///< device, and memory where that is an SRAM
    std::uint64_t memory_bytes = 0; ///< of the memory on the bus
    json configuration;             ///< of the device
    std::vector<double> y;
    std::optional<products_check> check; ///< none: not done
};

/// A device on a platform of its own, with the work.
class compared_device {
public:
    virtual ~compared_device() = default;
    virtual testbed& around() = 0;
    virtual std::function<void(sc_core::sc_trace_file&)> waveform() const = 0; ///< what run_testbeds() takes
    virtual rounding rounds() const = 0;
    /// Throws base::input_error for an energy or an area that the technology misses.
    virtual void require_prices() const = 0;
    /// When the simulation is over; all but `check`.
    virtual device_result measure() = 0;
    virtual device_programs programs() const = 0; ///< in the files with a line per record, when it is measured
};

/// What a device is made with. All of it outlives the device.
struct device_surroundings {
    const mode_products& work;
    const common_options& common;
    const array_options& arrays;
    const costs::technology& technology;
    activity::log_detail detail;
    progress& shown;
};

/// A kind of device that can be compared. make: elaboration; throws base::input_error for what the device cannot take.
struct device_maker {
    const char* name;
    std::unique_ptr<compared_device> (*make)(const device_surroundings& around);
};

std::unique_ptr<compared_device> make_triada(const device_surroundings& around);
std::unique_ptr<compared_device> make_torus(const device_surroundings& around);
std::unique_ptr<compared_device> make_mmv(const device_surroundings& around);
std::unique_ptr<compared_device> make_fetta(const device_surroundings& around);

inline constexpr device_maker device_makers[] = {
    {"triada", make_triada},
    {"torus", make_torus},
    {"mmv", make_mmv},
    {"fetta", make_fetta},
};

} // namespace tensorloom::testbench
