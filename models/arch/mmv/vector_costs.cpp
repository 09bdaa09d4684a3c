#include <tensorloom/models/arch/mmv/vector_costs.h>

namespace tensorloom::arch::mmv {

std::optional<std::string> complaint(const vector_costs& costs)
{
    for (std::size_t i = 0; i < instruction_count; ++i) {
        const vector_cost& cost = costs[i];
        if (cost.depth > 1000000 || cost.cycles_per_group < 1 || cost.cycles_per_group > 1000000) {
            return std::string("vector cost of ") + instructions[i].name + ": depth " + std::to_string(cost.depth) +
                   " and " + std::to_string(cost.cycles_per_group) +
                   " cycles per group, expected at most 1000000, and at least 1 cycle per group";
        }
    }
    return std::nullopt;
}

} // namespace tensorloom::arch::mmv
