#include <tensorloom/models/arch/mmv/meters.h>

namespace tensorloom::arch::mmv {

mmv_ram_meter mmv_ram_meter_of(const counts& counted, std::uint32_t side)
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

tcu_meter tcu_meter_of(const counts& counted, std::uint32_t side, std::uint64_t latency)
{
    tcu_meter m;
    m.calls = counted[event::matmul_call];
    m.rows = counted[event::matmul_row];
    m.tensor_time = m.rows * side + m.calls * latency;
    m.cpu_ops = counted[event::cpu_op];
    m.time = m.tensor_time + m.cpu_ops;
    return m;
}

} // namespace tensorloom::arch::mmv
