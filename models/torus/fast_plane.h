#pragma once
#include <vector>
#include <tensorloom/models/arithmetic/mode_product.h>
#include <tensorloom/models/blocks/tensor_planes.h>
#include <tensorloom/models/torus/node_array.h>
#include <tensorloom/models/torus/plane_array.h>

namespace tensorloom::torus {

/// The plane R = 0 of the fast array: three matrices, without movement. A pass is computed when it ends, result block
/// by result block, each with its terms in the order in which the detailed plane adds them. Events are counted in
/// closed form, step by step.
template <class Element> class fast_plane : public plane_if {
public:
    /// `shares`: sums that move are written into memory that neighbours share.
    fast_plane(std::uint32_t side, bool shares, node_memory_if& memory);

    void lay_out(const plane_layout& layout) override;
    void release() override;
    void clear(matrix which) override { held(which).clear(padded(which)); }
    void write(matrix to, const shape2& sizes, std::uint64_t first, const unsigned char* bytes,
               std::uint64_t elements) override
    {
        held(to).write({1, sizes[0], sizes[1]}, first, bytes, elements);
    }
    void write_sums(matrix to, const shape2& sizes, std::uint64_t first, const unsigned char* bytes,
                    std::uint64_t sums) override
    {
        held(to).write_sums({1, sizes[0], sizes[1]}, first, bytes, sums);
    }
    void read(matrix from, const shape2& sizes, std::uint64_t first, unsigned char* bytes,
              std::uint64_t elements) const override
    {
        held(from).read({1, sizes[0], sizes[1]}, first, bytes, elements, 0);
    }
    void read_sums(matrix from, const shape2& sizes, std::uint64_t first, unsigned char* bytes,
                   std::uint64_t sums) const override
    {
        held(from).read_sums({1, sizes[0], sizes[1]}, first, bytes, sums, 0);
    }
    void begin() override {}
    void compute(counts& counted) override;
    void roll(counts& counted) override;
    void end() override;

private:
    using planes = blocks::tensor_planes<Element>;
    using real = typename planes::real;
    using product = arithmetic::mode_product<Element>;

    planes& held(matrix which) { return m_held[static_cast<unsigned>(which)]; }
    const planes& held(matrix which) const { return m_held[static_cast<unsigned>(which)]; }
    blocks::shape3 padded(matrix which) const;
    std::uint64_t block_words(matrix which) const;
    void gather_coefficients();
    void multiply_block(std::uint32_t row, std::uint32_t column);

    const std::uint32_t m_side;
    const bool m_shares;
    node_memory_if& m_memory;
    plane_layout m_layout;
    plane_program m_program;
    blocks::plane_pool<real> m_pool;
    std::array<planes, matrices> m_held; // 1 x rows x columns
    product m_product;
    std::vector<Element> m_coefficients;  // a row per term
    std::vector<real> m_operands, m_sums; // of one block of the result
    std::vector<arithmetic::product_term> m_terms;
    std::vector<arithmetic::product_counts> m_counts;
};

} // namespace tensorloom::torus
