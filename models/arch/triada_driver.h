#pragma once
#include <array>
#include <cstdint>
#include <vector>
#include <tensorloom/models/arch/device_driver.h>
#include <tensorloom/models/arch/element_type.h>
#include <tensorloom/models/arch/gemt_command.h>

namespace tensorloom::arch {

/// ID register of a TriADA device.
inline constexpr char triada_id[] = "TRIA";

/// Drives a TriADA device: three-mode products of tensors that lie in memory.
class triada_driver : public device_driver {
public:
    /// Reads ID, VERSION and CAPS; throws device_failure when it is not a TriADA.
    triada_driver(host_port& host, std::uint64_t base);

    element_type format() const { return m_format; }
    const std::array<std::uint32_t, 3>& mesh() const { return m_mesh; }

    /// The program that does these products one after the other. Command i carries token i + 1.
    static std::vector<std::uint8_t> program(const std::vector<gemt_command>& commands);

    /// Bytes of that program.
    static std::size_t program_bytes(std::size_t commands);

private:
    element_type m_format;
    std::array<std::uint32_t, 3> m_mesh;
};

} // namespace tensorloom::arch
