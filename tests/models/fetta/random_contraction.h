#pragma once
#include <cstdint>
#include <random>
#include <vector>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/isa/program/program.h>

namespace tensorloom::test {

/// A small FETTA: 36 seeds in a row are all numbers of engines with all sides, and these with all types; 3 seeds of 7
/// have multiply-adds of 2, 3 and 7 cycles. Seed 4 has the paper's engines.
fetta::device_limits random_limits(std::uint64_t seed);

/// Makes programs of random CONTRACTs that a device takes: every mapping, splits, ragged extents, banked and linear
/// layouts, transpose layers, sums that are kept and gone on with, loops whose bases advance, between loads, stores,
/// signals and instructions of the vector unit. Numbers are bfloat16 of moderate size, and now and then special ones.
///
/// In memory on the bus: what the unified memory holds at first, then room for a dump of it.
class contraction_maker {
public:
    contraction_maker(std::uint64_t seed, const fetta::device_limits& limits, std::uint64_t memory_base);

    std::uint64_t memory_bytes() const { return 2 * m_limits.memory_bytes(); }
    /// What the memory holds at first.
    std::vector<std::uint8_t> data();
    /// Loads the whole unified memory, then some CONTRACTs.
    std::vector<std::uint8_t> program(unsigned contractions);
    /// Stores the whole unified memory.
    std::vector<std::uint8_t> dump() const;

    /// A CONTRACT that check() has nothing against; of few steps.
    fetta::contract_command contraction();

private:
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(m_random() % n); }
    bool chance(double p) { return static_cast<double>(below(1000)) < 1000 * p; }

    fetta::contract_command attempt();
    void split(fetta::contract_command& c);
    void place_banked(fetta::contract_command& c, unsigned role, std::uint32_t region);
    void place_linear(fetta::contract_command& c, unsigned role, std::uint32_t region);
    std::uint32_t first_row(base::element_type type, std::uint32_t region) const;
    void add(const fetta::contract_command& c);
    void add_transfer(isa::opcode code, std::uint64_t memory, std::uint64_t local, base::element_type type,
                      std::uint32_t elements);
    void add_chain();
    void add_loop();
    void add_random_transfer();
    void add_vector();

    fetta::device_limits m_limits;
    std::uint64_t m_base;
    std::mt19937_64 m_random;
    isa::program_builder m_builder;
};

} // namespace tensorloom::test
