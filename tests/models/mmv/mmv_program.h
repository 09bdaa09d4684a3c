#pragma once
#include <cstdint>
#include <initializer_list>
#include <vector>
#include <tensorloom/models/arch/mmv/limits.h>
#include <tensorloom/models/arch/program/program.h>
#include <tensorloom/models/arch/program/shell_commands.h>

namespace tensorloom::test {

/// Writes programs for an MMU/VCU pair; operands are byte addresses in its scratchpad.
class mmv_program {
public:
    explicit mmv_program(const arch::mmv::limits& limits) : m_limits(limits) {}

    mmv_program& load(std::uint64_t from, std::uint32_t to, std::uint32_t words)
    {
        return transfer(arch::opcode::load, from, to, words);
    }
    mmv_program& store(std::uint32_t from, std::uint64_t to, std::uint32_t words)
    {
        return transfer(arch::opcode::store, to, from, words);
    }
    mmv_program& matmul(std::uint32_t z, std::uint32_t x, std::uint32_t r, std::uint32_t words)
    {
        return add(matmul_command(z, x, r, words));
    }
    mmv_program& vector(arch::vector::opcode code, std::uint32_t z, std::uint32_t a, std::uint32_t b, std::uint32_t n)
    {
        return add(code, vector_command(z, a, b, n));
    }
    mmv_program& charge(std::uint64_t operations)
    {
        arch::vector::strided_command s;
        s.cpu_ops = operations;
        return add(arch::mmv::opcode::charge, s);
    }
    mmv_program& loop(std::uint32_t count)
    {
        m_builder.add(arch::opcode::loop, 0, 0, arch::loop_command{count}.encode());
        return *this;
    }
    mmv_program& end()
    {
        m_builder.add(arch::opcode::end);
        return *this;
    }

    mmv_program& add(const arch::mmv::matmul_command& c)
    {
        m_builder.add(static_cast<arch::opcode>(arch::mmv::opcode::matmul), 0, 0, c.encode());
        return *this;
    }
    mmv_program& add(arch::vector::opcode code, const arch::vector::vector_command& c)
    {
        m_builder.add(static_cast<arch::opcode>(code), c.flags, 0, c.encode());
        return *this;
    }
    mmv_program& add(arch::command_code code, const arch::vector::strided_command& c)
    {
        m_builder.add(code, 0, 0, c.encode());
        return *this;
    }

    std::vector<std::uint8_t> bytes() const { return m_builder.bytes(); }

    // Dense operands.
    arch::mmv::matmul_command matmul_command(std::uint32_t z, std::uint32_t x, std::uint32_t r,
                                             std::uint32_t words) const
    {
        const auto side = static_cast<std::int32_t>(m_limits.side);
        arch::mmv::matmul_command m;
        m.result = {z, side, {}};
        m.left = {x, side, {}};
        m.weights = {r, side, {}};
        m.words = words;
        m.left_columns = m.result_columns = m_limits.side;
        return m;
    }
    static arch::vector::vector_command vector_command(std::uint32_t z, std::uint32_t a, std::uint32_t b,
                                                       std::uint32_t n)
    {
        arch::vector::vector_command v;
        v.result.address = z;
        v.a.address = a;
        v.b.address = b;
        v.length = n;
        return v;
    }

private:
    mmv_program& transfer(arch::opcode code, std::uint64_t memory, std::uint32_t local, std::uint32_t words)
    {
        arch::transfer_command t;
        t.tensor = arch::dense_descriptor(memory, m_limits.word(), {words});
        t.local = local;
        m_builder.add(code, 0, 0, t.encode());
        return *this;
    }

    arch::mmv::limits m_limits;
    arch::program_builder m_builder;
};

} // namespace tensorloom::test
