#include "support/fetta_reference_places.h"
#include "support/reference_failure.h"

namespace tensorloom::test {

using base::element_type;
using fetta::contract_command;
using isa::error_code;
using number = std::uint64_t;

number bits_under(number mask, number from)
{
    number part = 0, to = 0;
    for (number bit = 0; bit < 64; ++bit) {
        if ((mask >> bit & 1) != 0) { part |= (from >> bit & 1) << to++; }
    }
    return part;
}

number bits_to(number mask, number part)
{
    number to = 0, from = 0;
    for (number bit = 0; bit < 64; ++bit) {
        if ((mask >> bit & 1) != 0) { to |= (part >> from++ & 1) << bit; }
    }
    return to;
}

number parts_of(number mask) { return number{1} << __builtin_popcountll(mask); }

const fetta::contract_operand& fetta_reference_places::operand(reference_stream s) const
{
    return s == reference_stream::ia ? m_c.ia : s == reference_stream::ib ? m_c.ib : m_c.result;
}

element_type fetta_reference_places::type(reference_stream s) const
{
    return s == reference_stream::result ? m_c.result_type() : m_g.operand;
}

bool fetta_reference_places::linear(reference_stream s) const
{
    return m_c.has(static_cast<std::uint16_t>(contract_command::flag_linear_ia << static_cast<unsigned>(s)));
}

number fetta_reference_places::shared_mask(reference_stream s) const
{
    return s == reference_stream::ia ? m_c.mask_ib : s == reference_stream::ib ? m_c.mask_ia : m_c.mask_contracted;
}

std::int64_t fetta_reference_places::position(reference_stream s, const std::array<number, 4>& at) const
{
    std::int64_t sum = 0;
    for (std::size_t l = 0; l < at.size(); ++l) {
        sum += static_cast<std::int64_t>(at[l]) * std::int64_t{operand(s).stride[l]};
    }
    return sum;
}

number fetta_reference_places::port(reference_stream s, number engine, const std::array<number, 4>& at) const
{
    const number mask = shared_mask(s);
    if (linear(s)) { return engine & ~mask; }
    const number index = operand(s).bank ^ bits_to(mask, static_cast<number>(position(s, at)) % parts_of(mask));
    const number p = (engine & ~mask) ^ index;
    if (!m_c.has(static_cast<std::uint16_t>(contract_command::flag_transpose_ia << static_cast<unsigned>(s)))) {
        return p;
    }
    const number half = m_g.index_bits() / 2;
    return p >> half | (p & ((number{1} << half) - 1)) << half;
}

reference_row fetta_reference_places::banked_place(reference_stream s, number engine,
                                                   const std::array<number, 4>& at) const
{
    const std::int64_t where = position(s, at);
    const auto shares = static_cast<std::int64_t>(parts_of(shared_mask(s)));
    const std::int64_t beyond = where >= 0 ? where / shares : -((-where + shares - 1) / shares);
    return {port(s, engine, at), std::int64_t{operand(s).base} + beyond};
}

std::pair<reference_row, number> fetta_reference_places::linear_place(reference_stream s,
                                                                      const reference_element& e) const
{
    const auto& o = operand(s);
    std::int64_t at = o.base;
    std::size_t mode = 0;
    for (std::size_t group = 0; group < 3; ++group) {
        number flat = e.group[group];
        for (std::size_t m = mode + o.modes[group]; m-- > mode;) {
            require(o.mode[m].size != 0, error_code::bad_field, "mode");
            at += static_cast<std::int64_t>(flat % o.mode[m].size) * std::int64_t{o.mode[m].stride};
            flat /= o.mode[m].size;
        }
        require(flat == 0, error_code::bad_field, "modes");
        mode += o.modes[group];
    }
    require(at >= 0, error_code::too_large, "element outside of the unified memory");
    const auto row = static_cast<number>(at) / m_g.side;
    return {{row % m_g.engines, static_cast<std::int64_t>(row / m_g.engines)}, static_cast<number>(at) % m_g.side};
}

} // namespace tensorloom::test
