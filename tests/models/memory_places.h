#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/tlm/host_thread.h>

namespace tensorloom::test {

/// Places in a bench's memory, one behind the other from an address on.
class memory_places {
public:
    explicit memory_places(std::uint64_t first) : m_first(first), m_next(first) {}

    /// From the first place on again.
    void restart() { m_next = m_first; }
    std::uint64_t reserve(std::uint64_t bytes)
    {
        const std::uint64_t at = m_next;
        m_next += (bytes + 15) / 16 * 16;
        return at;
    }
    template <class V> std::uint64_t store(bus::host_thread& cpu, const std::vector<V>& values)
    {
        const std::uint64_t at = reserve(values.size() * sizeof(V));
        cpu.preload(at, values.data(), values.size() * sizeof(V));
        return at;
    }

private:
    std::uint64_t m_first, m_next;
};

} // namespace tensorloom::test
