#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace tensorloom::workloads {

using shape3 = std::array<std::size_t, 3>;

inline std::uint64_t volume_of(const shape3& shape) { return std::uint64_t{shape[0]} * shape[1] * shape[2]; }

/// A part of a tensor of three modes.
struct box3 {
    shape3 first{}; ///< its element with the smallest indices
    shape3 size{};
};

/// "3 x 4 x 5".
template <class Sizes> std::string shape_text(const Sizes& shape, const char* without_modes = "")
{
    std::string text;
    for (const auto size : shape) { text += (text.empty() ? "" : " x ") + std::to_string(size); }
    return text.empty() ? without_modes : text;
}

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

/// A tensor of three modes in C order, viewed along one of them: the element with index n of that mode, o of the modes
/// before it and i of the modes after it lies at (o * size + n) * inner + i.
struct mode_view {
    std::ptrdiff_t outer = 1; ///< elements of the modes before
    std::ptrdiff_t size = 1;  ///< of the mode
    std::ptrdiff_t inner = 1; ///< elements of the modes after

    /// mode: 0, 1, 2.
    mode_view(const std::vector<std::size_t>& shape, std::size_t mode) : size(static_cast<std::ptrdiff_t>(shape[mode]))
    {
        for (std::size_t m = 0; m < mode; ++m) { outer *= static_cast<std::ptrdiff_t>(shape[m]); }
        for (std::size_t m = mode + 1; m < shape.size(); ++m) { inner *= static_cast<std::ptrdiff_t>(shape[m]); }
    }
};

} // namespace tensorloom::workloads
