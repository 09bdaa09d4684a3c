#include <tensorloom/models/arch/fetta/operand_reach.h>
#include <algorithm>
#include <cstdlib>
#include <tensorloom/models/arch/fetta/banked_operand.h>
#include <tensorloom/models/arch/fetta/engine_parts.h>
#include <tensorloom/models/arch/values/integers.h>

namespace tensorloom::arch::fetta {
namespace {

constexpr std::uint64_t too_far = std::uint64_t{1} << 40;

std::uint64_t distance(const strided_count& c) { return static_cast<std::uint64_t>(std::abs(c.stride)); }

// From the first value to the last, or too_far.
std::uint64_t span(const strided_count& c)
{
    const std::uint64_t between = c.count - 1;
    return distance(c) != 0 && between >= too_far / distance(c) ? too_far : between * distance(c);
}

} // namespace

std::vector<strided_count> counts_of(const contract_command& c, operand_role role, const geometry& g)
{
    const contract_operand& o = operand_of(c, role);
    std::vector<strided_count> counts;
    if (is_linear(c, role)) {
        const unsigned modes = o.modes[0] + o.modes[1] + o.modes[2];
        for (unsigned m = 0; m < modes; ++m) { counts.push_back({o.mode[m].size, o.mode[m].stride}); }
        return counts;
    }
    const auto turns = counter_counts(c, role, g);
    for (unsigned i = 0; i < turns.size(); ++i) { counts.push_back({turns[i], o.stride[i]}); }
    return counts;
}

std::optional<reach> reach_of(const std::vector<strided_count>& counts)
{
    reach r;
    for (const strided_count& c : counts) {
        const std::uint64_t far = span(c);
        if (far >= too_far) { return std::nullopt; }
        (c.stride < 0 ? r.low : r.high) +=
            c.stride < 0 ? -static_cast<std::int64_t>(far) : static_cast<std::int64_t>(far);
    }
    if (r.high - r.low >= static_cast<std::int64_t>(too_far)) { return std::nullopt; }
    return r;
}

bool may_repeat(std::vector<strided_count> counts)
{
    std::sort(counts.begin(), counts.end(),
              [](const strided_count& a, const strided_count& b) { return distance(a) < distance(b); });
    std::uint64_t within = 0; // what the smaller strides span together
    for (const strided_count& c : counts) {
        if (c.count == 1) { continue; }
        if (distance(c) <= within) { return true; }
        within = std::min(within + span(c), too_far);
    }
    return false;
}

std::optional<operand_reach> reach_of(const contract_command& c, operand_role role, const geometry& g)
{
    const auto far = reach_of(counts_of(c, role, g));
    if (!far) { return std::nullopt; }
    const std::int64_t base = operand_of(c, role).base;
    const std::int64_t row_elements = std::int64_t{g.side} * g.engines; // of all banks
    if (is_linear(c, role)) {
        const std::int64_t first = base + far->low;
        const std::int64_t last = base + far->high;
        return operand_reach{quotient_down(first, row_elements), quotient_down(last, row_elements), first, last};
    }
    const std::int64_t of_a_row = parts(shared_mask(c, role));
    const std::int64_t first = base + quotient_down(far->low, of_a_row);
    const std::int64_t last = base + quotient_down(far->high, of_a_row);
    return operand_reach{first, last, first * row_elements, (last + 1) * row_elements - 1};
}

} // namespace tensorloom::arch::fetta
