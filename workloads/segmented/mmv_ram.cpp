#include <tensorloom/workloads/segmented/mmv_ram.h>
#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <tensorloom/workloads/mmv/word_values.h>

namespace tensorloom::workloads {
namespace {

using isa::vector::opcode;

isa::vector::vector_operand operand(const vector_view& view)
{
    isa::vector::vector_operand o;
    o.address = view.array.address;
    o.shift = view.shift;
    return o;
}

std::uint32_t as_length(std::uint64_t n) { return static_cast<std::uint32_t>(n); }

isa::vector::vector_command command(const mmv_array& z, std::uint64_t length, const vector_view& a,
                                    const vector_view& b = {}, const vector_view& c = {})
{
    isa::vector::vector_command v;
    v.result = operand(z);
    v.a = operand(a);
    v.b = operand(b);
    v.c = operand(c);
    v.length = as_length(length);
    return v;
}

isa::vector::strided_command along(const mmv_array& z)
{
    isa::vector::strided_command c;
    c.result.address = z.address;
    c.result.stride = {0, 0, 1};
    c.size = {1, 1, as_length(z.elements)};
    return c;
}

isa::vector::strided_operand strided(const mmv_array& a)
{
    isa::vector::strided_operand o;
    o.address = a.address;
    o.stride = {0, 0, 1};
    return o;
}

std::vector<std::int64_t> values_of(constant_matrix which, std::uint64_t s)
{
    std::vector<std::int64_t> m(s * s);
    for (std::uint64_t i = 0; i < s; ++i) {
        for (std::uint64_t j = 0; j < s; ++j) {
            std::int64_t& v = m[i * s + j];
            switch (which) {
            case constant_matrix::prefix: v = i <= j; break;
            case constant_matrix::carry: v = i == j || i == 0; break;
            case constant_matrix::difference: v = i == j ? 1 : i + 1 == j ? -1 : 0; break;
            case constant_matrix::ones: v = 1; break;
            case constant_matrix::strictly_lower: v = i > j; break;
            }
        }
    }
    return m;
}

} // namespace

mmv_array slice(const mmv_array& array, std::uint64_t first, std::uint64_t elements)
{
    mmv_array part = array.from(first);
    part.elements = elements;
    return part;
}

void written_range::include(const std::vector<std::int64_t>& values)
{
    for (const std::int64_t v : values) {
        least = std::min(least, v);
        most = std::max(most, v);
    }
}

unsigned written_range::bits() const
{
    unsigned sign_and_more = 1;
    for (auto rest = static_cast<std::uint64_t>(std::max(most, -(least + 1))); rest > 0; rest /= 2) { ++sign_and_more; }
    return sign_and_more;
}

mmv_ram::mmv_ram(mmv_session& session, const std::vector<constant_matrix>& constants, written_range* written)
    : m_builder(session), m_written(written)
{
    if (written != nullptr && !has(isa::vector::functional_block::revert)) {
        throw std::logic_error("a STORE in the loop of REVERT keeps its last round alone");
    }
    for (const constant_matrix which : constants) {
        const mmv_array place = m_builder.elements(std::uint64_t{side()} * side());
        m_builder.load(place, values_of(which, side()));
        m_constants.emplace(which, place);
    }
}

void mmv_ram::wrote(const mmv_array& z)
{
    if (m_written == nullptr) { return; }
    m_builder.store<std::int64_t>(z, [this](const std::vector<std::int64_t>& values) { m_written->include(values); });
}

const mmv_array& mmv_ram::constant(constant_matrix which) const { return m_constants.at(which); }

void mmv_ram::matmul(const mmv_array& z, const mmv_array& x, const mmv_array& weights)
{
    matmul_columns(z, x, side(), side(), weights);
}

void mmv_ram::matmul_columns(const mmv_array& z, const mmv_array& x, std::uint64_t stride, std::uint64_t columns,
                             const mmv_array& weights)
{
    mmv::matmul_command c;
    c.result.address = z.address;
    c.left.address = x.address;
    c.weights.address = weights.address;
    c.result.row_stride = c.weights.row_stride = static_cast<std::int32_t>(side());
    c.left.row_stride = static_cast<std::int32_t>(stride);
    c.words = as_length(z.elements);
    c.left_columns = as_length(columns);
    c.result_columns = side();
    m_builder.add(c);
    wrote(z);
}

void mmv_ram::element_wise(opcode code, const mmv_array& z, const vector_view& a, const vector_view& b)
{
    m_builder.add(code, command(z, z.elements, a, b));
    wrote(z);
}

void mmv_ram::block_wise(opcode code, const mmv_array& z, std::uint64_t length, const vector_view& a,
                         const vector_view& b, std::uint64_t block)
{
    auto c = command(z, length, a, b);
    c.block = block == 0 ? side() : as_length(block);
    m_builder.add(code, c);
    wrote(z);
}

void mmv_ram::by_table(opcode code, const mmv_array& z, std::uint64_t length, const mmv_array& table,
                       const vector_view& a, const vector_view& b, const vector_view& third)
{
    auto c = command(z, length, a, b, third);
    c.table = as_length(table.elements);
    m_builder.add(code, c);
    wrote(z);
}

void mmv_ram::bit(const mmv_array& z, const vector_view& a, unsigned which)
{
    auto c = command(z, z.elements, a);
    c.bits = which;
    m_builder.add(opcode::bit, c);
    wrote(z);
}

void mmv_ram::with_word(opcode code, const mmv_array& z, const vector_view& a, const mmv_array& word)
{
    auto c = command(z, z.elements, a, word);
    c.flags = isa::vector::vector_command::flag_broadcast_b;
    m_builder.add(code, c);
    wrote(z);
}

void mmv_ram::sub_next_word(const mmv_array& z, const vector_view& a, const mmv_array& word)
{
    auto c = command(z, z.elements, a, word);
    c.b.step[0] = static_cast<std::int32_t>(limits().word_bytes());
    c.flags = isa::vector::vector_command::flag_broadcast_b;
    m_builder.add(op::sub, c);
    wrote(z);
}

void mmv_ram::spread_next(const mmv_array& z, const mmv_array& word)
{
    auto c = command(z, z.elements, {}, word);
    c.b.step[0] = static_cast<std::int32_t>(limits().word_bytes());
    c.flags = isa::vector::vector_command::flag_zero_a | isa::vector::vector_command::flag_broadcast_b;
    m_builder.add(opcode::add, c);
    wrote(z);
}

void mmv_ram::scatter_last_into_zeros(const mmv_array& z, const mmv_array& b, std::uint64_t block)
{
    auto c = command(z, z.elements, {}, b);
    c.block = block == 0 ? side() : as_length(block);
    c.flags = isa::vector::vector_command::flag_zero_a;
    m_builder.add(opcode::scatter_last, c);
    wrote(z);
}

void mmv_ram::expand(const mmv_array& z, const mmv_array& a, const mmv_array& b, std::uint64_t block, unsigned bits)
{
    auto c = command(z, a.elements, a, b);
    c.block = as_length(block);
    c.bits = bits;
    m_builder.add(opcode::expand, c);
    wrote(z);
}

void mmv_ram::repl(const mmv_array& z, const mmv_array& a, const std::array<std::uint64_t, 3>& size,
                   const std::array<std::uint64_t, 3>& stride, const std::array<std::uint64_t, 3>& valid)
{
    isa::vector::strided_command c;
    c.result.address = z.address;
    c.a.address = a.address;
    std::uint64_t apart = 1; // of neighbours in z
    for (unsigned mode = 3; mode-- > 0;) {
        c.size[mode] = as_length(size[mode]);
        c.valid[mode] = as_length(valid[mode]);
        c.a.stride[mode] = static_cast<std::int32_t>(stride[mode]);
        c.result.stride[mode] = static_cast<std::int32_t>(apart);
        apart *= size[mode];
    }
    m_builder.add(opcode::repl, c);
    wrote(z);
}

void mmv_ram::set(const mmv_array& z, std::int64_t number)
{
    auto c = along(z);
    const auto bytes = to_bytes(std::vector<std::int64_t>{number}, limits().word());
    std::memcpy(c.immediate.data(), bytes.data(), bytes.size());
    m_builder.add(mmv::opcode::set, c);
    wrote(z);
}

void mmv_ram::move(const mmv_array& z, const mmv_array& a)
{
    auto c = along(z);
    c.a = strided(a);
    m_builder.add(mmv::opcode::move, c);
    wrote(z);
}

void mmv_ram::scalar_add(const mmv_array& z, const mmv_array& a, const mmv_array& b)
{
    auto c = along(z);
    c.a = strided(a);
    c.b = strided(b);
    m_builder.add(mmv::opcode::s_add, c);
    wrote(z);
}

template <class T> segmented_result<T> mmv_ram::finish(const mmv_array& values)
{
    segmented_result<T> result;
    m_builder.store(values, result.values);
    m_builder.run();
    static_cast<session_costs&>(result) = m_builder.costs();
    return result;
}

template segmented_result<std::int64_t> mmv_ram::finish(const mmv_array&);
template segmented_result<double> mmv_ram::finish(const mmv_array&);

} // namespace tensorloom::workloads
