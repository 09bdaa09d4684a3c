#include "segmented/theorem_findings.h"

namespace tensorloom::testbench {
namespace {

std::string spread_text(double spread, const std::optional<bool>& flat, const std::optional<double>& allowed)
{
    return "; largest by smallest of the last three " + number_text(spread) +
           (flat ? std::string(*flat ? ", flat" : ", NOT FLAT") + " (at most " + number_text(*allowed) + ")"
                 : ", no claim");
}

template <class Ratio> std::string ratios_text(const mmv_ram_findings& t, const Ratio& ratio)
{
    return listed(
        t.points, [&](const auto& p) { return number_text(ratio(p)); }, " ");
}

void print_faults(std::ostream& out, const mmv_ram_point& p)
{
    const auto at = " at size " + std::to_string(p.size) + "\n";
    if (!p.right.value_or(true)) { out << "    WRONG RESULT" << at; }
    if (!p.as_closed_form) { out << "    COUNTS DIFFER from the closed form" << at; }
    if (!p.bits_hold()) { out << "    MORE BITS than allowed" << at; }
    if (!p.vector_holds()) { out << "    BELOW THE LOWER BOUND without the matrix unit" << at; }
}

// " (scan_tree_vcu)" where it is not that of the last size.
std::string other_variant(const mmv_ram_findings& t, const mmv_ram_point& p)
{
    return p.vector_variant == t.points.back().vector_variant ? "" : " (" + p.vector_variant + ")";
}

void print_theorem(std::ostream& out, const mmv_ram_findings& t)
{
    const auto& theorem = *t.theorem;
    const auto claim = theorem.flat(t.side);
    out << "  " << theorem.title() << " (" << theorem.variant << "), "
        << listed(
               t.points, [&](const auto& p) { return grouped_text(p.size); }, " ")
        << " " << theorem.size << "\n"
        << "    steps "
        << listed(
               t.points, [](const auto& p) { return grouped_text(p.model.steps()); }, " ")
        << ", over " << theorem.steps_bound << ": " << ratios_text(t, [](const auto& p) { return p.steps_ratio(); })
        << spread_text(t.steps_spread(), t.steps_flat(), claim.steps) << "\n"
        << "    work over " << theorem.work_bound << ": "
        << ratios_text(t, [](const auto& p) { return p.work_ratio(); })
        << spread_text(t.work_spread(), t.work_flat(), claim.work) << "\n"
        << "    bits "
        << listed(
               t.points, [](const auto& p) { return std::to_string(p.bits) + " of " + std::to_string(p.bits_allowed); },
               ", ")
        << " that " << theorem.bits_allowed << " allows\n"
        << "    vector unit alone (" << t.points.back().vector_variant << "): steps "
        << listed(
               t.points, [&](const auto& p) { return grouped_text(p.vector_steps) + other_variant(t, p); }, " ")
        << ", at least " << theorem.vector_steps_bound << " = "
        << listed(
               t.points, [](const auto& p) { return p.vector_bound ? number_text(*p.vector_bound) : "-"; }, " ")
        << "\n    steps over those of the vector unit alone: "
        << listed(
               t.points,
               [](const auto& p) { return number_text(p.over_vector()) + (p.over_vector() > 1 ? " (loses)" : ""); },
               " ")
        << "\n";
    for (const auto& p : t.points) { print_faults(out, p); }
}

void print_reversal(std::ostream& out, const reversal_findings& r)
{
    out << "    s = " << r.side << ", k = " << r.shape.blocks << ": vector unit " << r.vector_unit.steps()
        << " step of " << grouped_text(r.vector_unit.vcu_circuit) << " gates, matrix unit "
        << counted(r.matrix_unit.mmu_steps, "call", "calls") << ", at least " << r.least_calls
        << (r.right.value_or(true) ? "" : ", WRONG RESULT") << (r.as_closed_form() ? "" : ", COUNTS DIFFER")
        << (r.holds() ? "" : ", BELOW THE LOWER BOUND") << "\n";
}

json point_json(const mmv_ram_point& p)
{
    return {{"size", p.size},
            {"steps", p.model.steps()},
            {"mmu_steps", p.model.mmu_steps},
            {"vcu_steps", p.model.vcu_steps},
            {"scalar_steps", p.model.scalar_steps},
            {"steps_bound", p.steps_bound},
            {"steps_ratio", p.steps_ratio()},
            {"macs", p.model.mmu_macs},
            {"gates", p.model.vcu_circuit},
            {"work_bound", p.work_bound},
            {"work_ratio", p.work_ratio()},
            {"bits", p.bits},
            {"bits_allowed", p.bits_allowed},
            {"vector_variant", p.vector_variant},
            {"vector_steps", p.vector_steps},
            {"vector_steps_bound", or_null(p.vector_bound)},
            {"over_vector", p.over_vector()},
            {"cycles", p.cycles},
            {"as_closed_form", p.as_closed_form},
            {"right", or_null(p.right)}};
}

json theorem_json(const mmv_ram_findings& t)
{
    const auto claim = t.theorem->flat(t.side);
    json points = json::array();
    for (const auto& p : t.points) { points.push_back(point_json(p)); }
    return {{"theorem", t.theorem->name},
            {"algorithm", t.theorem->variant},
            {"s", t.side},
            {"size", t.theorem->size},
            {"steps_bound", t.theorem->steps_bound},
            {"work_bound", t.theorem->work_bound},
            {"bits_allowed", t.theorem->bits_allowed},
            {"vector_steps_bound", t.theorem->vector_steps_bound},
            {"points", points},
            {"steps_spread", t.steps_spread()},
            {"steps_spread_allowed", or_null(claim.steps)},
            {"steps_flat", or_null(t.steps_flat())},
            {"work_spread", t.work_spread()},
            {"work_spread_allowed", or_null(claim.work)},
            {"work_flat", or_null(t.work_flat())}};
}

json reversal_json(const reversal_findings& r)
{
    return {{"s", r.side},
            {"groups", r.shape.groups},
            {"blocks", r.shape.blocks},
            {"block", r.shape.block},
            {"vector_steps", r.vector_unit.steps()},
            {"vector_gates", r.vector_unit.vcu_circuit},
            {"matrix_calls", r.matrix_unit.mmu_steps},
            {"matrix_macs", r.matrix_unit.mmu_macs},
            {"least_calls", r.least_calls},
            {"as_closed_form", r.as_closed_form()},
            {"right", or_null(r.right)}};
}

} // namespace

void write_theorems(run_report& report, const mmv_ram_theorems& found)
{
    auto& out = report.text();
    unsigned side = 0;
    json theorems = json::array(), reversals = json::array();
    for (const auto& t : found.theorems) {
        if (t.side != side) {
            side = t.side;
            out << " s = " << side << "; w = " << found.reversals.front().word_bits
                << " bits of a word, B bits of an operand of products, M the largest magnitude of an operand\n";
        }
        print_theorem(out, t);
        theorems.push_back(theorem_json(t));
    }
    out << "  lemma 3.4: " << found.reversals.front().shape.groups
        << " groups of k blocks of s / 2 elements, reversed in each group, by either unit alone\n";
    for (const auto& r : found.reversals) {
        print_reversal(out, r);
        reversals.push_back(reversal_json(r));
    }
    report.fields({{"theorems", theorems}, {"lemma_3_4", reversals}});
}

} // namespace tensorloom::testbench
