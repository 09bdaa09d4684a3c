#pragma once
#include <array>
#include <cstdint>
#include <vector>
#include <tensorloom/models/arch/program/device_description.h>
#include <tensorloom/models/arch/program/device_driver.h>
#include <tensorloom/models/arch/torus/orbit_command.h>
#include <tensorloom/models/arch/values/element_type.h>

namespace tensorloom::arch::torus {

/// What an orbital torus computes in.
inline constexpr element_type formats[] = {element_type::f64, element_type::f32, element_type::c128, element_type::c64,
                                           element_type::bf16};

/// ID register of an orbital torus.
inline constexpr char id[] = "ORBT";

/// Its commands and events, for those who write, read or check programs.
extern const device_description description;

/// Drives an orbital torus: three-mode transforms of tensors that lie in memory.
class driver : public device_driver {
public:
    /// Reads ID, VERSION and CAPS; throws device_failure when it is not an orbital torus.
    driver(host_port& host, std::uint64_t base);

    element_type format() const { return m_format; }
    std::uint32_t side() const { return m_side; } ///< P

private:
    element_type m_format;
    std::uint32_t m_side;
};

} // namespace tensorloom::arch::torus
