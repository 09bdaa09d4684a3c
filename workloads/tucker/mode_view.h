#pragma once
#include <cstddef>
#include <vector>

namespace tensorloom::workloads {

/// A tensor of three modes in C order, seen along one of them: the element with index n of that mode, o of the modes
/// before it and i of those behind it lies at (o * size + n) * inner + i.
struct mode_view {
    std::ptrdiff_t outer = 1; ///< elements of the modes before
    std::ptrdiff_t size = 1;  ///< of the mode
    std::ptrdiff_t inner = 1; ///< of the modes behind

    /// mode: 0, 1, 2.
    mode_view(const std::vector<std::size_t>& shape, std::size_t mode) : size(static_cast<std::ptrdiff_t>(shape[mode]))
    {
        for (std::size_t m = 0; m < mode; ++m) { outer *= static_cast<std::ptrdiff_t>(shape[m]); }
        for (std::size_t m = mode + 1; m < shape.size(); ++m) { inner *= static_cast<std::ptrdiff_t>(shape[m]); }
    }
};

} // namespace tensorloom::workloads
