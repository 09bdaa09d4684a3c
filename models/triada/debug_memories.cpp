#include <tensorloom/models/triada/debug_memories.h>
#include <algorithm>
#include <cstring>
#include <tensorloom/models/triada/isa/gemt_tiles.h>

namespace tensorloom::triada {
namespace {

/// The planes of a core's registers, by bytes.
class register_bytes {
public:
    register_bytes(tensor_core& core, const config& config)
        : m_core(core), m_mesh(config.mesh), m_registers(config.registers()),
          m_sum_bytes(base::element_bytes(base::accumulator_type(config.format))),
          m_plane_bytes(isa::volume_of(m_mesh) * m_sum_bytes)
    {}

    std::uint64_t bytes() const { return m_registers * m_plane_bytes; }

    void read(std::uint64_t address, unsigned char* to, std::uint64_t bytes) const
    {
        for_each_piece(address, bytes, [&](const piece& p) {
            const auto sums = sums_of(p);
            std::memcpy(to + p.done, sums.data() + p.skipped, p.bytes);
        });
    }

    void write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes) const
    {
        for_each_piece(address, bytes, [&](const piece& p) {
            auto sums = sums_of(p);
            std::memcpy(sums.data() + p.skipped, from + p.done, p.bytes);
            if (m_core.given_up(p.reg)) {
                m_core.clear(p.reg, m_mesh);
            } else {
                m_core.widen(p.reg);
            }
            m_core.write_sums(p.reg, p.first, sums.data(), p.sums);
        });
    }

private:
    /// Bytes of one register.
    struct piece {
        cell_register reg;
        std::uint64_t done;    // bytes before it
        std::uint64_t first;   // sum of the plane,
        std::uint64_t sums;    // ... how many are touched,
        std::uint64_t skipped; // ... and bytes before those of the piece
        std::uint64_t bytes;
    };

    template <class Visit> void for_each_piece(std::uint64_t address, std::uint64_t bytes, const Visit& visit) const
    {
        for (std::uint64_t done = 0; done < bytes;) {
            const std::uint64_t at = (address + done) % m_plane_bytes;
            const std::uint64_t now = std::min(bytes - done, m_plane_bytes - at);
            const std::uint64_t first = at / m_sum_bytes;
            const std::uint64_t end = (at + now + m_sum_bytes - 1) / m_sum_bytes;
            visit(piece{static_cast<cell_register>((address + done) / m_plane_bytes), done, first, end - first,
                        at % m_sum_bytes, now});
            done += now;
        }
    }

    std::vector<unsigned char> sums_of(const piece& p) const
    {
        std::vector<unsigned char> sums(p.sums * m_sum_bytes);
        if (!m_core.given_up(p.reg)) { m_core.read_sums(p.reg, m_mesh, p.first, sums.data(), p.sums, 0); }
        return sums;
    }

    tensor_core& m_core;
    shape3 m_mesh;
    unsigned m_registers;
    std::uint64_t m_sum_bytes;
    std::uint64_t m_plane_bytes;
};

} // namespace

shell::debug_memory mesh_registers(tensor_core& core, const config& config)
{
    const register_bytes registers(core, config);
    return {"mesh_registers", registers.bytes(),
            [registers](std::uint64_t address, unsigned char* to, std::uint64_t bytes) {
                registers.read(address, to, bytes);
            },
            [registers](std::uint64_t address, const unsigned char* from, std::uint64_t bytes) {
                registers.write(address, from, bytes);
            }};
}

shell::debug_memory coefficients(coefficient_memory_if& memory, unsigned mode, const config& config)
{
    const auto held = [&memory](std::uint64_t address, std::uint64_t bytes) {
        const std::uint64_t size = memory.matrix().size();
        return address < size ? std::min(bytes, size - address) : 0;
    };
    return {"coefficients_" + std::to_string(mode + 1),
            std::uint64_t{config.matrix_elements} * base::element_bytes(config.format),
            [&memory, held](std::uint64_t address, unsigned char* to, std::uint64_t bytes) {
                const std::uint64_t there = held(address, bytes);
                if (there != 0) { std::memcpy(to, memory.matrix().data() + address, there); }
                std::memset(to + there, 0, bytes - there);
            },
            [&memory, held](std::uint64_t address, const unsigned char* from, std::uint64_t bytes) {
                const std::uint64_t there = held(address, bytes);
                if (there != 0) { memory.write(address, from, there); }
            }};
}

} // namespace tensorloom::triada
