#include <tensorloom/models/shell/access_set.h>
#include <algorithm>

namespace tensorloom::shell {

namespace {

bool any_overlap(const std::vector<byte_range>& a, const std::vector<byte_range>& b)
{
    return std::any_of(a.begin(), a.end(), [&](const byte_range& x) {
        return std::any_of(b.begin(), b.end(), [&](const byte_range& y) { return overlap(x, y); });
    });
}

} // namespace

// Modulo 2^64, so that a range may end with the last address.
bool overlap(const byte_range& a, const byte_range& b)
{
    return a.bytes != 0 && b.bytes != 0 && (a.first - b.first < b.bytes || b.first - a.first < a.bytes);
}

bool depends(const access_set& later, const access_set& earlier)
{
    return any_overlap(later.reads, earlier.writes) || any_overlap(later.writes, earlier.reads) ||
           any_overlap(later.writes, earlier.writes);
}

} // namespace tensorloom::shell
