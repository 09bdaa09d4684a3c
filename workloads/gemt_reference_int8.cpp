#include <tensorloom/workloads/gemt_reference.h>
#include <tensorloom/workloads/gemt_sums.h>
#include <algorithm>
#include <cmath>

namespace tensorloom::workloads {
namespace {

template <class Sum>
void add_sums(const gemt_stage& stage, const std::vector<std::int8_t>& x, const std::vector<std::int8_t>& c,
              std::vector<std::int64_t>& y, sums_progress& progress)
{
    std::vector<Sum> sums(stage.results());
    sum_over(stage, x, c, sums, progress);
    for (std::size_t i = 0; i < y.size(); ++i) { y[i] += sums[i]; }
}

// A product has at most 2^14, so 32 bits hold the sum of this many: four times as fast as 64.
constexpr std::size_t rows_of_32_bits = std::size_t{1} << 16;

// Of an integer by 2^shift, to nearest even: long double holds all 64 bits, and rounds to nearest even itself.
long double shifted(std::int64_t sum, unsigned shift)
{
    return std::nearbyint(std::ldexp(static_cast<long double>(sum), -static_cast<int>(shift)));
}

class int8_sums {
public:
    int8_sums(const gemt_problem<std::int8_t>& problem, gemt_reference<std::int8_t>& reference)
        : m_problem(problem), m_reference(reference)
    {}

    void run(const std::vector<gemt_stage>& stages, sums_progress& progress)
    {
        std::vector<std::int8_t> operands = m_problem.x->data;
        for (const auto& stage : stages) {
            const bool is_last = &stage == &stages.back();
            const unsigned shift = m_problem.shifts[stage.position];
            drop_small(operands);
            std::vector<std::int64_t> sums(stage.results());
            if (is_last && m_problem.initial) {
                sums.assign(m_problem.initial->data.begin(), m_problem.initial->data.end());
            }
            const auto& matrix = *m_problem.matrices[stage.mode];
            if (stage.rows <= rows_of_32_bits) {
                add_sums<std::int32_t>(stage, operands, matrix, sums, progress);
            } else {
                add_sums<std::int64_t>(stage, operands, matrix, sums, progress);
            }
            count_overflows(sums);
            if (is_last) { return finish(sums, shift); }
            operands.resize(sums.size());
            std::transform(sums.begin(), sums.end(), operands.begin(),
                           [&](auto sum) { return static_cast<std::int8_t>(limited(shifted(sum, shift))); });
        }
    }

private:
    void drop_small(std::vector<std::int8_t>& operands) const
    {
        if (m_problem.threshold < 1) { return; }
        for (auto& x : operands) { x = std::abs(int{x}) <= m_problem.threshold ? std::int8_t{0} : x; }
    }
    void count_overflows(const std::vector<std::int64_t>& sums)
    {
        m_reference.overflowed += static_cast<std::uint64_t>(std::count_if(
            sums.begin(), sums.end(), [](std::int64_t sum) { return sum != static_cast<std::int32_t>(sum); }));
    }
    long double limited(long double value)
    {
        const long double limited = std::clamp(value, -128.0L, 127.0L);
        m_reference.saturated += limited != value ? 1 : 0;
        return limited;
    }
    void finish(const std::vector<std::int64_t>& sums, unsigned shift)
    {
        auto& values = m_reference.values.data;
        values.resize(sums.size());
        std::transform(sums.begin(), sums.end(), values.begin(), [&](std::int64_t sum) {
            const long double value = shifted(sum, shift);
            return m_problem.rounds_result ? limited(value) : value;
        });
    }

    const gemt_problem<std::int8_t>& m_problem;
    gemt_reference<std::int8_t>& m_reference;
};

} // namespace

template <> gemt_reference<std::int8_t> compute_reference(const gemt_problem<std::int8_t>& problem)
{
    const shape3 results = result_shape(problem);
    const auto stages = gemt_stages({problem.x->shape[0], problem.x->shape[1], problem.x->shape[2]}, results,
                                    problem.order, problem.matrices);
    gemt_reference<std::int8_t> reference;
    reference.values.shape.assign(results.begin(), results.end());
    sums_progress progress(problem.progress, stages, 2);
    int8_sums(problem, reference).run(stages, progress);

    const auto widen = [](const auto& values) { return std::vector<double>(values.begin(), values.end()); };
    std::vector<double> initial = problem.initial ? widen(problem.initial->data) : std::vector<double>{};
    const int last = static_cast<int>(problem.shifts[stages.back().position]);
    const int before_last = static_cast<int>(problem.shifts[0] + problem.shifts[1] + problem.shifts[2]) - last;
    for (double& y : initial) { y = std::ldexp(y, before_last); }
    reference.unrounded = all_stages<double>(widen(problem.x->data), stages, converted(problem.matrices, widen),
                                             std::move(initial), progress, [](auto&) {});
    reference.scale = std::ldexp(1.0, before_last + last);
    return reference;
}

} // namespace tensorloom::workloads
