#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/contract_index.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/blocks/address_generator.h>

namespace tensorloom::fetta {

/// The address generator of an operand or of the result of a CONTRACT: walks the beats in the order in which the
/// engines need them, or give them. Plain C++.
///
/// Source: "FETTA" (arXiv 2504.06474), section V-D: loop counters, bank transitions where loops wrap. Places are made
/// by counting (the same ones from formulas are in fetta/isa/contract_index.h); which indices a beat has, and how many
/// of them are in range, are those formulas with the counters of the loops.
///
///     loops, outermost first   batch tile, row tile, free | column tile, piece of the stream, contracted tile, row
///     row                      IA: step. IB: row in the tile from the last to the first, or step (output-stationary).
///                              Result: step, or row in the tile from the last to the first (output-stationary); of
///                              every contracted tile, for sums go to the accumulators of the port by which the result
///                              will leave.
///     banked                   a register of row and bank-index bits, side by side: a loop that moves on or wraps adds
///                              its stride of positions, carries go from the bank index to the row. The bank-index bits
///                              are wired to those of the shared mask, under an exclusive or with the operand's bank
///     linear                   a counter of mixed radix for each engine's batch and middle index, and for each lane of
///                              each engine
class operand_address_generator {
public:
    operand_address_generator(operand_role role, const device_limits& limits);

    /// A command without complaint (fetta/isa/contract_check.h), with the indices of it, which must live as long as it
    /// runs. The first beat is there.
    void start(const contract_command& command, const contract_index& index);

    /// On to the next beat. False: that was the last one.
    bool step();

    /// The tile that the beat belongs to, and which row or step of it this is, as in contract_index.
    const contract_tile& tile() const { return m_tile; }
    std::uint64_t row() const;
    /// What the beat at the port of an engine holds.
    beat_indices elements(std::uint32_t engine) const;

    /// Banked: where the rows of all ports lie: registers, which step() changes.
    const banked_place& place() const { return m_place; }
    /// Linear: indices in the linear order of the elements that are in range, elements(engine).lanes of them.
    void places(std::uint32_t engine, const beat_indices& elements, std::uint64_t* to);

private:
    static constexpr unsigned piece_loop = 3, contracted_loop = 4, row_loop = 5, loops = 6;

    /// Counters of an engine: those of the indices in which its lanes agree, by group, and those of its lanes.
    struct linear_counters {
        blocks::digit_counter same[3];
        std::vector<blocks::digit_counter> lane;
    };

    void start_walk();
    void start_counters();
    void begin_tile();
    void set_place();

    operand_role m_role;
    device_limits m_limits;
    const contract_index* m_index = nullptr;
    contract_operand m_operand;
    bool m_output_stationary = false;

    blocks::address_generator m_walk; // banked: of row and bank-index bits
    banked_place m_place;
    std::int64_t m_row_stride = 0; // of positions
    bool m_descends = false;
    std::uint64_t m_first_row = 0; // of the tile
    contract_tile m_tile;

    std::uint32_t m_shared = 0;              // bits of the engine index that share the operand
    std::vector<linear_counters> m_counters; // by engine
};

} // namespace tensorloom::fetta
