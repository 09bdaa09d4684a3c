#pragma once
#include <algorithm>
#include <cstddef>

namespace tensorloom::arithmetic {

/// Fibre (o, i) of a tensor, of outer x inner fibres, is number o * inner + i. Calls visit(o, i, lane, count) for each
/// run of fibres (o, i), (o, i + 1), ... among the `lanes` ones from number `first` on; the first of the run is number
/// first + lane.
template <class Visit> void each_fibre_run(std::size_t inner, std::size_t first, std::size_t lanes, Visit visit)
{
    std::size_t o = first / inner;
    std::size_t i = first % inner;
    for (std::size_t lane = 0; lane < lanes; ++o, i = 0) {
        const std::size_t count = std::min(inner - i, lanes - lane);
        visit(o, i, lane, count);
        lane += count;
    }
}

} // namespace tensorloom::arithmetic
