#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tensorloom::arithmetic {

constexpr std::size_t cache_line = 64; // bytes

/// Space for n numbers in `storage`, which only grows, aligned to a cache line so that no vector of them crosses one.
template <class R> R* at_line(std::vector<R>& storage, std::size_t n)
{
    const std::size_t size = n + cache_line / sizeof(R);
    if (storage.size() < size) { storage.resize(size); }
    const auto past = reinterpret_cast<std::uintptr_t>(storage.data()) % cache_line;
    return storage.data() + (past == 0 ? 0 : (cache_line - past) / sizeof(R));
}

} // namespace tensorloom::arithmetic
