#pragma once
#include <cstdint>
#include <random>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/device_limits.h>

namespace tensorloom::test {

/// Random devices and contractions for them; the operands have no place yet.
class random_contraction {
public:
    explicit random_contraction(unsigned seed) : m_random(seed) {}

    std::uint32_t below(std::uint32_t end) { return m_random() % end; }
    std::uint32_t from_to(std::uint32_t first, std::uint32_t last) { return first + below(last - first + 1); }
    bool coin() { return below(2) == 0; }

    fetta::device_limits device()
    {
        fetta::device_limits g;
        g.engines = 1u << 2 * from_to(1, 3);
        g.side = 1u << from_to(1, 4);
        g.bank_bytes = 4096u << below(4);
        g.accumulator_bank_bytes = 1024u << below(3);
        g.operand = coin() ? base::element_type::bf16 : base::element_type::f32;
        if (g.operand == base::element_type::bf16 && coin()) { g.psum = base::element_type::bf16; }
        return g;
    }

    /// Mapping, masks and extents.
    fetta::contract_command sizes(const fetta::device_limits& g, std::uint32_t largest)
    {
        fetta::contract_command c;
        c.mapping = below(fetta::mapping_count);
        for (std::uint32_t bit = 1; bit < g.engines; bit *= 2) {
            std::uint32_t* masks[] = {&c.mask_batch, &c.mask_contracted, &c.mask_ia, &c.mask_ib};
            *masks[below(4)] |= bit;
        }
        c.batch = from_to(1, 5);
        c.contracted = from_to(1, largest);
        c.ia_free = from_to(1, largest);
        c.ib_free = from_to(1, largest);
        return c;
    }

    /// Strides and modes of all three tensors; a linear tensor in 2 of 3 cases. Bases are these: nothing reaches below
    /// 0 from there.
    void places(fetta::contract_command& c, const fetta::device_limits& g, std::uint32_t banked_base,
                std::uint32_t linear_base)
    {
        using command = fetta::contract_command;
        const bool os = c.mapping >= 4;
        const std::uint32_t extents[3][3] = {
            {c.batch, c.contracted, c.ia_free}, {c.batch, c.contracted, c.ib_free}, {c.batch, c.ia_free, c.ib_free}};
        const std::uint16_t linear[] = {command::flag_linear_ia, command::flag_linear_ib, command::flag_linear_result};
        const std::uint16_t transpose[] = {command::flag_transpose_ia, command::flag_transpose_ib,
                                           command::flag_transpose_result};
        const bool has_rows[] = {false, !os, os};
        fetta::contract_operand* operands[] = {&c.ia, &c.ib, &c.result};
        for (int role = 0; role < 3; ++role) {
            auto& o = *operands[role];
            if (below(3) != 0) {
                c.flags |= linear[role];
                o.base = linear_base;
                unsigned next = 0;
                for (int group = 0; group < 3; ++group) {
                    next += modes(o, group, extents[role][group], next, 2 + group / 2);
                }
            } else {
                if (coin()) { c.flags |= transpose[role]; }
                o.base = banked_base;
                o.bank = below(g.engines);
                for (int n = 0; n < (has_rows[role] ? 4 : 3); ++n) { o.stride[n] = stride(); }
            }
        }
    }

    std::int32_t stride() { return static_cast<std::int32_t>(below(41)) - 20; }

private:
    unsigned modes(fetta::contract_operand& o, int group, std::uint32_t extent, unsigned next, unsigned most)
    {
        unsigned used = 0;
        for (std::uint32_t factor = 2; used + 1 < most && factor < extent; ++factor) {
            if (extent % factor == 0 && coin()) {
                o.mode[next + used++] = {factor, stride()};
                extent /= factor;
            }
        }
        if (extent > 1 || coin()) { o.mode[next + used++] = {extent, stride()}; }
        o.modes[group] = used;
        return used;
    }

    std::mt19937 m_random;
};

} // namespace tensorloom::test
