#pragma once
#include <array>
#include <cstdint>
#include <type_traits>
#include <tensorloom/models/arithmetic/bfloat16.h>
#include <tensorloom/models/arithmetic/float16.h>
#include "support/mmv_reference_units.h"

namespace tensorloom::test {

/// What a word holds when the elements of weights and left operands are these.
template <class Element>
using word_of_reference = std::conditional_t<
    std::is_same_v<Element, std::int8_t>, std::int32_t,
    std::conditional_t<std::is_same_v<Element, arithmetic::bfloat16> || std::is_same_v<Element, arithmetic::float16>,
                       float, Element>>;

/// The units in one format: matmul() and product() in mmv_reference_array.h, vector() and repl() in
/// mmv_reference_vector.h, scalar() in mmv_reference_scalar.h.
template <class Element> class units_in_format : public reference_units {
    using opcode = isa::vector::opcode;
    using scalar_opcode = mmv::opcode;
    using event = mmv::event;
    using error_code = isa::error_code;
    using word = word_of_reference<Element>;
    static constexpr std::int64_t word_bytes = sizeof(word);

public:
    units_in_format(const mmv::limits& limits, unsigned word_bits, reference_scratchpad& scratchpad,
                    mmv::counts& counts)
        : m_limits(limits), m_word_bits(word_bits), m_scratchpad(scratchpad), m_counts(counts)
    {}

    void matmul(const mmv::matmul_command& m) override;
    void product(const mmv::product_command& p, bool accumulate) override;
    void vector(opcode code, const isa::vector::vector_command& v) override;
    void repl(const isa::vector::strided_command& s) override;
    void scalar(scalar_opcode code, const isa::vector::strided_command& s) override;

private:
    using index_3 = std::array<std::int64_t, 3>;

    static std::int64_t place(const isa::vector::strided_operand& o, const index_3& at)
    {
        return std::int64_t{o.address} + word_bytes * (at[0] * o.stride[0] + at[1] * o.stride[1] + at[2] * o.stride[2]);
    }
    static std::int64_t place(const isa::vector::strided_operand& o, std::int64_t row, std::int64_t column)
    {
        return place(o, index_3{0, row, column});
    }
    word get(std::int64_t address) const { return m_scratchpad.get<word>(address); }
    void put(std::int64_t address, const word& w) { m_scratchpad.put(address, w); }

    template <class Action> static void for_each_element(const isa::vector::strided_command& s, const Action& action)
    {
        for (std::int64_t i = 0; i < s.size[0]; ++i) {
            for (std::int64_t j = 0; j < s.size[1]; ++j) {
                for (std::int64_t k = 0; k < s.size[2]; ++k) { action(index_3{i, j, k}); }
            }
        }
    }
    template <class Operation> void element_wise(const isa::vector::strided_command& s, const Operation& operation)
    {
        for_each_element(s, [&](const index_3& at) { put(place(s.result, at), operation(at)); });
    }
    template <class Operation> void binary(const isa::vector::strided_command& s, const Operation& operation)
    {
        element_wise(s, [&](const index_3& at) { return operation(get(place(s.a, at)), get(place(s.b, at))); });
    }

    static std::uint64_t ceiling(std::uint64_t n, std::uint64_t d) { return (n + d - 1) / d; }
    word immediate(const isa::vector::strided_command& s) const;
    std::uint64_t circuit(opcode code, std::uint64_t n, std::uint64_t table, std::uint64_t block,
                          std::uint64_t bits) const;
    void count_vector(opcode code, std::uint64_t words, std::uint64_t handled, std::uint64_t gates);
    void carry(const isa::vector::strided_command& s, std::uint64_t& overflowed);
    word reduced(const word& z, const word& a, const word& b, const word& m) const;
    std::uint64_t eliminate(scalar_opcode code, const isa::vector::strided_command& s);
    std::uint64_t close(scalar_opcode code, const isa::vector::strided_command& s);
    void end(std::uint64_t overflowed)
    {
        m_counts[event::word_overflowed] += overflowed;
        if (overflowed != 0) { throw reference_failure{error_code::arithmetic_overflow, "result"}; }
    }

    const mmv::limits& m_limits;
    std::uint64_t m_word_bits;
    reference_scratchpad& m_scratchpad;
    mmv::counts& m_counts;
};

} // namespace tensorloom::test
