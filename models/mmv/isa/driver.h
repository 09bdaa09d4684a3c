#pragma once
#include <cstdint>
#include <tensorloom/models/isa/program/device_description.h>
#include <tensorloom/models/isa/program/device_driver.h>
#include <tensorloom/models/base/values/element_type.h>

namespace tensorloom::mmv {

/// ID register of an MMU/VCU pair.
inline constexpr char id[] = "MMVU";

/// Commands and events of an MMU/VCU pair, for tools that write, read or check programs.
extern const isa::device_description description;

/// Drives an MMU/VCU pair: runs programs of its instructions.
///
/// Example
///
///     mmv::driver driver(host, 0x10000000);       // address of the registers
///     driver.run(program, 0x80000000, 1'000'000); // program: its bytes; address in memory, time-out in ns
class driver : public isa::device_driver {
public:
    /// Reads ID, VERSION, CAPS and CAPS_SIZE; throws device_failure when they are not those of an MMU/VCU pair.
    driver(isa::host_port& host, std::uint64_t base);

    base::element_type format() const { return m_format; }
    std::uint32_t side() const { return m_side; }                         ///< s: rows and columns of the array
    std::uint32_t lanes() const { return m_lanes; }                       ///< of the vector unit
    std::uint64_t scratchpad_bytes() const { return m_scratchpad_bytes; } ///< a multiple of 1024

private:
    base::element_type m_format;
    std::uint32_t m_side;
    std::uint32_t m_lanes;
    std::uint64_t m_scratchpad_bytes;
};

} // namespace tensorloom::mmv
