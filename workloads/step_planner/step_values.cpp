#include <tensorloom/workloads/step_planner/step_values.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/arithmetic/bfloat16.h>
#include <tensorloom/workloads/fill.h>
#include <tensorloom/workloads/result_check.h>

namespace tensorloom::workloads {
namespace {

using arithmetic::bfloat16;

float rounded(float value) { return static_cast<float>(bfloat16(value)); }

// Elements of a tensor in C order from one digit of a mode to the next; 0 for a mode that it lacks.
std::size_t stride_in(const contraction_graph& graph, std::size_t tensor, unsigned mode)
{
    std::size_t stride = 1;
    const auto& modes = graph.tensors[tensor].modes;
    for (std::size_t m = modes.size(); m-- > 0;) {
        if (modes[m] == mode) { return stride; }
        stride *= graph.modes[modes[m]].size;
    }
    return 0;
}

struct digit {
    unsigned mode;
    std::uint64_t size;
    std::uint64_t step = 1; // digits of the mode from one to the next
};

// Offsets in a tensor of all values of these digits, the last fastest.
std::vector<std::size_t> offsets_in(const contraction_graph& graph, std::size_t tensor,
                                    const std::vector<digit>& digits)
{
    std::vector<std::size_t> all{0};
    for (const digit& d : digits) {
        const std::size_t stride = stride_in(graph, tensor, d.mode) * d.step;
        std::vector<std::size_t> longer;
        longer.reserve(all.size() * d.size);
        for (const std::size_t offset : all) {
            for (std::uint64_t i = 0; i < d.size; ++i) { longer.push_back(offset + i * stride); }
        }
        all = std::move(longer);
    }
    return all;
}

std::vector<digit> digits_of(const contraction_graph& graph, const std::vector<unsigned>& modes)
{
    std::vector<digit> all;
    for (const unsigned m : modes) { all.push_back({m, graph.modes[m].size}); }
    return all;
}

// A contraction as products of matrices: offsets of each flat index in the tensors that have it.
struct matrix_products {
    std::vector<std::size_t> batch_a, batch_b, batch_c, rows_a, rows_c, columns_b, columns_c, summed_a, summed_b;
};

// Of contracted indices in the order of these digits.
matrix_products products_of(const contraction_graph& graph, std::size_t contraction, const std::vector<digit>& summed)
{
    const auto& c = graph.contractions[contraction];
    const auto groups = groups_of(graph, contraction);
    const auto of = [&](contraction_index x) { return digits_of(graph, groups[at(x)]); };
    auto batch = of(contraction_index::batch);
    const auto rows = of(contraction_index::a_free), columns = of(contraction_index::b_free);
    if (c.sliced) { batch.push_back({*c.sliced, graph.modes[*c.sliced].size}); }
    matrix_products products;
    products.batch_a = offsets_in(graph, c.a, batch);
    products.batch_b = offsets_in(graph, c.b, batch);
    products.batch_c = offsets_in(graph, c.result, batch);
    products.rows_a = offsets_in(graph, c.a, rows);
    products.rows_c = offsets_in(graph, c.result, rows);
    products.columns_b = offsets_in(graph, c.b, columns);
    products.columns_c = offsets_in(graph, c.result, columns);
    products.summed_a = offsets_in(graph, c.a, summed);
    products.summed_b = offsets_in(graph, c.b, summed);
    return products;
}

// Calls product(A, B, y) for every batch index, with dense matrices [row][k], [k][column], and puts y [row][column].
template <class T, class Product>
void for_each_product(const matrix_products& p, const std::vector<T>& a, const std::vector<T>& b, std::vector<T>& c,
                      Product product)
{
    const std::size_t rows = p.rows_a.size(), columns = p.columns_b.size(), terms = p.summed_a.size();
    std::vector<T> x(rows * terms), w(terms * columns), y(rows * columns);
    for (std::size_t g = 0; g < p.batch_a.size(); ++g) {
        for (std::size_t r = 0; r < rows; ++r) {
            const T* from = a.data() + p.batch_a[g] + p.rows_a[r];
            for (std::size_t k = 0; k < terms; ++k) { x[r * terms + k] = from[p.summed_a[k]]; }
        }
        for (std::size_t k = 0; k < terms; ++k) {
            const T* from = b.data() + p.batch_b[g] + p.summed_b[k];
            for (std::size_t n = 0; n < columns; ++n) { w[k * columns + n] = from[p.columns_b[n]]; }
        }
        product(x.data(), w.data(), y.data(), rows, columns, terms);
        for (std::size_t r = 0; r < rows; ++r) {
            T* to = c.data() + p.batch_c[g] + p.rows_c[r];
            for (std::size_t n = 0; n < columns; ++n) { to[p.columns_c[n]] = y[r * columns + n]; }
        }
    }
}

// ---- ordered sums ----

float least_above_zero(const std::vector<float>& values)
{
    float least = std::numeric_limits<float>::max();
    for (const float v : values) {
        if (v != 0) { least = std::min(least, std::fabs(v)); }
    }
    return least;
}

struct sum_order {
    std::size_t block_terms; // contracted indices of a block
    std::size_t length, parts;
    bool from_kept; // blocks begin with what the accumulators hold, 0 at first
    bool added;     // sums of blocks are whole, and added to 0 one after the other
};

// Sums of one row in order. `exact`: products of bf16 that lose no bit, so that a product and a sum are a fused one.
void sum_row(const float* x, const float* w, float* y, std::size_t columns, std::size_t terms, const sum_order& order,
             bool exact, std::vector<float>& tree)
{
    tree.resize((order.parts + 1) * columns);
    float* const block = order.added ? tree.data() + order.parts * columns : y;
    if (order.from_kept || order.added) { std::fill(y, y + columns, 0.0f); }
    for (std::size_t first = 0; first < terms; first += order.block_terms) {
        const std::size_t chunk = order.parts * order.length;
        for (std::size_t o = 0; o * chunk < order.block_terms; ++o) {
            std::fill(tree.begin(), tree.begin() + static_cast<std::ptrdiff_t>(order.parts * columns), 0.0f);
            for (std::size_t p = 0; p < order.parts; ++p) {
                float* sum = tree.data() + p * columns;
                for (std::size_t i = 0; i < order.length; ++i) {
                    const std::size_t k = o * chunk + p * order.length + i;
                    if (k >= order.block_terms) { break; } // +0 stays +0, and no sum of these is -0
                    const float factor = x[first + k];
                    const float* row = w + (first + k) * columns;
                    if (exact) {
                        for (std::size_t n = 0; n < columns; ++n) { sum[n] += factor * row[n]; }
                    } else {
                        for (std::size_t n = 0; n < columns; ++n) { sum[n] = std::fma(factor, row[n], sum[n]); }
                    }
                }
            }
            for (std::size_t distance = 1; distance < order.parts; distance *= 2) {
                for (std::size_t p = 0; p < order.parts; p += 2 * distance) {
                    float* left = tree.data() + p * columns;
                    const float* right = left + distance * columns;
                    for (std::size_t n = 0; n < columns; ++n) { left[n] += right[n]; }
                }
            }
            const bool stored = o == 0 && (order.added || (first == 0 && !order.from_kept));
            for (std::size_t n = 0; n < columns; ++n) { block[n] = stored ? tree[n] : block[n] + tree[n]; }
        }
        for (std::size_t n = 0; n < columns && order.added; ++n) { y[n] += block[n]; }
    }
}

bool sums_over_batch(const contraction_graph& graph, const graph_contraction& of)
{
    return graph.is_batched(of.a) && graph.is_batched(of.b) && !graph.is_batched(of.result);
}

// Contracted indices as the plan sums them: block by block of the batch, in each as the choice has them.
std::vector<digit> summed_digits(const step_plan& plan, std::size_t contraction)
{
    const auto& graph = plan.graph;
    const auto& of = graph.contractions[contraction];
    std::vector<digit> digits;
    if (sums_over_batch(graph, of)) {
        digits.push_back({graph.batch, plan.blocks, plan.block_graph.modes[graph.batch].size});
    }
    for (const unsigned m : plan.layouts.choice[contraction].groups[at(contraction_index::contracted)]) {
        digits.push_back({m, plan.block_graph.modes[m].size});
    }
    return digits;
}

std::vector<float> ordered_contraction(const step_plan& plan, std::size_t contraction, const std::vector<float>& a,
                                       const std::vector<float>& b)
{
    const auto& graph = plan.graph;
    const auto& of = graph.contractions[contraction];
    const auto& choice = plan.layouts.choice[contraction];
    const auto digits = summed_digits(plan, contraction);
    sum_order order{1, plan.limits.side, choice.split.contracted, plan.kept_row[contraction].has_value(),
                    plan.added[contraction]};
    for (std::size_t d = sums_over_batch(graph, of) ? 1 : 0; d < digits.size(); ++d) {
        order.block_terms *= digits[d].size;
    }
    if (is_output_stationary(choice.mapping)) { order.length = (order.block_terms + order.parts - 1) / order.parts; }
    const float least = least_above_zero(a), least_b = least_above_zero(b);
    const bool exact = plan.limits.operand == base::element_type::bf16 &&
                       static_cast<double>(least) * static_cast<double>(least_b) >= 0x1p-126;
    std::vector<float> c(graph.elements(of.result)), tree;
    for_each_product(
        products_of(graph, contraction, digits), a, b, c,
        [&](const float* x, const float* w, float* y, std::size_t rows, std::size_t columns, std::size_t terms) {
            for (std::size_t r = 0; r < rows; ++r) {
                sum_row(x + r * terms, w, y + r * columns, columns, terms, order, exact, tree);
            }
        });
    if (plan.type_of(of.result) == base::element_type::bf16) {
        for (float& v : c) { v = rounded(v); }
    }
    return c;
}

// ---- double precision ----

struct exact_tensor {
    std::vector<double> value, magnitude;
    double roundings = 0; // relative to the magnitude
};

std::vector<double> contraction_in_double(const contraction_graph& graph, std::size_t contraction,
                                          const std::vector<double>& a, const std::vector<double>& b)
{
    const auto summed = digits_of(graph, groups_of(graph, contraction)[at(contraction_index::contracted)]);
    std::vector<double> c(graph.elements(graph.contractions[contraction].result));
    for_each_product(
        products_of(graph, contraction, summed), a, b, c,
        [](const double* x, const double* w, double* y, std::size_t rows, std::size_t columns, std::size_t terms) {
            std::fill(y, y + rows * columns, 0.0);
            for (std::size_t r = 0; r < rows; ++r) {
                for (std::size_t k = 0; k < terms; ++k) {
                    const double factor = x[r * terms + k];
                    for (std::size_t n = 0; n < columns; ++n) { y[r * columns + n] += factor * w[k * columns + n]; }
                }
            }
        });
    return c;
}

std::vector<exact_tensor> exact_step(const step_plan& plan, const step_values& given)
{
    constexpr double f32_step = 0x1p-23, bf16_step = 0x1p-8, other_roundings = 32;
    const auto& graph = plan.graph;
    std::vector<exact_tensor> all(graph.tensors.size());
    for (std::size_t t = 0; t < all.size(); ++t) {
        all[t].value.assign(given.tensor[t].begin(), given.tensor[t].end());
        all[t].magnitude = all[t].value;
        for (double& m : all[t].magnitude) { m = std::fabs(m); }
    }
    for (std::size_t c = 0; c < graph.contractions.size(); ++c) {
        const auto& of = graph.contractions[c];
        auto& result = all[of.result];
        result.value = contraction_in_double(graph, c, all[of.a].value, all[of.b].value);
        result.magnitude = contraction_in_double(graph, c, all[of.a].magnitude, all[of.b].magnitude);
        const auto terms = static_cast<double>(extents_of(graph, groups_of(graph, c)).contracted);
        const double own = (terms + other_roundings) * f32_step +
                           (plan.type_of(of.result) == base::element_type::bf16 ? bf16_step : 0);
        result.roundings = (1 + all[of.a].roundings) * (1 + all[of.b].roundings) * (1 + own) - 1;
    }
    return all;
}

bool same_bits(float x, float y) { return std::memcmp(&x, &y, sizeof x) == 0; }

} // namespace

step_values random_values(const contraction_graph& graph, std::uint64_t seed)
{
    step_values values;
    values.tensor.resize(graph.tensors.size());
    values.master.resize(graph.tensors.size());
    for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
        if (graph.maker(t) || graph.users(t).empty()) { continue; }
        const bool core = !graph.is_batched(t);
        const auto numbers =
            fill_tensor<float>(fill_kind::random, {1, 1, graph.elements(t)}, 0, seed * graph.tensors.size() + t);
        for (const float value : numbers.data) {
            if (core) { values.master[t].push_back(value); }
            values.tensor[t].push_back(rounded(value));
        }
    }
    return values;
}

