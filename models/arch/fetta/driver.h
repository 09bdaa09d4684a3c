#pragma once
#include <array>
#include <cstdint>
#include <tensorloom/models/arch/program/device_description.h>
#include <tensorloom/models/arch/program/device_driver.h>
#include <tensorloom/models/arch/fetta/geometry.h>

namespace tensorloom::arch::fetta {

/// ID register of a FETTA.
inline constexpr char id[] = "FETA";

/// Its commands and events, for those who write, read or check programs.
extern const device_description description;

/// The CAPS_SIZE registers of a FETTA: engines in bits 7..0, P in bits 15..8, element type of its sums in bits 23..16;
/// bytes of a bank; bytes of an accumulator bank. Its operands' element type is the format of CAPS.
std::array<std::uint32_t, 3> caps_size_of(const geometry& g);

/// Drives a FETTA: runs programs of its instructions.
class driver : public device_driver {
public:
    /// Reads ID, VERSION, CAPS and CAPS_SIZE; throws device_failure when it is not such a device.
    driver(host_port& host, std::uint64_t base);

    const fetta::geometry& geometry() const { return m_geometry; }

private:
    fetta::geometry m_geometry;
};

} // namespace tensorloom::arch::fetta
