#pragma once
#include <cstdint>
#include <tensorloom/models/mmv/isa/events.h>

namespace tensorloom::mmv {

// Results of the papers' cost models for a run: counts, not the device's cycles or energy.

/// MMV-RAM (arXiv 2506.23906): one unit per step.
struct mmv_ram_meter {
    std::uint64_t mmu_steps = 0;
    std::uint64_t vcu_steps = 0;
    std::uint64_t scalar_steps = 0;
    std::uint64_t mmu_rows = 0;
    std::uint64_t mmu_macs = 0; ///< rows x s x s: the model's work M(rows, s)
    std::uint64_t weight_loads = 0;
    std::uint64_t mmu_cycles = 0; ///< rows + calls (2s - 2) + s weight_loads: no port limits, calls back to back
    std::uint64_t vcu_elems = 0;
    std::uint64_t vcu_circuit = 0; ///< the model's work of the vector unit: leading terms with constant 1

    std::uint64_t steps() const { return mmu_steps + vcu_steps + scalar_steps; } ///< the model's time

    mmv_ram_meter& operator+=(const mmv_ram_meter& other)
    {
        mmu_steps += other.mmu_steps;
        vcu_steps += other.vcu_steps;
        scalar_steps += other.scalar_steps;
        mmu_rows += other.mmu_rows;
        mmu_macs += other.mmu_macs;
        weight_loads += other.weight_loads;
        mmu_cycles += other.mmu_cycles;
        vcu_elems += other.vcu_elems;
        vcu_circuit += other.vcu_circuit;
        return *this;
    }
    friend bool operator==(const mmv_ram_meter& a, const mmv_ram_meter& b)
    {
        return a.mmu_steps == b.mmu_steps && a.vcu_steps == b.vcu_steps && a.scalar_steps == b.scalar_steps &&
               a.mmu_rows == b.mmu_rows && a.mmu_macs == b.mmu_macs && a.weight_loads == b.weight_loads &&
               a.mmu_cycles == b.mmu_cycles && a.vcu_elems == b.vcu_elems && a.vcu_circuit == b.vcu_circuit;
    }
};
inline mmv_ram_meter mmv_ram_meter_of(const counts& counted, std::uint32_t side)
{
    mmv_ram_meter m;
    m.mmu_steps = counted[event::matmul_call];
    m.vcu_steps = counted[event::vector_instruction];
    m.scalar_steps = counted[event::scalar_instruction];
    m.mmu_rows = counted[event::matmul_row];
    m.mmu_macs = m.mmu_rows * side * side;
    m.weight_loads = counted[event::weight_load];
    m.mmu_cycles = m.mmu_rows + m.mmu_steps * (2 * std::uint64_t{side} - 2) + side * m.weight_loads;
    m.vcu_elems = counted[event::vector_element];
    m.vcu_circuit = counted[event::vector_circuit];
    return m;
}

/// (m,l)-TCU (arXiv 1908.06649): m = q x q, a call with r rows takes r q + l, every processor operation 1; nothing
/// overlaps. The scalar unit and the vector unit are the processor: an instruction of the former states its operations,
/// an element of the latter is one.
struct tcu_meter {
    std::uint64_t calls = 0;
    std::uint64_t rows = 0; ///< with the padding to q that the programs do
    std::uint64_t tensor_time = 0;
    std::uint64_t cpu_ops = 0;
    std::uint64_t time = 0;
};
inline tcu_meter tcu_meter_of(const counts& counted, std::uint32_t side, std::uint64_t latency)
{
    tcu_meter m;
    m.calls = counted[event::matmul_call];
    m.rows = counted[event::matmul_row];
    m.tensor_time = m.rows * side + m.calls * latency;
    m.cpu_ops = counted[event::cpu_op] + counted[event::vector_element];
    m.time = m.tensor_time + m.cpu_ops;
    return m;
}

} // namespace tensorloom::mmv
