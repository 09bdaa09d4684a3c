#include <tensorloom/workloads/contraction/plan_energy.h>

namespace tensorloom::workloads {

double plan_pj(const contraction_plan& plan, const contraction_settings& settings,
               const arch::fetta::counts& of_contracts, const plan_traffic& traffic, std::uint64_t cycles)
{
    using arch::fetta::event;
    const std::uint64_t row = plan.geometry.row_bytes(arch::element_type::bf16);
    arch::fetta::counts counts = of_contracts;
    counts[event::load_row] += (traffic.loaded + row - 1) / row;
    counts[event::store_row] += (traffic.stored + row - 1) / row;
    const auto& memory = settings.memory;
    return settings.costs.pj(counts, cycles) + memory.pj_per_cycle * static_cast<double>(cycles) +
           memory.read_pj_per_byte * static_cast<double>(traffic.read) +
           memory.write_pj_per_byte * static_cast<double>(traffic.written);
}

} // namespace tensorloom::workloads
