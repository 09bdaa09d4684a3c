#pragma once
#include <cstdint>
#include <tensorloom/models/arch/mmv/events.h>

namespace tensorloom::arch::mmv {

// What the papers' cost models say about a run: counts, never the device's cycles or energy.

/// MMV-RAM (arXiv 2506.23906): one unit per step.
struct mmv_ram_meter {
    std::uint64_t mmu_steps = 0;
    std::uint64_t vcu_steps = 0;
    std::uint64_t scalar_steps = 0;
    std::uint64_t mmu_rows = 0;
    std::uint64_t mmu_macs = 0; ///< rows x s x s: the model's work M(rows, s)
    std::uint64_t weight_loads = 0;
    std::uint64_t mmu_cycles = 0; ///< rows + calls (2s - 2) + s weight_loads: a bare array, calls back to back
    std::uint64_t vcu_elems = 0;
    std::uint64_t vcu_circuit = 0; ///< leading terms with constant 1: the model's work of the vector unit

    std::uint64_t steps() const { return mmu_steps + vcu_steps + scalar_steps; } ///< the model's time

    friend bool operator==(const mmv_ram_meter& a, const mmv_ram_meter& b)
    {
        return a.mmu_steps == b.mmu_steps && a.vcu_steps == b.vcu_steps && a.scalar_steps == b.scalar_steps &&
               a.mmu_rows == b.mmu_rows && a.mmu_macs == b.mmu_macs && a.weight_loads == b.weight_loads &&
               a.mmu_cycles == b.mmu_cycles && a.vcu_elems == b.vcu_elems && a.vcu_circuit == b.vcu_circuit;
    }
};
mmv_ram_meter mmv_ram_meter_of(const counts& counted, std::uint32_t side);

/// (m,l)-TCU (arXiv 1908.06649): m = q x q, a call with r rows takes r q + l, every processor operation 1; nothing
/// overlaps.
struct tcu_meter {
    std::uint64_t calls = 0;
    std::uint64_t rows = 0; ///< with the padding to q that the programs do
    std::uint64_t tensor_time = 0;
    std::uint64_t cpu_ops = 0;
    std::uint64_t time = 0;
};
tcu_meter tcu_meter_of(const counts& counted, std::uint32_t side, std::uint64_t latency);

} // namespace tensorloom::arch::mmv
