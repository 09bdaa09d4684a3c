#include "ordered_sums.h"
#include <cmath>
#include <tensorloom/workloads/element_rounding.h>
#include "random_contraction.h"

namespace tensorloom::test {
namespace {

using base::element_type;
using workloads::contraction_plan;

float to_bf16(long double value) { return static_cast<float>(workloads::nearest_bfloat16(value)); }

// A long double holds products and sums of the bfloat16 numbers in question exactly.
float fused(float sum, float a, float b, element_type psum)
{
    if (psum == element_type::f32) { return std::fma(a, b, sum); }
    return to_bf16(static_cast<long double>(a) * b + sum);
}

float added(float x, float y, element_type psum)
{
    return psum == element_type::f32 ? x + y : to_bf16(static_cast<long double>(x) + y);
}

// Elements first to end - 1 of both: what the engines and the reduction network make of each tile of it.
void sum_block(const std::vector<float>& a, const std::vector<float>& b, std::size_t first, std::size_t size,
               const contraction_plan& plan, std::vector<float>& tiles)
{
    const auto psum = plan.limits.psum;
    const std::size_t parts = plan.choice.split.contracted;
    const bool stationary = plan.choice.mapping < fetta::mapping::os_1;
    const std::size_t chain = stationary ? plan.limits.side : (size + parts - 1) / parts;
    for (std::size_t tile = 0; tile * parts * chain < size; ++tile) {
        std::vector<float> tree(parts);
        for (std::size_t part = 0; part < parts; ++part) {
            for (std::size_t i = 0; i < chain; ++i) {
                const std::size_t k = (tile * parts + part) * chain + i;
                tree[part] = fused(tree[part], k < size ? a[first + k] : 0, k < size ? b[first + k] : 0, psum);
            }
        }
        while (tree.size() > 1) {
            std::vector<float> next;
            for (std::size_t p = 0; p < tree.size(); p += 2) { next.push_back(added(tree[p], tree[p + 1], psum)); }
            tree = next;
        }
        tiles.push_back(tree[0]);
    }
}

} // namespace

std::vector<float> ordered_sums(const contraction_plan& plan, const std::vector<float>& a, const std::vector<float>& b)
{
    const auto& p = plan.problem;
    const auto& contracted = plan.index[1];
    std::vector<float> result(p.extent(p.c));
    mode_counter element(p, p.c);
    do {
        std::vector<float> x, y;
        mode_counter k(p, contracted.modes);
        do {
            x.push_back(a[element.offset(p.a, &k)]);
            y.push_back(b[element.offset(p.b, &k)]);
        } while (k.next());
        std::vector<float> tiles;
        for (std::uint64_t block = 0; block < contracted.blocks(); ++block) {
            const auto range = contracted.block(block);
            sum_block(x, y, range.first, range.size, plan, tiles);
        }
        float sum = tiles[0];
        for (std::size_t t = 1; t < tiles.size(); ++t) { sum = added(sum, tiles[t], plan.limits.psum); }
        result[element.offset(p.c)] = plan.store_bf16 ? to_bf16(sum) : sum;
    } while (element.next());
    return result;
}

} // namespace tensorloom::test
