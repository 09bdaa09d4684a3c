#pragma once
#include <algorithm>
#include <cstdint>
#include <tensorloom/models/base/values/resources.h>
#include <tensorloom/models/shell/program_clock.h>
#include <tensorloom/tlm/dma_ports.h>

namespace tensorloom::shell {

/// Measures transfers, from the construction of this object on: what their cycles would be with the bus, the memory or
/// the device's port free.
///
/// Example
///
///     shell::transfer_watch watch(dma, clock);
///     const auto result = dma.read(0x1000, buffer.data(), buffer.size(), stop);
///     clock.align();
///     const auto freed = watch.freed();
///     out << freed.all() - freed.without(base::resource::bus); // cycles that a free bus would save
class transfer_watch {
public:
    transfer_watch(const bus::dma_ports& dma, const program_clock& clock)
        : m_dma(dma), m_clock(clock), m_start(clock.now()), m_saved(dma.saved())
    {}

    std::uint64_t start() const { return m_start; }
    /// Of a transfer by DMA alone that ends now.
    base::freed_cycles freed()
    {
        const std::uint64_t cycles = m_clock.now() - m_start;
        return freed(cycles, cycles, 0);
    }
    /// Of one that takes `cycles`, of the DMA `dma_cycles` and of the port `port_cycles`. What the DMA would have saved
    /// beyond its cycles is left for the next one.
    base::freed_cycles freed(std::uint64_t cycles, std::uint64_t dma_cycles, std::uint64_t port_cycles)
    {
        const auto without = [&](sc_core::sc_time& before, const sc_core::sc_time& now) {
            const std::uint64_t saved = std::min(dma_cycles, m_clock.cycles(now - before));
            before += m_clock.time_of(saved);
            return std::max(dma_cycles - saved, port_cycles);
        };
        base::freed_cycles found(cycles);
        found.set_without(base::resource::bus, without(m_saved.by_bus, m_dma.saved().by_bus));
        found.set_without(base::resource::memory, without(m_saved.by_memory, m_dma.saved().by_memory));
        found.set_without(base::resource::port, dma_cycles);
        found.set_without(base::resource::transfers, 0);
        return found;
    }

private:
    const bus::dma_ports& m_dma;
    const program_clock& m_clock;
    std::uint64_t m_start;
    bus::freed_time m_saved; // by transfers before
};

} // namespace tensorloom::shell
