#include <tensorloom/workloads/contraction/flat_index.h>
#include <random>
#include <gtest/gtest.h>
#include "random_contraction.h"

namespace tensorloom::workloads {
namespace {

flat_index index_of(const contraction& p, contraction_index which, flattening rule = flattening::any,
                    bool merged = false)
{
    return whole_index(p, which, rule, merged);
}

TEST(flat_index_test, blocks_cover_the_index_in_order)
{
    const contraction p = parse_einsum("abcdk,k->abcd", "a=3,b=5,c=1,d=7,k=2");
    for (const bool merged : {false, true}) {
        const auto whole = index_of(p, contraction_index::a_free, flattening::any, merged);
        EXPECT_EQ(whole.extent(), 105u);
        EXPECT_EQ(whole.blocks(), 1u);
        std::uint64_t smallest = 105;
        for (const auto& cut : cuts_of(whole, 4)) {
            std::uint64_t next = 0;
            for (std::uint64_t i = 0; i < cut.blocks(); ++i) {
                EXPECT_EQ(cut.block(i).first, next);
                next += cut.block(i).size;
            }
            EXPECT_EQ(next, 105u);
            std::uint64_t blocks = 0, elements = 0;
            for (const auto& kind : cut.kinds()) {
                blocks += kind.count;
                elements += kind.count * kind.size;
            }
            EXPECT_EQ(blocks, cut.blocks());
            EXPECT_EQ(elements, 105u);
            EXPECT_LT(cut.block(0).size, smallest + 1);
            smallest = cut.block(0).size;
        }
        EXPECT_EQ(smallest, 1u);
    }
}

TEST(flat_index_test, blocks_are_multiples_of_the_granule_where_they_can_be)
{
    const contraction p = parse_einsum("i,i->i", "i=1000");
    for (const auto& cut : cuts_of(index_of(p, contraction_index::batch), 16)) {
        if (cut.cut_size > 16 && cut.cut_size < 1000) { EXPECT_EQ(cut.cut_size % 16, 0u); }
    }
}

// The box of a block and the offsets of its flat index name the same elements of the tensor.
TEST(flat_index_test, a_block_is_a_box_of_modes)
{
    std::mt19937 random(51);
    for (int i = 0; i < 100; ++i) {
        const contraction p = test::random_contraction(random, 6, 2000);
        std::array<flat_index, contraction_indices> index;
        std::array<std::uint32_t, contraction_indices> block{};
        for (unsigned x = 0; x < contraction_indices; ++x) {
            const auto cuts =
                cuts_of(index_of(p, static_cast<contraction_index>(x), static_cast<flattening>(random() % 2)),
                        1 + random() % 4);
            index[x] = cuts[random() % cuts.size()];
            block[x] = static_cast<std::uint32_t>(random() % index[x].blocks());
        }
        for (const auto t : {contraction_tensor::a, contraction_tensor::b, contraction_tensor::c}) {
            const tensor_box box = box_of(p, t, index, block);
            std::vector<std::uint64_t> of_box{box.first};
            for (const auto& m : box.modes) {
                std::vector<std::uint64_t> longer;
                for (const auto o : of_box) {
                    for (std::uint32_t d = 0; d < m.size; ++d) {
                        longer.push_back(o + d * static_cast<std::uint64_t>(m.tensor_stride));
                    }
                }
                of_box = longer;
            }
            std::vector<std::uint64_t> of_indices{0};
            for (unsigned x = 0; x < contraction_indices; ++x) {
                if (!has_index(t, static_cast<contraction_index>(x))) { continue; }
                std::vector<std::uint64_t> longer;
                for (const auto o : of_indices) {
                    for (const auto more : offsets_of(p, t, index[x], index[x].block(block[x]))) {
                        longer.push_back(o + more);
                    }
                }
                of_indices = longer;
            }
            EXPECT_EQ(box.elements, of_box.size());
            std::sort(of_box.begin(), of_box.end());
            std::sort(of_indices.begin(), of_indices.end());
            ASSERT_EQ(of_box, of_indices);
        }
    }
}

TEST(flattening_test, contiguous_takes_the_largest_run_of_neighbours)
{
    // In A b c are neighbours and so they are in C; a is next to b in C alone.
    const contraction p = parse_einsum("bcak,kx->abcx", "a=2,b=3,c=4,k=5,x=6");
    const auto rows = index_of(p, contraction_index::a_free, flattening::contiguous);
    EXPECT_EQ(rows.modes, "abc");
    EXPECT_EQ(rows.looped, 1u);
    EXPECT_EQ(rows.blocks(), 2u);
    EXPECT_EQ(rows.block(0).size, 12u);
    EXPECT_EQ(index_of(p, contraction_index::a_free).blocks(), 1u);
}

TEST(flattening_test, loops_go_outside_whatever_the_order_of_the_modes)
{
    const contraction p = parse_einsum("kal,lmk->am", "k=9,a=2,l=3,m=4");
    const auto summed = index_of(p, contraction_index::contracted, flattening::contiguous);
    EXPECT_EQ(summed.modes, "lk"); // l is a loop of commands, k within
    EXPECT_EQ(summed.looped, 1u);
}

TEST(flattening_test, modes_of_one_index_do_not_stand_between_neighbours)
{
    const contraction p = parse_einsum("axbk,k->ab x", "a=2,x=1,b=3,k=5");
    EXPECT_EQ(index_of(p, contraction_index::a_free, flattening::contiguous).blocks(), 1u);
}

TEST(even_stride_test, is_there_when_modes_follow_each_other)
{
    const contraction p = parse_einsum("bcak,kx->abcx", "a=2,b=3,c=4,k=5,x=6");
    const auto rows = index_of(p, contraction_index::a_free);
    EXPECT_EQ(even_stride(p, contraction_tensor::c, rows), std::int64_t{6});
    EXPECT_FALSE(even_stride(p, contraction_tensor::a, rows));
    EXPECT_EQ(even_stride(p, contraction_tensor::a, index_of(p, contraction_index::contracted)), std::int64_t{1});
    EXPECT_EQ(even_stride(p, contraction_tensor::a, index_of(p, contraction_index::batch)), std::int64_t{0});
}

} // namespace
} // namespace tensorloom::workloads
