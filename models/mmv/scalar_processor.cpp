#include <tensorloom/models/mmv/scalar_unit.h>
#include <array>
#include <complex>
#include <cstring>
#include <type_traits>
#include <tensorloom/models/arithmetic/word_operations.h>
#include <tensorloom/models/blocks/strided_words.h>

namespace tensorloom::mmv {

using isa::vector::strided_command;

namespace {

/// Blocks of a matrix in the scratchpad in a step of elimination or closure: z is rows x columns; the inner update of
/// z[i][j] in step t uses left[i][t] and right[t][j]. Any of them may be z, whose elements change during the steps.
template <class W> struct block_triple {
    blocks::strided_words<W> z, left, right;
    std::uint32_t rows = 0, columns = 0;
};

/// Gaussian elimination, forward. Source: (m,l)-TCU (arXiv 1908.06649), theorem 4, with the sign corrected.
///
///     z[i][j] = z[i][j] - (left[i][t] * right[t][j]) / pivots[t][t]      t < steps; all i, or i > t; all j, or j > t
///
/// One product, one quotient, one difference, each rounded. Returns the updates.
template <class W>
std::uint64_t eliminate(const block_triple<W>& b, const blocks::strided_words<W>& pivots, std::uint32_t steps,
                        bool all_rows, bool all_columns)
{
    std::uint64_t updates = 0;
    for (std::uint32_t t = 0; t < steps; ++t) {
        const auto pivot = pivots(0, t);
        const auto right = b.right(0, t);
        for (std::uint32_t i = all_rows ? 0 : t + 1; i < b.rows; ++i) {
            const auto left = b.left(0, i);
            const auto z = b.z(0, i);
            for (std::uint32_t j = all_columns ? 0 : t + 1; j < b.columns; ++j, ++updates) {
                z[j] = arithmetic::canonical(z[j] - (left[t] * right[j]) / pivot[t]);
            }
        }
    }
    return updates;
}

/// Transitive closure of flags. Source: (m,l)-TCU (arXiv 1908.06649), theorem 5.
///
///     z[i][j] = z[i][j] or (left[i][t] and right[t][j])      t < steps, all i, j
///
/// Returns the updates.
template <class W> std::uint64_t close(const block_triple<W>& b, std::uint32_t steps)
{
    for (std::uint32_t t = 0; t < steps; ++t) {
        const auto right = b.right(0, t);
        for (std::uint32_t i = 0; i < b.rows; ++i) {
            const auto left = b.left(0, i);
            const auto z = b.z(0, i);
            for (std::uint32_t j = 0; j < b.columns; ++j) {
                z[j] = W(z[j] != W(0) || (left[t] != W(0) && right[j] != W(0)) ? 1 : 0);
            }
        }
    }
    return std::uint64_t{steps} * b.rows * b.columns;
}

template <class W> class word_processor : public scalar_processor {
public:
    explicit word_processor(memory::scratchpad_if& pad) : m_pad(pad) {}

    work execute(opcode code, const strided_command& c) override
    {
        m_size = c.size;
        m_z = {m_pad, c.result};
        m_a = {m_pad, c.a};
        m_b = {m_pad, c.b};
        m_done = {};
        auto& over = m_done.overflowed;
        switch (code) {
        case opcode::charge: break;
        case opcode::set: {
            W word{};
            std::memcpy(static_cast<void*>(&word), c.immediate.data(), sizeof word);
            update(0, [&](W&, const W&, const W&) { return word; });
            break;
        }
        case opcode::move: update(1, [](W&, const W& a, const W&) { return a; }); break;
        case opcode::s_add:
            update(2, [&](W&, const W& a, const W& b) { return arithmetic::word_sum(a, b, over); });
            break;
        case opcode::s_sub:
            update(2, [&](W&, const W& a, const W& b) { return arithmetic::word_difference(a, b, over); });
            break;
        case opcode::s_mul:
            update(2, [&](W&, const W& a, const W& b) { return arithmetic::word_product(a, b, over); });
            break;
        case opcode::s_mac:
            update(3, [&](W& z, const W& a, const W& b) { return arithmetic::word_mac(z, a, b, over); });
            break;
        default:
            if constexpr (!std::is_same_v<W, std::complex<double>>) { execute_real(code, c); }
            break;
        }
        return m_done;
    }

private:
    using strided = blocks::strided_words<W>;

    // z[i][j][k] = operation(z, a, b) for all elements, with `reads` words read per element.
    template <class Operation> void update(std::uint64_t reads, const Operation& operation)
    {
        for (std::uint64_t i = 0; i < m_size[0]; ++i) {
            for (std::uint64_t j = 0; j < m_size[1]; ++j) {
                const auto z = m_z(i, j), a = m_a(i, j), b = m_b(i, j);
                for (std::uint64_t k = 0; k < m_size[2]; ++k) { z[k] = operation(z[k], a[k], b[k]); }
            }
        }
        m_z.note_written(m_pad, {0, 0, 0}, m_size);
        const std::uint64_t elements = std::uint64_t{m_size[0]} * m_size[1] * m_size[2];
        m_done.reads = reads * elements;
        m_done.writes = elements;
    }

    // Instructions that do not exist in complex formats.
    void execute_real(opcode code, const strided_command& c)
    {
        switch (code) {
        case opcode::s_add_clamped:
            update(2, [&](W&, const W& a, const W& b) {
                const W sum = arithmetic::word_sum(a, b, m_done.overflowed);
                return W(1) < sum ? W(1) : sum;
            });
            break;
        case opcode::s_positive: update(1, [](W&, const W& a, const W&) { return W(W(0) < a ? 1 : 0); }); break;
        case opcode::s_less: update(2, [](W&, const W& a, const W& b) { return W(a < b ? 1 : 0); }); break;
        case opcode::close_diagonal: count_closure(close<W>({m_z, m_z, m_z, m_size[1], m_size[2]}, m_size[1])); break;
        case opcode::close_row: count_closure(close<W>({m_z, m_a, m_z, m_size[1], m_size[2]}, m_size[1])); break;
        case opcode::close_column: count_closure(close<W>({m_z, m_z, m_a, m_size[1], m_size[2]}, m_size[2])); break;
        default:
            if constexpr (std::is_integral_v<W>) { execute_integer(code, c); }
            if constexpr (std::is_floating_point_v<W>) { eliminate_block(code); }
            break;
        }
    }
    void count_closure(std::uint64_t updates)
    {
        m_z.note_written(m_pad, {0, 0, 0}, m_size);
        m_done.reads = 3 * updates;
        m_done.writes = updates;
    }

    void execute_integer(opcode code, const strided_command& c)
    {
        const auto number = static_cast<W>(c.immediate[0]);
        switch (code) {
        case opcode::s_mul_mod:
            update(2, [&](W&, const W& a, const W& b) { return arithmetic::word_remainder(W(0), a, b, number); });
            break;
        case opcode::s_mac_mod:
            update(3, [&](W& z, const W& a, const W& b) { return arithmetic::word_remainder(z, a, b, number); });
            break;
        case opcode::s_carry: {
            W carry = 0;
            std::uint32_t left = m_size[2]; // digits of the number
            update(1, [&](W&, const W& a, const W&) {
                const W sum = arithmetic::word_sum(a, carry, m_done.overflowed);
                if (--left == 0) { return sum; }
                carry = sum >> number;
                return static_cast<W>(sum & ((W(1) << number) - 1));
            });
            break;
        }
        default: break;
        }
    }

    void eliminate_block(opcode code)
    {
        const std::uint32_t rows = m_size[1], columns = m_size[2];
        std::uint32_t first_row = 1, first_column = 1; // that are written
        std::uint64_t updates = 0;
        std::uint64_t quotients = 0;
        if (code == opcode::eliminate_diagonal) {
            updates = eliminate<W>({m_z, m_z, m_z, rows, columns}, m_z, rows - 1, false, false);
        } else if (code == opcode::eliminate_row) {
            updates = eliminate<W>({m_z, m_a, m_z, rows, columns}, m_a, rows - 1, false, true);
            quotients = divide_rows();
            first_column = 0;
        } else {
            updates = eliminate<W>({m_z, m_z, m_a, rows, columns}, m_a, columns, true, false);
            first_row = 0;
        }
        m_z.note_written(m_pad, {0, first_row, first_column}, m_size);
        m_done.reads = 4 * updates + 2 * quotients;
        m_done.writes = updates + quotients;
    }
    // b[i][j] = -z[i][j] / a[i][i]
    std::uint64_t divide_rows()
    {
        for (std::uint32_t i = 0; i < m_size[1]; ++i) {
            const auto z = m_z(0, i), a = m_a(0, i), b = m_b(0, i);
            for (std::uint32_t j = 0; j < m_size[2]; ++j) { b[j] = arithmetic::canonical(-z[j] / a[i]); }
        }
        m_b.note_written(m_pad, {0, 0, 0}, m_size);
        return std::uint64_t{m_size[1]} * m_size[2];
    }

    memory::scratchpad_if& m_pad;

    // current instruction
    std::array<std::uint32_t, 3> m_size{};
    strided m_z, m_a, m_b;
    work m_done;
};

} // namespace

std::unique_ptr<scalar_processor> make_scalar_processor(base::element_type word, memory::scratchpad_if& pad)
{
    return base::with_element<double, float, std::complex<double>, std::int32_t, std::int64_t>(
        word, [&](auto element) -> std::unique_ptr<scalar_processor> {
            return std::make_unique<word_processor<decltype(element)>>(pad);
        });
}

} // namespace tensorloom::mmv
