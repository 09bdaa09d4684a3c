#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>
#include <tensorloom/models/isa/program/device_description.h>
#include <tensorloom/models/isa/program/program.h>

namespace tensorloom::test {

/// Runs programs on one variant of a device. The process ends with a message when a program shows a fault.
class program_check {
public:
    virtual ~program_check() = default;
    virtual void run(const std::vector<std::uint8_t>& program) = 0;
};

/// Takes the generated inputs of one device.
class seed_sink {
public:
    /// Keeps a program when one of its commands is of a kind that no earlier program on this variant has.
    virtual void offer(const std::string& variant, const std::vector<std::uint8_t>& program) = 0;
    /// Keeps a program that the device refuses or that fails, under a name that says why.
    virtual void add(const std::string& variant, const std::string& name, const std::vector<std::uint8_t>& program) = 0;

protected:
    ~seed_sink() = default;
};

/// A device of the target `device`: its variants, the check of its programs, its seeds.
///
/// Each source file in tests/fuzz/devices defines one object, which registers itself. Nothing else lists the devices.
class fuzzed_device {
public:
    explicit fuzzed_device(const isa::device_description& description);
    virtual ~fuzzed_device() = default;
    fuzzed_device(const fuzzed_device&) = delete;
    fuzzed_device& operator=(const fuzzed_device&) = delete;

    const isa::device_description& description() const { return m_description; }
    std::string name() const { return m_description.name; }

    /// Names of its configurations, for example its formats: words without blanks. Stored inputs contain these names.
    virtual std::vector<std::string> variants() const = 0;
    /// Elaboration: the device in both fidelities.
    virtual std::unique_ptr<program_check> make_check(const std::string& variant) const = 0;
    virtual void offer_seeds(seed_sink& seeds) const = 0;
    /// What tells the seeds of one command apart, per variant.
    virtual std::uint64_t kind_of(const isa::program_command& command) const { return command.header.flags; }

private:
    const isa::device_description& m_description;
};

/// All of them, in the order of their names.
std::vector<const fuzzed_device*> fuzzed_devices();
/// nullptr when there is none.
const fuzzed_device* find_fuzzed_device(std::string_view name);

/// Address of the data of seeds, on every device, 0x8000 bytes above that of programs.
inline constexpr std::uint64_t seed_data_at = 0x8000'8000;

} // namespace tensorloom::test
