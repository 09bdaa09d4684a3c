#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>
#include <tensorloom/models/isa/tiles/tile_plan.h>
#include <tensorloom/workloads/tensor.h>

namespace tensorloom::testbench {

/// Elements of a tensor of this shape in the order of its tiles, or back in the order of rows.
template <class T>
std::vector<T> reordered(const std::vector<T>& from, const workloads::shape3& shape, const isa::mode_sizes& tile,
                         bool to_tiles)
{
    std::vector<T> to(from.size());
    std::size_t next = 0;
    const auto end = [&](const workloads::shape3& at, std::size_t m) {
        return std::min<std::size_t>(at[m] + tile[m], shape[m]);
    };
    workloads::shape3 at{};
    for (at[0] = 0; at[0] < shape[0]; at[0] += tile[0]) {
        for (at[1] = 0; at[1] < shape[1]; at[1] += tile[1]) {
            for (at[2] = 0; at[2] < shape[2]; at[2] += tile[2]) {
                for (std::size_t i = at[0]; i < end(at, 0); ++i) {
                    for (std::size_t j = at[1]; j < end(at, 1); ++j) {
                        for (std::size_t k = at[2]; k < end(at, 2); ++k, ++next) {
                            const std::size_t row = (i * shape[1] + j) * shape[2] + k;
                            to[to_tiles ? next : row] = from[to_tiles ? row : next];
                        }
                    }
                }
            }
        }
    }
    return to;
}

} // namespace tensorloom::testbench
