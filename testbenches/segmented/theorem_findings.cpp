#include "segmented/theorem_findings.h"
#include <algorithm>
#include <iterator>

namespace tensorloom::testbench {
namespace {

constexpr std::size_t compared_sizes = 3;

// Largest by smallest ratio of the last sizes.
template <class Ratio> double spread_of(const std::vector<mmv_ram_point>& points, const Ratio& ratio)
{
    const auto first = points.end() - static_cast<std::ptrdiff_t>(std::min(points.size(), compared_sizes));
    std::vector<double> ratios;
    std::transform(first, points.end(), std::back_inserter(ratios), ratio);
    const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
    return *most / *least;
}

std::optional<bool> within(double spread, const std::optional<double>& claimed)
{
    if (!claimed) { return std::nullopt; }
    return spread <= *claimed;
}

std::string failure_of(const mmv_ram_findings& t)
{
    for (const auto& p : t.points) {
        const char* wrong = !p.right.value_or(true) ? "wrong result"
                            : !p.as_closed_form     ? "counts are not those of the closed form"
                            : !p.bits_hold()        ? "more bits than the theorem allows"
                            : !p.vector_holds()     ? "the vector unit alone is below the lower bound"
                                                    : nullptr;
        if (wrong != nullptr) { return ", size " + std::to_string(p.size) + ": " + wrong; }
    }
    if (!t.steps_flat().value_or(true)) { return ": steps are not flat"; }
    return t.work_flat().value_or(true) ? "" : ": work is not flat";
}

} // namespace

double mmv_ram_findings::steps_spread() const
{
    return spread_of(points, [](const auto& p) { return p.steps_ratio(); });
}
double mmv_ram_findings::work_spread() const
{
    return spread_of(points, [](const auto& p) { return p.work_ratio(); });
}

std::optional<bool> mmv_ram_findings::steps_flat() const { return within(steps_spread(), theorem->flat(side).steps); }
std::optional<bool> mmv_ram_findings::work_flat() const { return within(work_spread(), theorem->flat(side).work); }

bool reversal_findings::as_closed_form() const
{
    return vector_unit.steps() == 1 && vector_unit.vcu_steps == 1 &&
           vector_unit.vcu_circuit == shape.elements() * word_bits && matrix_unit.steps() == matrix_unit.mmu_steps &&
           matrix_unit.mmu_steps == expected_calls;
}

std::string mmv_ram_theorems::failure() const
{
    for (const auto& t : theorems) {
        const auto failed = failure_of(t);
        if (!failed.empty()) { return t.theorem->title() + " at s = " + std::to_string(t.side) + failed; }
    }
    for (const auto& r : reversals) {
        const char* wrong = !r.right.value_or(true) ? "wrong result"
                            : !r.as_closed_form()   ? "counts are not those of the closed form"
                            : !r.holds()            ? "fewer calls than the lower bound"
                                                    : nullptr;
        if (wrong != nullptr) {
            return "lemma 3.4 at s = " + std::to_string(r.side) + ", " + std::to_string(r.shape.blocks) +
                   " blocks: " + wrong;
        }
    }
    return {};
}

} // namespace tensorloom::testbench
