#include "workloads/step_planner/ordered_step.h"
#include <algorithm>
#include <cmath>
#include "support/fetta_reference_sums.h"

namespace tensorloom::test {
namespace {

using offsets = std::vector<std::size_t>;

struct digit {
    std::string mode;
    std::size_t size;
};

offsets offsets_in(const step_definition& step, const std::string& tensor, const std::vector<digit>& digits)
{
    offsets all{0};
    for (const auto& d : digits) {
        offsets longer;
        for (const std::size_t offset : all) {
            for (std::size_t i = 0; i < d.size; ++i) { longer.push_back(offset + i * step.stride(tensor, d.mode)); }
        }
        all = std::move(longer);
    }
    return all;
}

// y = sum over o = 0, 1, ... of tree over p < parts of chain over i < length of x[k] w[k], k = (o parts + p) length + i
class ordered_sum {
public:
    ordered_sum(const order_of_sums& order, std::size_t terms, std::size_t side)
        : m_terms(terms), m_length(order.output_stationary ? (terms + order.parts - 1) / order.parts : side),
          m_tree(order.parts)
    {}

    // x[x_at[k]], w[w_at[k]]. Goes on from `old` where there are sums already.
    float operator()(const float* x, const offsets& x_at, const float* w, const offsets& w_at, const float* old)
    {
        float y = old != nullptr ? *old : 0;
        bool is_first = old == nullptr;
        for (std::size_t first = 0; first < m_terms; first += m_tree.size() * m_length) {
            for (std::size_t p = 0; p < m_tree.size(); ++p) {
                float chain = 0;
                for (std::size_t i = 0; i < m_length; ++i) {
                    const std::size_t k = first + p * m_length + i;
                    const bool is_there = k < m_terms;
                    chain = std::fma(is_there ? x[x_at[k]] : 0.0f, is_there ? w[w_at[k]] : 0.0f, chain);
                }
                m_tree[p] = chain;
            }
            for (std::size_t parts = m_tree.size(); parts > 1; parts /= 2) {
                for (std::size_t p = 0; p < parts / 2; ++p) { m_tree[p] = m_tree[2 * p] + m_tree[2 * p + 1]; }
            }
            y = is_first ? m_tree[0] : y + m_tree[0];
            is_first = false;
        }
        return y;
    }

private:
    std::size_t m_terms, m_length;
    std::vector<float> m_tree;
};

std::vector<float> contracted(const step_definition& step, const step_definition::contraction& c,
                              const order_of_sums& order, std::size_t samples, std::size_t side,
                              const values_by_name<float>& values)
{
    std::vector<digit> kept, summed;
    for (const auto& mode : step.modes.at(c.result)) { kept.push_back({mode, step.size(mode)}); }
    bool sums_batch = false;
    for (const auto& mode : order.contracted) {
        const bool batch = mode == step.batch;
        sums_batch = sums_batch || batch;
        summed.push_back({mode, batch ? samples : step.size(mode)});
    }
    // A block of one sample has no mode for it.
    sums_batch = sums_batch || (step.has(c.a, step.batch) && !step.has(c.result, step.batch));
    const std::size_t blocks = sums_batch ? step.size(step.batch) / samples : 1;
    const auto of = [&](const std::string& tensor, const std::vector<digit>& digits) {
        return offsets_in(step, tensor, digits);
    };
    const auto a_kept = of(c.a, kept), b_kept = of(c.b, kept), c_kept = of(c.result, kept);
    const auto a_summed = of(c.a, summed), b_summed = of(c.b, summed);
    const float* const a = values.at(c.a).data();
    const float* const b = values.at(c.b).data();
    ordered_sum sum(order, a_summed.size(), side);
    std::vector<float> result(step.elements(c.result));
    for (std::size_t e = 0; e < c_kept.size(); ++e) {
        float y = 0;
        for (std::size_t block = 0; block < blocks; ++block) {
            const float* const x = a + a_kept[e] + block * samples * step.stride(c.a, step.batch);
            const float* const w = b + b_kept[e] + block * samples * step.stride(c.b, step.batch);
            switch (order.across) {
            case order_of_sums::blocks::alone: y = sum(x, a_summed, w, b_summed, nullptr); break;
            case order_of_sums::blocks::in_accumulators: y = sum(x, a_summed, w, b_summed, &y); break;
            case order_of_sums::blocks::by_vector_unit: y += sum(x, a_summed, w, b_summed, nullptr); break;
            }
        }
        result[c_kept[e]] = y;
    }
    return result;
}

} // namespace

values_by_name<float> ordered_step(const step_definition& step, const std::map<std::string, order_of_sums>& orders,
                                   std::size_t samples, std::size_t side, const values_by_name<float>& given,
                                   bool update, float rate)
{
    auto values = given;
    for (const auto& c : step.contractions) {
        auto result = contracted(step, c, orders.at(c.result), samples, side, values);
        const bool stays_wide =
            std::any_of(step.cores.begin(), step.cores.end(), [&](const auto& core) { return c.result == "d" + core; });
        for (float& value : result) { value = stays_wide ? value : rounded_to_bf16(value); }
        values[c.result] = std::move(result);
    }
    for (const auto& core : step.cores) {
        if (!update) { break; }
        const auto& gradient = values.at("d" + core);
        auto& master = values.at("master of " + core);
        for (std::size_t i = 0; i < master.size(); ++i) {
            master[i] = std::fma(rate, gradient[i], master[i]);
            values.at(core)[i] = rounded_to_bf16(master[i]);
        }
    }
    return values;
}

} // namespace tensorloom::test
