#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tensorloom::bus {

/// Which target answers which addresses. Ranges do not overlap; both ends are inclusive, so a range may end at 2^64 -
/// 1.
class address_map {
public:
    struct range {
        std::uint64_t first;
        std::uint64_t last;
        unsigned target;
        bool relative; ///< the target sees addresses from 0
    };

    /// Adds a range; the complaint when it is empty or overlaps another.
    std::optional<std::string> add(const range& added);

    /// The range that holds the address, or nullptr.
    const range* find(std::uint64_t address) const;

    const std::vector<range>& ranges() const { return m_ranges; }

private:
    std::vector<range> m_ranges;
};

} // namespace tensorloom::bus
