#pragma once
#include <cstdint>
#include <tensorloom/models/arch/vector/instruction_set.h>
#include <tensorloom/models/arithmetic/elementary_functions.h>
#include <tensorloom/models/arithmetic/word_operations.h>
#include <tensorloom/models/blocks/element_wise.h>

namespace tensorloom::blocks {

/// The functional block of activations: in every lane a comparator, a divider with square root, and a unit of
/// elementary functions. Ours; no paper describes it.
///
/// Quotients and square roots are rounded as IEEE 754 says, elementary functions have the bits of
/// arithmetic/elementary_functions.h. Cost: that of the instructions in vector_costs.
template <class W> class activation_block {
public:
    /// Elements first to last - 1 of a whole vector z, which may be the words of a or of b.
    void run(arch::vector::opcode code, const vector_source<W>& a, const vector_source<W>& b, W* z, std::uint64_t first,
             std::uint64_t last) const
    {
        using arch::vector::opcode;
        switch (code) {
        case opcode::max: element_wise<maximum>(a, b, z, first, last); break;
        case opcode::min: element_wise<minimum>(a, b, z, first, last); break;
        case opcode::relu: element_wise<positive_part>(a, b, z, first, last); break;
        case opcode::relu_gradient: element_wise<where_positive>(a, b, z, first, last); break;
        case opcode::sigmoid: element_wise<sigmoid>(a, b, z, first, last); break;
        case opcode::tanh: element_wise<hyperbolic_tangent>(a, b, z, first, last); break;
        case opcode::exp: element_wise<exponential>(a, b, z, first, last); break;
        case opcode::div: element_wise<quotient>(a, b, z, first, last); break;
        case opcode::sqrt: element_wise<root>(a, b, z, first, last); break;
        default: break; // of other blocks
        }
    }

private:
    struct maximum {
        static W of(const W& a, const W& b, std::uint64_t&) { return arithmetic::word_maximum(a, b); }
    };
    struct minimum {
        static W of(const W& a, const W& b, std::uint64_t&) { return arithmetic::word_minimum(a, b); }
    };
    struct positive_part {
        static W of(const W& a, const W&, std::uint64_t&) { return arithmetic::word_maximum(a, W(0)); }
    };
    struct where_positive {
        static W of(const W& a, const W& b, std::uint64_t&) { return b > W(0) ? a : W(0); }
    };
    struct sigmoid {
        static W of(const W& a, const W&, std::uint64_t&) { return arithmetic::sigmoid(a); }
    };
    struct hyperbolic_tangent {
        static W of(const W& a, const W&, std::uint64_t&) { return arithmetic::hyperbolic_tangent(a); }
    };
    struct exponential {
        static W of(const W& a, const W&, std::uint64_t&) { return arithmetic::exponential(a); }
    };
    struct quotient {
        static W of(const W& a, const W& b, std::uint64_t&) { return arithmetic::word_quotient(a, b); }
    };
    struct root {
        static W of(const W& a, const W&, std::uint64_t&) { return arithmetic::word_root(a); }
    };
};

} // namespace tensorloom::blocks
