#include <tensorloom/workloads/training/layers/layer_operations.h>

namespace tensorloom::workloads {

using isa::vector::opcode;

std::size_t row_norm_operations::forward(step_builder& to, std::size_t x)
{
    const auto means = mean(to, x, "mean" + m_of);
    const auto wide = to.spread({means}, m_rows, m_width, "repeat the mean" + m_of);
    m_normal = to.made_of(opcode::sub, "X less its mean" + m_of, {tensor_part{x}, tensor_part{wide}, {}}, all());
    const tensor_part n{m_normal};
    const auto squares = to.made_of(opcode::mul, "squares" + m_of, {n, n, {}}, all());
    m_root = mean(to, squares, "variance" + m_of);
    const tensor_part root{m_root};
    to.by_word(opcode::add, root, root, to.literal(m_epsilon), m_rows, "variance and epsilon" + m_of);
    to.vector(opcode::sqrt, root, {root, {}, {}}, m_rows, "root of the variance" + m_of);
    divide_by_root(to, m_normal, "normal X" + m_of);
    const auto gamma = to.repeated(to.master(m_gamma), m_rows, m_width, "repeat gamma" + m_of);
    const auto y = to.made_of(opcode::mul, "times gamma" + m_of, {n, tensor_part{gamma}, {}}, all());
    const auto beta = to.repeated(to.master(m_beta), m_rows, m_width, "repeat beta" + m_of);
    to.vector(opcode::add, {y}, {tensor_part{y}, tensor_part{beta}, {}}, all(), "norm" + m_of);
    return y;
}

// The gradient of gamma is dy times normal x, that of beta dy, summed over the rows.
void row_norm_operations::make_gradients(step_builder& to, std::size_t dy)
{
    to.enter(step_phase::wg);
    const auto product = times_normal(to, dy, "dY times normal X" + m_of);
    sum_rows(to, product, m_gamma, "gradient of gamma" + m_of);
    sum_rows(to, dy, m_beta, "gradient of beta" + m_of);
    to.enter(step_phase::bp);
}

// With g = gamma dy and n = normal x: (g - mean of g - n (mean of g n)) / root
std::size_t row_norm_operations::backward(step_builder& to, std::size_t dy)
{
    const auto gamma = to.repeated(to.master(m_gamma), m_rows, m_width, "repeat gamma" + m_of);
    const auto g = to.made_of(opcode::mul, "dY times gamma" + m_of, {tensor_part{dy}, tensor_part{gamma}, {}}, all());
    const auto along = mean(to, times_normal(to, g, "that times normal X" + m_of), "mean along normal X" + m_of);
    const auto means = mean(to, g, "mean of dY times gamma" + m_of);
    const auto subtract = [&](std::size_t part, const char* what) {
        to.vector(opcode::sub, {g}, {tensor_part{g}, tensor_part{part}, {}}, all(), what + m_of);
    };
    subtract(to.spread({means}, m_rows, m_width, "repeat that mean" + m_of), "less its mean");
    const auto wide = to.spread({along}, m_rows, m_width, "repeat the mean along normal X" + m_of);
    subtract(times_normal(to, wide, "part along normal X" + m_of), "less that part");
    divide_by_root(to, g, "gradient of norm" + m_of);
    return g;
}

std::size_t row_norm_operations::mean(step_builder& to, std::size_t of, const std::string& called) const
{
    const auto z = to.by_block(opcode::sum_block, called, of, m_rows, m_width);
    to.by_word(opcode::mul, {z}, {z}, to.literal(1 / static_cast<float>(m_width)), m_rows, called);
    return z;
}

std::size_t row_norm_operations::times_normal(step_builder& to, std::size_t of, const std::string& called) const
{
    return to.made_of(opcode::mul, called, {tensor_part{of}, tensor_part{m_normal}, {}}, all());
}

void row_norm_operations::divide_by_root(step_builder& to, std::size_t x, const std::string& what) const
{
    const auto wide = to.spread({m_root}, m_rows, m_width, "repeat the root" + m_of);
    to.vector(opcode::div, {x}, {tensor_part{x}, tensor_part{wide}, {}}, all(), what);
}

// Adds the second half of the rows to the first, until there is one row; of an odd number the first half has one more,
// to which nothing is added.
void row_norm_operations::sum_rows(step_builder& to, std::size_t of, std::size_t parameter,
                                   const std::string& called) const
{
    const std::uint64_t most = (m_rows + 1) / 2;
    const tensor_part sums{to.words("rows for the " + called, most * m_width)};
    const auto copy_row = [&](tensor_part z, tensor_part row) {
        to.add("row for the " + called, copy_operation{z, row, {1, 1, m_width}, {0, 0, 1}, {0, 0, 1}});
    };
    if (m_rows == 1) { copy_row(to.gradient(parameter), {of}); }
    if (m_rows % 2 == 1 && m_rows > 1) { copy_row({sums.tensor, (most - 1) * m_width}, {of, (most - 1) * m_width}); }
    std::size_t from = of;
    for (std::uint64_t rows = m_rows, half = most; rows > 1; rows = half, half = (rows + 1) / 2) {
        to.vector(opcode::add, half == 1 ? to.gradient(parameter) : sums,
                  {tensor_part{from}, tensor_part{from, half * m_width}, {}}, (rows - half) * m_width,
                  half == 1 ? called : "rows for the " + called);
        from = sums.tensor;
    }
    to.add_gradient(parameter);
}

} // namespace tensorloom::workloads