sample_list shuffled_samples(std::uint64_t all, std::uint64_t batch, std::uint64_t seed)
{
    if (batch > all || all > std::numeric_limits<std::uint32_t>::max()) {
        base::refuse("samples", std::to_string(all),
                     "at least the " + std::to_string(batch) + " of a batch, and numbers of 32 bits");
    }
    sample_list list(all);
    std::iota(list.begin(), list.end(), 0u);
    std::mt19937_64 random(seed);
    for (std::uint64_t i = 0; i < batch; ++i) { std::swap(list[i], list[i + random() % (all - i)]); }
    list.resize(batch);
    return list;
}

step_values batch_of(const contraction_graph& graph, const step_values& data, const sample_list& batch)
{
    step_values values = data;
    for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
        if (!graph.is_batched(t) || data.tensor[t].empty()) { continue; }
        const std::size_t inner = stride_in(graph, t, graph.batch);
        const std::size_t outer = graph.elements(t) / batch.size() / inner;
        const std::size_t samples = data.tensor[t].size() / outer / inner;
        auto& to = values.tensor[t];
        to.clear();
        for (std::size_t o = 0; o < outer; ++o) {
            for (const std::size_t s : batch) {
                const auto from = data.tensor[t].begin() + static_cast<std::ptrdiff_t>((o * samples + s) * inner);
                to.insert(to.end(), from, from + static_cast<std::ptrdiff_t>(inner));
            }
        }
    }
    return values;
}

