#pragma once
#include <algorithm>
#include <cstdint>
#include <tensorloom/models/triada/cell_memory.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::triada {

/// Walks over the elements first <= e < first + elements of the corner 0 <= i < shape, in C order: calls visit(at,
/// count, done) for pieces of rows along mode 3, with the position of the piece's first element and how many elements
/// came before it.
template <class Visit>
void for_each_row_piece(const shape3& shape, std::uint64_t first, std::uint64_t elements, const Visit& visit)
{
    if (elements == 0) { return; }
    const std::uint64_t row = first / shape[2];
    shape3 at{static_cast<std::uint32_t>(row / shape[1]), static_cast<std::uint32_t>(row % shape[1]),
              static_cast<std::uint32_t>(first % shape[2])};
    for (std::uint64_t done = 0; done < elements;) {
        const std::uint64_t count = std::min<std::uint64_t>(elements - done, shape[2] - at[2]);
        visit(at, count, done);
        done += count;
        at[2] = 0;
        if (++at[1] == shape[1]) {
            at[1] = 0;
            ++at[0];
        }
    }
}

} // namespace tensorloom::triada
