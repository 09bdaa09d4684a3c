#pragma once
#include <array>
#include <cstdint>
#include <tensorloom/models/isa/program/device_description.h>
#include <tensorloom/models/isa/program/device_driver.h>
#include <tensorloom/models/fetta/isa/device_limits.h>

namespace tensorloom::fetta {

/// ID register of a FETTA.
inline constexpr char id[] = "FETA";

/// Commands and events of a FETTA, for tools that write, read or check programs.
extern const isa::device_description description;

/// The CAPS_SIZE registers of a FETTA: engines in bits 7..0, P in bits 15..8, element type of its sums in bits 23..16;
/// bytes of a bank; bytes of an accumulator bank. CAPS has the operands' element type.
std::array<std::uint32_t, 3> caps_size_of(const device_limits& g);

/// Drives a FETTA: runs programs of its instructions.
///
/// Example
///
///     fetta::driver driver(host, 0x10000000);     // address of the registers
///     driver.run(program, 0x80000000, 1'000'000); // program: its bytes; address in memory, time-out in ns
class driver : public isa::device_driver {
public:
    /// Reads ID, VERSION, CAPS and CAPS_SIZE; throws device_failure when they are not those of a FETTA.
    driver(isa::host_port& host, std::uint64_t base);

    const device_limits& limits() const { return m_limits; }

private:
    device_limits m_limits;
};

} // namespace tensorloom::fetta