step_values emulate_step(const step_plan& plan, const step_values& given, float rate)
{
    step_values values = given;
    const auto& graph = plan.graph;
    for (std::size_t c = 0; c < graph.contractions.size(); ++c) {
        const auto& of = graph.contractions[c];
        values.tensor[of.result] = ordered_contraction(plan, c, values.tensor[of.a], values.tensor[of.b]);
    }
    if (!plan.settings.training || !plan.settings.update) { return values; }
    for (const std::size_t core : plan.cores()) {
        const auto& gradient = values.tensor[*graph.gradient(core)];
        for (std::size_t i = 0; i < gradient.size(); ++i) {
            float& master = values.master[core][i];
            master = std::fma(rate, gradient[i], master);
            values.tensor[core][i] = rounded(master);
        }
    }
    return values;
}

step_check check_step(const step_plan& plan, const step_values& given, const step_values& found, float rate)
{
    step_check result;
    const auto emulated = emulate_step(plan, given, rate);
    const auto exact = exact_step(plan, given);
    const auto compare = [&](const std::string& name, const std::vector<float>& values,
                             const std::vector<float>& expected) {
        if (values.empty()) { return; }
        for (std::size_t i = 0; i < expected.size(); ++i) {
            if (values.size() == expected.size() && same_bits(values[i], expected[i])) { continue; }
            if (result.same_bits) { result.first_difference = name + ", element " + std::to_string(i); }
            result.same_bits = false;
        }
        result.elements += expected.size();
    };
    const auto& graph = plan.graph;
    for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
        const auto& name = graph.tensors[t].name;
        compare(name, found.tensor[t], emulated.tensor[t]);
        compare("the master of " + name, found.master[t], emulated.master[t]);
        if (!graph.maker(t) || emulated.tensor[t].empty()) { continue; }
        // What did not leave the chip is that of the emulation.
        const auto& values = found.tensor[t].empty() ? emulated.tensor[t] : found.tensor[t];
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto error = static_cast<double>(error_of(static_cast<double>(values[i]), exact[t].value[i]));
            const double allowed =
                exact[t].roundings * exact[t].magnitude[i] + std::numeric_limits<float>::denorm_min();
            result.max_abs_error = std::max(result.max_abs_error, error);
            const double share = share_of_bound(error, allowed);
            if (share > result.worst_share) {
                result.worst_share = share;
                result.worst = name;
            }
        }
    }
    result.within_bound = result.worst_share <= 1;
    return result;
}

} // namespace tensorloom::workloads
