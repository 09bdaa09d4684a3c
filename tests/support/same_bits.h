#pragma once
#include <cstring>
#include <vector>

namespace tensorloom::test {

/// Equal to the last bit (also of NaN and zeros).
template <class T> bool same_bits(const std::vector<T>& a, const std::vector<T>& b)
{
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

} // namespace tensorloom::test
