#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

namespace tensorloom::workloads {

using shape3 = std::array<std::size_t, 3>;

/// Elements of a tensor of this shape.
inline std::uint64_t volume_of(const shape3& shape) { return std::uint64_t{shape[0]} * shape[1] * shape[2]; }

/// A dense tensor in C order (the last index runs fastest).
template <class T> struct tensor {
    std::vector<std::size_t> shape;
    std::vector<T> data;

    tensor() = default;
    explicit tensor(std::vector<std::size_t> sizes)
        : shape(std::move(sizes)),
          data(std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>()))
    {}
};

} // namespace tensorloom::workloads
