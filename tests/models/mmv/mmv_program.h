#pragma once
#include <cstdint>
#include <tensorloom/models/mmv/isa/limits.h>
#include "models/device_program.h"

namespace tensorloom::test {

/// Writes programs for an MMU/VCU pair; operands are byte addresses in its scratchpad.
class mmv_program : public device_program<mmv_program> {
public:
    using device_program::add;

    explicit mmv_program(const mmv::limits& limits) : m_limits(limits) {}

    mmv_program& load(std::uint64_t from, std::uint32_t to, std::uint32_t words)
    {
        return transfer(isa::opcode::load, from, to, m_limits.word(), words);
    }
    mmv_program& store(std::uint32_t from, std::uint64_t to, std::uint32_t words)
    {
        return transfer(isa::opcode::store, to, from, m_limits.word(), words);
    }
    mmv_program& matmul(std::uint32_t z, std::uint32_t x, std::uint32_t r, std::uint32_t words)
    {
        return add(matmul_command(z, x, r, words));
    }
    mmv_program& vector(isa::vector::opcode code, std::uint32_t z, std::uint32_t a, std::uint32_t b, std::uint32_t n)
    {
        return add(code, vector_command(z, a, b, n));
    }
    mmv_program& charge(std::uint64_t operations)
    {
        isa::vector::strided_command s;
        s.cpu_ops = operations;
        return add(mmv::opcode::charge, s);
    }

    mmv_program& add(const mmv::matmul_command& c) { return add(mmv::opcode::matmul, c.encode()); }
    mmv_program& add(isa::vector::opcode code, const isa::vector::vector_command& c)
    {
        return add(code, c.encode(), c.flags);
    }
    mmv_program& add(isa::command_code code, const isa::vector::strided_command& c) { return add(code, c.encode()); }

    // Dense operands.
    mmv::matmul_command matmul_command(std::uint32_t z, std::uint32_t x, std::uint32_t r, std::uint32_t words) const
    {
        const auto side = static_cast<std::int32_t>(m_limits.side);
        mmv::matmul_command m;
        m.result = {z, side, {}};
        m.left = {x, side, {}};
        m.weights = {r, side, {}};
        m.words = words;
        m.left_columns = m.result_columns = m_limits.side;
        return m;
    }
    static isa::vector::vector_command vector_command(std::uint32_t z, std::uint32_t a, std::uint32_t b,
                                                      std::uint32_t n)
    {
        isa::vector::vector_command v;
        v.result.address = z;
        v.a.address = a;
        v.b.address = b;
        v.length = n;
        return v;
    }

private:
    mmv::limits m_limits;
};

} // namespace tensorloom::test
