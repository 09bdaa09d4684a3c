#include <tensorloom/workloads/contraction/mapping_search.h>
#include <stdexcept>
#include <tensorloom/models/fetta/isa/schedule.h>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::workloads {
namespace {

using fetta::mapping;

bool is_power_of_two(std::uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

// Calls f(split) for every split of so many engines, in lexicographic order.
template <class F> void for_each_split(std::uint32_t engines, F f)
{
    for (std::uint32_t batch = 1; batch <= engines; batch *= 2) {
        for (std::uint32_t contracted = 1; batch * contracted <= engines; contracted *= 2) {
            for (std::uint32_t ia = 1; batch * contracted * ia <= engines; ia *= 2) {
                f(engine_split{batch, contracted, ia, engines / (batch * contracted * ia)});
            }
        }
    }
}

template <class F> void for_each_choice(const fetta::device_limits& g, const mapping_request& request, F f)
{
    for (unsigned m = 0; m < fetta::mapping_count; ++m) {
        const auto mapped = static_cast<mapping>(m);
        if (request.mapping && *request.mapping != mapped) { continue; }
        if (request.split) {
            f(mapped, *request.split);
        } else {
            for_each_split(g.engines, [&](const engine_split& split) { f(mapped, split); });
        }
    }
}

std::uint64_t product(const engine_split& s) { return std::uint64_t{s.batch} * s.contracted * s.ia_free * s.ib_free; }

// A choice whose energy is worked out only where it decides.
class priced_choice {
public:
    priced_choice(const flat_extents& extents, mapping mapped, const engine_split& split, const fetta::device_limits& g,
                  const mapping_costs& costs, bool store_bf16)
        : m_command(contract_of(extents, mapped, split, store_bf16)), m_limits(&g), m_costs(&costs)
    {
        m_choice.mapping = mapped;
        m_choice.split = split;
        m_choice.cycles = fetta::ideal_cycles(m_command, g).total();
    }

    std::uint64_t cycles() const { return m_choice.cycles; }
    double pj()
    {
        if (!m_priced) {
            m_choice.pj = m_costs->pj(fetta::contract_counts(m_command, *m_limits), m_choice.cycles);
            m_priced = true;
        }
        return m_choice.pj;
    }
    mapping_choice whole()
    {
        pj();
        return m_choice;
    }

private:
    mapping_choice m_choice;
    fetta::contract_command m_command;
    const fetta::device_limits* m_limits;
    const mapping_costs* m_costs;
    bool m_priced = false;
};

bool is_better(priced_choice& x, priced_choice& than, mapping_objective objective)
{
    if (objective != mapping_objective::latency) {
        const auto value = [&](priced_choice& c) {
            return objective == mapping_objective::energy ? c.pj() : c.pj() * static_cast<double>(c.cycles());
        };
        if (value(x) != value(than)) { return value(x) < value(than); }
    }
    if (x.cycles() != than.cycles()) { return x.cycles() < than.cycles(); }
    return x.pj() < than.pj();
}

} // namespace

engine_split parse_engine_split(const std::string& text, std::uint32_t engines)
{
    engine_split split;
    std::uint32_t* const parts[] = {&split.batch, &split.contracted, &split.ia_free, &split.ib_free};
    const auto wrong = [&]() -> base::input_error {
        return base::input_error("split: found '" + text +
                                 "', expected four powers of two (batch, contracted, IA's free, IB's free) whose "
                                 "product is " +
                                 std::to_string(engines));
    };
    std::size_t at = 0;
    for (unsigned p = 0; p < 4; ++p) {
        std::uint64_t value = 0;
        const std::size_t first = at;
        for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && value <= engines; ++at) {
            value = 10 * value + static_cast<std::uint64_t>(text[at] - '0');
        }
        if (at == first || value > engines || !is_power_of_two(value)) { throw wrong(); }
        *parts[p] = static_cast<std::uint32_t>(value);
        const bool ends = p == 3 ? at == text.size() : at < text.size() && text[at] == ',';
        if (!ends) { throw wrong(); }
        ++at;
    }
    if (product(split) != engines) { throw wrong(); }
    return split;
}

std::string engine_split_text(const engine_split& s)
{
    return std::to_string(s.batch) + "," + std::to_string(s.contracted) + "," + std::to_string(s.ia_free) + "," +
           std::to_string(s.ib_free);
}

mapping_costs::mapping_costs(const costs::energy_model& model, double clock_ns)
{
    if (model.costs.size() != m_pj.size()) { throw std::logic_error("these are not the costs of FETTA's events"); }
    for (std::size_t e = 0; e < m_pj.size(); ++e) { m_pj[e] = model.costs[e].pj; }
    for (const auto& l : model.leakage) { m_pj_per_cycle += l.mw * clock_ns; }
}

double mapping_costs::pj(const fetta::counts& counts, std::uint64_t cycles) const
{
    double sum = m_pj_per_cycle * static_cast<double>(cycles);
    for (std::size_t e = 0; e < m_pj.size(); ++e) { sum += m_pj[e] * static_cast<double>(counts.data()[e]); }
    return sum;
}

fetta::contract_command contract_of(const flat_extents& extents, mapping mapped, const engine_split& split,
                                    bool store_bf16)
{
    const bool swapped = has_x_in_ib(mapped);
    fetta::contract_command c;
    c.flags = store_bf16 ? fetta::contract_command::flag_store_bf16 : std::uint16_t{0};
    c.mapping = static_cast<std::uint32_t>(mapped);
    c.batch = static_cast<std::uint32_t>(extents.batch);
    c.contracted = static_cast<std::uint32_t>(extents.contracted);
    c.ia_free = static_cast<std::uint32_t>(swapped ? extents.b_free : extents.a_free);
    c.ib_free = static_cast<std::uint32_t>(swapped ? extents.a_free : extents.b_free);
    std::uint32_t below = 1;
    const auto bits = [&below](std::uint32_t parts) {
        const std::uint32_t mask = below * (parts - 1);
        below *= parts;
        return mask;
    };
    c.mask_ib = bits(split.ib_free);
    c.mask_contracted = bits(split.contracted);
    c.mask_ia = bits(split.ia_free);
    c.mask_batch = bits(split.batch);
    return c;
}

std::vector<mapping_choice> mapping_candidates(const flat_extents& extents, const fetta::device_limits& g,
                                               const mapping_costs& costs, const mapping_request& request)
{
    std::vector<mapping_choice> all;
    for_each_choice(g, request, [&](mapping mapped, const engine_split& split) {
        all.push_back(priced_choice(extents, mapped, split, g, costs, request.store_bf16).whole());
    });
    return all;
}

mapping_choice search_mapping(const flat_extents& extents, const fetta::device_limits& g, const mapping_costs& costs,
                              const mapping_request& request)
{
    if (request.split && product(*request.split) != g.engines) {
        base::refuse("split", engine_split_text(*request.split), "parts whose product is " + std::to_string(g.engines));
    }
    std::optional<priced_choice> best;
    for_each_choice(g, request, [&](mapping mapped, const engine_split& split) {
        priced_choice next(extents, mapped, split, g, costs, request.store_bf16);
        if (!best || is_better(next, *best, request.objective)) { best = next; }
    });
    return best->whole();
}

} // namespace tensorloom::workloads
