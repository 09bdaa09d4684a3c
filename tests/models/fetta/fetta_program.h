#pragma once
#include <cstdint>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/isa/vector/instruction_set.h>
#include <tensorloom/models/isa/vector/vector_command.h>
#include "models/device_program.h"

namespace tensorloom::test {

/// Writes programs for a FETTA. LOAD and STORE move words of float32 in the order of their window, counted from its
/// beginning.
class fetta_program : public device_program<fetta_program> {
public:
    explicit fetta_program(const fetta::device_limits& g) : m_limits(g) {}

    fetta_program& load(std::uint64_t from, std::uint32_t to, std::uint32_t words)
    {
        return transfer(isa::opcode::load, from, local(to), base::element_type::f32, words);
    }
    fetta_program& store(std::uint32_t from, std::uint64_t to, std::uint32_t words)
    {
        return transfer(isa::opcode::store, to, local(from), base::element_type::f32, words);
    }
    fetta_program& contract(const fetta::contract_command& c)
    {
        return add(fetta::opcode::contract, c.encode(), c.flags);
    }
    /// Words at z, a and b, counted as above.
    fetta_program& vector(isa::vector::opcode code, std::uint32_t z, std::uint32_t a, std::uint32_t b, std::uint32_t n)
    {
        isa::vector::vector_command v;
        v.result.address = 4 * z;
        v.a.address = 4 * a;
        v.b.address = 4 * b;
        v.length = n;
        return add(code, v.encode(), v.flags);
    }

    /// Y[m,n] = X[m,k] W[k,n] by WS-V, K over two engines and N over the others; linear operands that begin at these
    /// elements of their types, a float32 result.
    static fetta::contract_command product(const fetta::device_limits& g, std::uint32_t y, std::uint32_t x,
                                           std::uint32_t w, std::uint32_t m, std::uint32_t k, std::uint32_t n)
    {
        using fetta::contract_command;
        const auto stride = [](std::uint32_t s) { return static_cast<std::int32_t>(s); };
        contract_command c;
        c.flags =
            contract_command::flag_linear_ia | contract_command::flag_linear_ib | contract_command::flag_linear_result;
        c.contracted = k, c.ia_free = m, c.ib_free = n;
        c.mask_contracted = 1, c.mask_ib = g.engines - 2;
        c.ia.base = x, c.ia.modes = {0, 1, 1}, c.ia.mode[0] = {k, 1}, c.ia.mode[1] = {m, stride(k)};
        c.ib.base = w, c.ib.modes = {0, 1, 1}, c.ib.mode[0] = {k, stride(n)}, c.ib.mode[1] = {n, 1};
        c.result.base = y, c.result.modes = {0, 1, 1}, c.result.mode[0] = {m, stride(n)}, c.result.mode[1] = {n, 1};
        return c;
    }
    /// Rows of IA in bank 0 and on, IB and result behind; one batch index per engine. 12 steps, 3 contracted tiles.
    static fetta::contract_command banked(const fetta::device_limits& g, fetta::mapping how)
    {
        fetta::contract_command c;
        c.mapping = static_cast<std::uint32_t>(how);
        c.batch = g.engines, c.contracted = 12, c.ia_free = 12, c.ib_free = g.side;
        c.mask_batch = g.engines - 1;
        const bool output_stationary = fetta::is_output_stationary(how);
        c.ia.stride =
            output_stationary ? std::array<std::int32_t, 4>{0, 3, 1, 0} : std::array<std::int32_t, 4>{0, 12, 1, 0};
        c.ib.base = 64;
        c.ib.stride = output_stationary ? std::array<std::int32_t, 4>{0, 1, 0, 0}
                                        : std::array<std::int32_t, 4>{0, stride_of_tile(g), 0, 1};
        c.result.base = 64;
        c.result.stride = output_stationary ? std::array<std::int32_t, 4>{0, stride_of_tile(g), 0, 1}
                                            : std::array<std::int32_t, 4>{0, 1, 0, 0};
        return c;
    }

private:
    static std::int32_t stride_of_tile(const fetta::device_limits& g) { return static_cast<std::int32_t>(g.side); }

    std::uint64_t local(std::uint32_t word) const { return m_limits.memory_bytes() + 4 * std::uint64_t{word}; }

    fetta::device_limits m_limits;
};

} // namespace tensorloom::test
