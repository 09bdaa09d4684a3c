#include <tensorloom/tlm/address_map.h>

namespace tensorloom::bus {

std::optional<std::string> address_map::add(const range& added)
{
    if (added.last < added.first) { return std::string("address range ends before it begins"); }
    for (const auto& r : m_ranges) {
        if (added.first <= r.last && r.first <= added.last) {
            return "address range overlaps that of target " + std::to_string(r.target);
        }
    }
    m_ranges.push_back(added);
    return std::nullopt;
}

const address_map::range* address_map::find(std::uint64_t address) const
{
    for (const auto& r : m_ranges) {
        if (address >= r.first && address <= r.last) { return &r; }
    }
    return nullptr;
}

} // namespace tensorloom::bus
