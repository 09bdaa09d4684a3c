#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <systemc>
#include <tensorloom/models/costs/technology.h>
#include <tensorloom/models/base/values/config_fields.h>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/isa/program/device_description.h>
#include "compare_devices/mode_products.h"
#include "platform/options/testbench_options.h"
#include "platform/process/progress.h"
#include "platform/run/die.h"
#include "platform/run/program_costs.h"
#include "platform/report/run_report.h"
#include "platform/run/testbed.h"

namespace tensorloom::testbench {

/// A device that does not hold the work: what it lacks, in one line.
class too_small : public base::input_error {
public:
    using base::input_error::input_error;
};

/// Runs an action that places the work on a device; what it throws as base::input_error becomes too_small.
template <class Action> auto placing(const Action& action)
{
    try {
        return action();
    } catch (const base::input_error& e) {
        throw too_small(e.what());
    }
}

/// Sizes of `--equal multipliers`, for every device.
inline constexpr unsigned equal_multipliers = 256;
inline constexpr std::uint64_t equal_on_chip_bytes = 655360; ///< FETTA's: 512 KiB, and 128 KiB of partial sums

/// Results and costs of a device.
struct device_result {
    std::string device; ///< as --devices names it
    std::string title;
    std::string way;                 ///< "one transform"
    std::string array;               ///< its array: "32 x 32 x 32 cells"
    std::uint64_t units = 0;         ///< units that start one multiply-add per cycle
    std::uint64_t on_chip_bytes = 0; ///< of the memories and registers that hold tensors, sums and coefficients
    base::element_type operands = base::element_type::bf16, sums = base::element_type::f32;
    std::uint64_t macs_done = 0;      ///< including padding
    std::uint64_t working_cycles = 0; ///< cycles in which the array worked
    program_costs costs;
    die on;                         ///< device, and the memory if it is an SRAM
    std::uint64_t memory_bytes = 0; ///< of the memory on the bus
    unsigned dma_ports = 1;
    std::string memory_port; ///< where it takes other numbers of elements than the DMA brings (transform_report.h)
    json configuration;      ///< of the device
    std::vector<double> y;
    std::optional<products_check> check; ///< none: not done
};

/// A device on a separate platform, with the work.
class compared_device {
public:
    virtual ~compared_device() = default;
    virtual testbed& around() = 0;
    virtual std::function<void(sc_core::sc_trace_file&)> waveform() const = 0; ///< argument of run_testbeds()
    virtual rounding rounds() const = 0;
    /// Throws base::input_error for an energy or an area that the technology misses.
    virtual void require_prices() const = 0;
    virtual costs::floor_plan plan() const = 0;
    /// After the simulation; everything but `check`.
    virtual device_result measure() = 0;
    virtual device_programs programs() const = 0; ///< of the files with a line per record, after the simulation
};

/// Arguments of a device's construction. All must outlive the device.
struct device_surroundings {
    const mode_products& work;
    const common_options& common;
    const costs::technology& technology;
    unsigned mac_latency; ///< cycles of a multiply-add, the same for all
    activity::log_detail detail;
    progress& shown;
};

/// An option with the same meaning for several devices. The help lists it once, with all their titles.
struct shared_option {
    std::string titles; ///< of the device, or of several, separated by ", "
    std::string name, form;
    std::string help; ///< without its subject and its full stop
    std::string by_default;

    shared_option(const char* title, const base::config_field& field, const char* help_)
        : titles(title), name(field.says.name), form(field.says.form), help(help_), by_default(field.text())
    {}
};
inline constexpr const char* port_elements = "elements per cycle through the memory port";
inline constexpr const char* dma_ports_help = "DMA ports, over which transfers are dealt out";
inline constexpr const char* vector_lanes = "lanes of the vector unit, words per cycle";

/// A device that can be compared, and its options.
///
/// Each source file in testbenches/compare_devices/devices defines one, and an entry that registers it. Nothing else
/// lists the devices.
class comparable_device {
public:
    explicit comparable_device(const isa::device_description& description) : m_description(description) {}
    virtual ~comparable_device() = default;

    std::string name() const { return m_description.name; } ///< as --devices names it
    std::string title() const { return m_description.title; }

    /// Adds the options of this device only; the help lists them below its title.
    virtual void add_options(option_table& table) const = 0;
    virtual std::vector<shared_option> shared_options() const = 0;
    /// Throws base::input_error.
    virtual void read_options(const option_values& values, const common_options& common) = 0;
    /// Sets the sizes of `--equal multipliers`, after read_options(): equal_multipliers, and no more on-chip bytes than
    /// equal_on_chip_bytes.
    virtual void equalize() = 0;
    /// Sizes among which `--equal area|power|onchip` chooses, after read_options(): their number, and to take one.
    /// `on_chip_bytes`: at most so many, where the device can do with less in tiles.
    virtual std::size_t sizes() const = 0;
    virtual void choose_size(std::size_t size, std::optional<std::uint64_t> on_chip_bytes) = 0;
    /// Options that these sizes exclude.
    virtual std::vector<std::string> size_options() const = 0;
    /// Elaboration, with the options that were read. Throws too_small when the device does not hold the work. The
    /// device must not outlive this.
    virtual std::unique_ptr<compared_device> make(const device_surroundings& around) const = 0;

private:
    const isa::device_description& m_description;
};

/// Registers a kind of device, by its place in lists of all.
struct comparable_device_entry {
    using maker = std::unique_ptr<comparable_device> (*)();
    comparable_device_entry(unsigned place, maker make);
};
template <class Device> std::unique_ptr<comparable_device> make_comparable() { return std::make_unique<Device>(); }

/// One of each kind with the default options, in ascending order of their places.
std::vector<std::shared_ptr<comparable_device>> comparable_devices();

} // namespace tensorloom::testbench
