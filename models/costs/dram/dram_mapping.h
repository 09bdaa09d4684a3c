#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tensorloom/models/costs/dram/dram_config.h>

namespace tensorloom::costs {

/// The location of a burst.
struct dram_location {
    unsigned channel = 0;
    unsigned bank = 0;
    unsigned row = 0;
    unsigned column = 0; ///< of the burst's first transfer
};

/// Maps addresses to bursts: a bijection between the bursts of the address range and the locations.
///
/// From the lowest address bit: the byte within a burst; as many low column bits as keep `interleave_bytes` neighbours
/// in one channel, bank and row; then the fields of `mapping` from right to left, `column` with its remaining bits.
/// `row:bank:column:channel` at 64 bytes puts neighbouring 64-byte blocks into neighbouring channels, and neighbouring
/// rows into neighbouring banks. With a channel hash the channel is its field XOR all higher address bits, in groups of
/// the same width.
class dram_mapping {
public:
    /// The configuration must be valid.
    explicit dram_mapping(const dram_config& config);

    dram_location locate(std::uint64_t address) const;          ///< the address is below the DRAM's size
    std::uint64_t address(const dram_location& location) const; ///< of the first byte of the burst

private:
    struct field {
        unsigned lowest = 0; ///< bit of the address
        std::uint64_t mask = 0;
        std::uint64_t of(std::uint64_t address) const { return address >> lowest & mask; }
        std::uint64_t at(std::uint64_t value) const { return (value & mask) << lowest; }
    };

    unsigned channel_hash(std::uint64_t address) const;

    field m_row, m_bank, m_channel, m_column_high, m_column_low;
    unsigned m_column_low_bits = 0;
    unsigned m_channel_bits = 0;
    unsigned m_burst_length = 0;
    bool m_hashes_channels = false;
};

/// The error of a mapping order: "row", "bank", "column", "channel", each once, separated by colons.
std::optional<std::string> validate_mapping(const std::string& mapping);

} // namespace tensorloom::costs
