#pragma once
#include <array>
#include <cstdint>
#include <vector>
#include <tensorloom/models/isa/program/device_description.h>
#include <tensorloom/models/isa/program/device_driver.h>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/triada/isa/gemt_command.h>

namespace tensorloom::triada {

/// Element formats of a TriADA.
inline constexpr base::element_type formats[] = {base::element_type::f64,  base::element_type::f32,
                                                 base::element_type::c128, base::element_type::c64,
                                                 base::element_type::bf16, base::element_type::int8};

/// ID register of a TriADA device.
inline constexpr char id[] = "TRIA";

/// Commands and events of a TriADA, for tools that write, read or check programs.
extern const isa::device_description description;

/// Drives a TriADA device: three-mode products of tensors in memory.
///
/// Example
///
///     triada::driver driver(host, 0x10000000);       // address of the registers
///     std::vector<triada::gemt_command> products(1); // to be filled in: order, x, y, matrix
///     const auto binary = driver.program(products);
///     driver.run(binary, 0x80000000, 1'000'000); // program address, time-out in ns
class driver : public isa::device_driver {
public:
    /// Reads ID, VERSION and CAPS; throws device_failure when it is not a TriADA.
    driver(isa::host_port& host, std::uint64_t base);

    base::element_type format() const { return m_format; }
    const std::array<std::uint32_t, 3>& mesh() const { return m_mesh; }

    /// A program of these products in sequence. Command i carries token i + 1.
    static std::vector<std::uint8_t> program(const std::vector<gemt_command>& commands);

    /// Size of that program in bytes.
    static std::size_t program_bytes(std::size_t commands);

private:
    base::element_type m_format;
    std::array<std::uint32_t, 3> m_mesh;
};

} // namespace tensorloom::triada
