#include <tensorloom/models/costs/energy.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tensorloom::costs {

namespace {

/// Neumaier's sum: its error does not grow with the number of terms.
class compensated_sum {
public:
    void add(double term)
    {
        const double sum = m_sum + term;
        m_lost += std::abs(m_sum) >= std::abs(term) ? (m_sum - sum) + term : (term - sum) + m_sum;
        m_sum = sum;
    }
    double value() const { return m_sum + m_lost; }

private:
    double m_sum = 0;
    double m_lost = 0;
};

/// Energy that one call adds to one component.
struct share {
    const char* component;
    compensated_sum pj;
    compensated_sum more_pj;
    bool estimate = false;
};

share& share_of(std::vector<share>& shares, const char* component)
{
    const std::string_view name = component;
    const auto found = std::find_if(shares.begin(), shares.end(), [&](const share& s) { return s.component == name; });
    if (found != shares.end()) { return *found; }
    shares.push_back({component, {}, {}, false});
    return shares.back();
}

} // namespace

void add_energy(std::vector<component_energy>& energies, const energy_model& model, const std::uint64_t* counts,
                double ns)
{
    if (model.costs.size() != model.events.size) {
        throw std::invalid_argument("add_energy: one cost per event expected");
    }

    std::vector<share> shares;
    for (std::size_t i = 0; i < model.events.size; ++i) {
        const char* component = model.events.events[i].component;
        if (*component == '\0') { continue; }
        share& s = share_of(shares, component);
        if (counts[i] == 0) { continue; } // an unused cost does not mark totals as estimates
        s.pj.add(static_cast<double>(counts[i]) * model.costs[i].pj);
        s.more_pj.add(static_cast<double>(counts[i]) * model.costs[i].more_pj);
        s.estimate = s.estimate || model.costs[i].estimate;
    }
    for (const auto& leakage : model.leakage) {
        share& s = share_of(shares, leakage.component.c_str());
        if (ns == 0) { continue; }
        s.pj.add(leakage.mw * ns); // mW x ns = pJ
        s.more_pj.add(leakage.more_mw * ns);
        s.estimate = s.estimate || leakage.estimate;
    }

    for (const auto& s : shares) {
        const auto found = std::find_if(energies.begin(), energies.end(),
                                        [&](const component_energy& e) { return e.component == s.component; });
        if (found == energies.end()) {
            energies.push_back({s.component, s.pj.value(), s.estimate, s.more_pj.value()});
        } else {
            found->pj += s.pj.value();
            found->more_pj += s.more_pj.value();
            found->estimate = found->estimate || s.estimate;
        }
    }
}

double leaking_ns(const base::power_residency& residency, double power_gated_share)
{
    if (!(power_gated_share >= 0 && power_gated_share <= 1)) {
        throw std::invalid_argument("leaking_ns: a power-gated share of " + std::to_string(power_gated_share) +
                                    ", expected 0 to 1");
    }
    const auto ns = [&](base::power_state state) { return static_cast<double>(residency.in(state)) / 1000; };
    return ns(base::power_state::on) + ns(base::power_state::clock_gated) +
           power_gated_share * ns(base::power_state::power_gated);
}

double total_pj(const std::vector<component_energy>& energies)
{
    compensated_sum sum;
    for (const auto& energy : energies) { sum.add(energy.pj); }
    return sum.value();
}

double leakage_pj(const std::vector<component_energy>& energies)
{
    compensated_sum sum;
    for (const auto& energy : energies) {
        const auto module = energy.component.rfind('.');
        const auto name = energy.component.substr(module == std::string::npos ? 0 : module + 1);
        if (name == "leakage") { sum.add(energy.pj); }
    }
    return sum.value();
}

} // namespace tensorloom::costs
