#include <tensorloom/models/costs/dram/dram_mapping.h>
#include <tensorloom/models/base/values/integers.h>
#include <algorithm>

namespace tensorloom::costs {

namespace {

/// The names of a mapping from the highest bits to the lowest.
std::vector<std::string> names_of(const std::string& mapping)
{
    std::vector<std::string> names(1);
    for (const char c : mapping) {
        if (c == ':') {
            names.emplace_back();
        } else {
            names.back() += c;
        }
    }
    return names;
}

} // namespace

std::optional<std::string> validate_mapping(const std::string& mapping)
{
    auto names = names_of(mapping);
    std::sort(names.begin(), names.end());
    if (names == std::vector<std::string>{"bank", "channel", "column", "row"}) { return std::nullopt; }
    return "found '" + mapping + "', expected row, bank, column and channel, each once, as in row:bank:column:channel";
}

dram_mapping::dram_mapping(const dram_config& config)
    : m_burst_length(config.organisation.burst_length),
      m_hashes_channels(config.controller.channel_hash == dram_channel_hash::xor_above)
{
    const auto& o = config.organisation;
    unsigned next = base::log2_of(o.burst_bytes());
    const auto take = [&next](unsigned bits) {
        const field taken{next, (std::uint64_t{1} << bits) - 1};
        next += bits;
        return taken;
    };
    m_column_low_bits = base::log2_of(config.controller.interleave_bytes / o.burst_bytes());
    m_column_low = take(m_column_low_bits);
    const auto names = names_of(config.controller.mapping);
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
        if (*name == "row") {
            m_row = take(base::log2_of(o.rows));
        } else if (*name == "bank") {
            m_bank = take(base::log2_of(o.banks));
        } else if (*name == "channel") {
            m_channel_bits = base::log2_of(o.channels);
            m_channel = take(m_channel_bits);
        } else {
            m_column_high = take(base::log2_of(o.columns / o.burst_length) - m_column_low_bits);
        }
    }
}

// Contribution of the bits above the channel bits.
unsigned dram_mapping::channel_hash(std::uint64_t address) const
{
    if (!m_hashes_channels || m_channel.mask == 0) { return 0; }
    std::uint64_t sum = address >> m_channel.lowest >> m_channel_bits;
    for (unsigned groups = 1; groups * m_channel_bits < 64; groups *= 2) { sum ^= sum >> groups * m_channel_bits; }
    return static_cast<unsigned>(sum & m_channel.mask);
}

dram_location dram_mapping::locate(std::uint64_t address) const
{
    const auto burst = m_column_high.of(address) << m_column_low_bits | m_column_low.of(address);
    return {static_cast<unsigned>(m_channel.of(address)) ^ channel_hash(address),
            static_cast<unsigned>(m_bank.of(address)), static_cast<unsigned>(m_row.of(address)),
            static_cast<unsigned>(burst) * m_burst_length};
}

std::uint64_t dram_mapping::address(const dram_location& location) const
{
    const std::uint64_t burst = location.column / m_burst_length;
    const std::uint64_t others = m_bank.at(location.bank) | m_row.at(location.row) |
                                 m_column_high.at(burst >> m_column_low_bits) | m_column_low.at(burst);
    return others | m_channel.at(location.channel ^ channel_hash(others));
}

} // namespace tensorloom::costs
