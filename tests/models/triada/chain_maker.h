#pragma once
#include <algorithm>
#include <vector>
#include "models/triada/chain_case.h"
#include "models/triada/random_case.h"

namespace tensorloom::test {

/// Draws chains on a mesh: products of any sizes and pointwise work, mostly on what the step before left in the cells.
template <class T> class chain_maker {
public:
    /// `side_moves`: products load the next tensor and store the previous one beside their work.
    chain_maker(std::uint64_t seed, const shape3& mesh, bool side_moves = false)
        : m_maker(seed), m_mesh(mesh), m_side_moves(side_moves)
    {}

    /// A chain of a program or several. Some end with a tensor in the cells.
    std::vector<chain_step<T>> make(unsigned steps, case_maker::specials kind)
    {
        std::vector<chain_step<T>> chain;
        std::optional<shape3> held, next;
        for (unsigned i = 0; i < steps; ++i) {
            chain.push_back(m_maker.chance(0.5) ? product(held, next, kind) : pointwise(held, kind));
            auto& step = chain.back();
            step.begins_program = m_maker.chance(0.15);
            step.hold = m_maker.chance(i + 1 < steps ? 0.85 : 0.3);
            if (step.from != tensor_place::held) { next.reset(); }
            if (step.next) { next = step.next->shape; }
            held.reset();
            if (step.hold) { held = step.result_shape(); }
        }
        return chain;
    }

    /// The cells have lost the operand that they kept.
    void forget_operand() { m_resident.reset(); }

private:
    using specials = case_maker::specials;

    // Mostly on what is held; else that may be stored beside the work on another tensor.
    chain_step<T> product(const std::optional<shape3>& held, const std::optional<shape3>& next, specials kind)
    {
        chain_step<T> step;
        if (next && m_maker.chance(0.6)) {
            step.from = tensor_place::next;
        } else if (held && m_maker.chance(0.8)) {
            step.from = tensor_place::held;
        }
        const bool moves = m_side_moves && held;
        if (moves && step.from == tensor_place::next) {
            step.previous = previous_tensor{*held, m_maker.chance(0.5)};
        } else if (moves && step.from == tensor_place::memory && m_maker.chance(0.5)) {
            step.previous = previous_tensor{*held, m_maker.chance(0.5)};
        }
        const auto in_cells = step.from == tensor_place::next ? next : held;
        const bool loads = step.from == tensor_place::memory;
        step.product = m_maker.make_any<T>(m_mesh, kind, loads ? std::nullopt : in_cells);
        step.product.double_buffer = false;
        if (!loads) { step.product.x.clear(); }
        if (step.previous) { step.product.initial.clear(); } // one place for both
        const bool next_stays = next && step.from == tensor_place::held;
        if (m_side_moves && !next_stays && m_maker.chance(0.4)) {
            auto& n = step.next.emplace();
            n.shape = corner();
            n.x = m_maker.numbers<T>(volume(n.shape), kind);
        }
        return step;
    }

    shape3 corner()
    {
        shape3 s{};
        for (unsigned m = 0; m < 3; ++m) { s[m] = 1 + m_maker.below(m_mesh[m]); }
        return s;
    }

    chain_step<T> pointwise(const std::optional<shape3>& held, specials kind)
    {
        chain_step<T> step;
        auto& p = step.pointwise.emplace();
        p.work = static_cast<pointwise_work>(1 + m_maker.below(is_complex ? 4 : 5));
        if (held && m_maker.chance(0.95)) {
            p.shape = *held;
            step.from = tensor_place::held;
        } else {
            p.shape = corner();
            p.x = m_maker.numbers<T>(volume(p.shape), kind);
        }
        if (p.takes_operand() && !(m_resident == p.shape && m_maker.chance(0.7))) {
            p.operand = m_maker.numbers<T>(volume(p.shape), kind);
        }
        if (p.takes_operand()) {
            p.hold_operand = m_maker.chance(0.6);
            m_resident.reset();
        }
        if (p.hold_operand) { m_resident = p.shape; }
        if (p.work != pointwise_work::multiply && p.work != pointwise_work::relu) { p.value = value(p.work); }
        if (is_integer) { p.shift = m_maker.below(9); }
        p.esop = m_maker.chance(0.6);
        p.sums_wanted = m_maker.chance(0.5);
        return step;
    }

    std::complex<double> value(pointwise_work work)
    {
        if (m_maker.chance(0.15)) { return 0; }
        if (work == pointwise_work::threshold) { return is_integer ? m_maker.below(128) : 2 * m_maker.unit(); }
        const auto part = [this] {
            return is_integer ? static_cast<double>(m_maker.below(256)) - 128 : 2 * m_maker.unit() - 1;
        };
        const double re = part();
        return {re, is_complex ? part() : 0};
    }

    static std::size_t volume(const shape3& s) { return std::size_t{s[0]} * s[1] * s[2]; }
    static constexpr bool is_complex = arithmetic::number_format<T>::parts == 2;
    static constexpr bool is_integer = std::numeric_limits<T>::is_integer;

    case_maker m_maker;
    shape3 m_mesh;
    bool m_side_moves;
    std::optional<shape3> m_resident; // of the operand that the cells keep
};

} // namespace tensorloom::test
