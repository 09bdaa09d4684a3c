#pragma once
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>
#include <tensorloom/models/costs/dram/dram_config.h>
#include <tensorloom/models/memory/dram_controller.h>

namespace tensorloom::test {

/// Without a hash of channels: which channel, bank and row an address is in can be read from it.
inline costs::dram_config shipped_dram()
{
    auto config = costs::load_dram("lpddr4-3200");
    config.controller.channel_hash = costs::dram_channel_hash::none;
    return config;
}

/// A shipped part's name as part of a test's.
inline std::string part_in_test_name(std::string part)
{
    std::replace(part.begin(), part.end(), '-', '_');
    return part;
}

struct dram_access {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    bool write = false;
    std::uint64_t arrival = 0;
};

/// Accesses of every kind that follow in time: runs of neighbours, jumps between rows of one bank, random places, reads
/// and writes in turns and in runs, all at once and with pauses.
inline std::vector<dram_access> random_traffic(unsigned seed, std::size_t accesses, std::uint64_t size)
{
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t n) { return random() % n; };
    std::vector<dram_access> traffic;
    std::uint64_t address = 0, arrival = 0;
    bool write = false;
    unsigned habit = 0;
    for (std::size_t i = 0; i < accesses; ++i) {
        if (below(20) == 0) { habit = static_cast<unsigned>(below(4)); }
        if (below(habit == 3 ? 2 : 6) == 0) { write = !write; }
        const std::uint64_t bytes = below(4) == 0 ? 1 + below(1024) : 1 + below(64);
        if (habit == 0) { address += 64; }
        if (habit == 1) { address += (std::uint64_t{1} << 16) * (1 + below(3)); }
        if (habit >= 2) { address = below(size); }
        address %= size - 1024;
        if (below(8) == 0) { arrival += below(below(10) == 0 ? 20000 : 200); }
        traffic.push_back({address, bytes, write, arrival});
    }
    return traffic;
}

} // namespace tensorloom::test
