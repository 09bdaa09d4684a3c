#pragma once
#include <cstdint>
#include <random>
#include <vector>
#include <tensorloom/models/arch/fetta/contract_command.h>
#include <tensorloom/models/arch/fetta/geometry.h>
#include <tensorloom/models/arch/program/program.h>

namespace tensorloom::test {

/// A small FETTA: 36 seeds in a row are all numbers of engines with all sides, and these with all types. Seed 4 has the
/// paper's engines.
arch::fetta::geometry random_geometry(std::uint64_t seed);

/// Makes programs of random CONTRACTs that a device takes: every mapping, splits, ragged extents, banked and linear
/// layouts, transpose layers, sums that are kept and gone on with, loops whose bases advance, between loads, stores,
/// signals and instructions of the vector unit. Numbers are bfloat16 of moderate size, and now and then special ones.
///
/// In memory on the bus: what the unified memory holds at first, then room for a dump of it.
class contraction_maker {
public:
    contraction_maker(std::uint64_t seed, const arch::fetta::geometry& geometry, std::uint64_t memory_base);

    std::uint64_t memory_bytes() const { return 2 * m_geometry.memory_bytes(); }
    /// What the memory holds at first.
    std::vector<std::uint8_t> data();
    /// Loads the whole unified memory, then some CONTRACTs.
    std::vector<std::uint8_t> program(unsigned contractions);
    /// Stores the whole unified memory.
    std::vector<std::uint8_t> dump() const;

    /// A CONTRACT that check() has nothing against; of few steps.
    arch::fetta::contract_command contraction();

private:
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(m_random() % n); }
    bool chance(double p) { return static_cast<double>(below(1000)) < 1000 * p; }

    arch::fetta::contract_command attempt();
    void split(arch::fetta::contract_command& c);
    void place_banked(arch::fetta::contract_command& c, unsigned role, std::uint32_t region);
    void place_linear(arch::fetta::contract_command& c, unsigned role, std::uint32_t region);
    std::uint32_t first_row(arch::element_type type, std::uint32_t region) const;
    void add(const arch::fetta::contract_command& c);
    void add_transfer(arch::opcode code, std::uint64_t memory, std::uint64_t local, arch::element_type type,
                      std::uint32_t elements);
    void add_chain();
    void add_loop();
    void add_random_transfer();
    void add_vector();

    arch::fetta::geometry m_geometry;
    std::uint64_t m_base;
    std::mt19937_64 m_random;
    arch::program_builder m_builder;
};

} // namespace tensorloom::test
