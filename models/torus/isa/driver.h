#pragma once
#include <array>
#include <cstdint>
#include <vector>
#include <tensorloom/models/isa/program/device_description.h>
#include <tensorloom/models/isa/program/device_driver.h>
#include <tensorloom/models/torus/isa/multiply_command.h>
#include <tensorloom/models/torus/isa/orbit_command.h>
#include <tensorloom/models/base/values/element_type.h>

namespace tensorloom::torus {

/// Element formats of an orbital torus.
inline constexpr base::element_type formats[] = {base::element_type::f64,  base::element_type::f32,
                                                 base::element_type::c128, base::element_type::c64,
                                                 base::element_type::bf16, base::element_type::int8};

/// ID register of an orbital torus.
inline constexpr char id[] = "ORBT";

/// Commands and events of an orbital torus, for tools that write, read or check programs.
extern const isa::device_description description;

/// The CAPS_SIZE registers of a torus: P; largest block along modes 1 and 2, 16 bits each; largest block along mode 3.
std::array<std::uint32_t, 3> caps_size_of(std::uint32_t side, const std::array<std::uint32_t, 3>& block);

/// Drives an orbital torus: three-mode transforms and matrix products of tensors in memory.
///
/// Example
///
///     torus::driver driver(host, 0x10000000);          // address of the registers
///     std::vector<torus::orbit_command> transforms(1); // to be filled in: order, blocks, x, y, matrix
///     const auto binary = driver.program(transforms);
///     driver.run(binary, 0x80000000, 1'000'000); // program address, time-out in ns
class driver : public isa::device_driver {
public:
    /// Reads ID, VERSION and CAPS; throws device_failure when it is not an orbital torus.
    driver(isa::host_port& host, std::uint64_t base);

    base::element_type format() const { return m_format; }
    std::uint32_t side() const { return m_side; } ///< P
    /// The largest block of a node, elements along modes 1, 2, 3.
    const std::array<std::uint32_t, 3>& block() const { return m_block; }

    /// A program of these transforms, or products, in sequence. Command i carries token i + 1.
    static std::vector<std::uint8_t> program(const std::vector<orbit_command>& commands);
    static std::vector<std::uint8_t> program(const std::vector<multiply_command>& commands);

    /// Size of that program in bytes.
    static std::size_t program_bytes(std::size_t commands);

private:
    base::element_type m_format;
    std::uint32_t m_side;
    std::array<std::uint32_t, 3> m_block;
};

} // namespace tensorloom::torus
