#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/contract_index.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/blocks/address_generator.h>

namespace tensorloom::fetta {

/// The address generator of an operand or of the result of a CONTRACT: iterates over the beats in the order in which
/// the engines consume or produce them. Plain C++.
///
/// Source: "FETTA" (arXiv 2504.06474), section V-D: loop counters, bank transitions where loops wrap. Addresses are
/// counted (fetta/isa/contract_index.h computes the same ones by formulas); the indices of a beat, and the number of
/// them in range, come from those formulas applied to the loop counters.
///
///     loops, outermost first   batch tile, row tile, free | column tile, piece of the stream, contracted tile, row
///     row                      IA: step. IB: row in the tile from the last to the first, or step (output-stationary).
///                              Result: step, or row in the tile from the last to the first (output-stationary). The
///                              result has beats for every contracted tile: sums go to the accumulators of the port by
///                              which the result will leave.
///     banked                   a register of row and bank-index bits, side by side: a loop that advances or wraps adds
///                              its stride of positions, with carries from the bank index to the row. The bank-index
///                              bits are wired to those of the shared mask, through an exclusive or with the operand's
///                              bank
///     linear                   a mixed-radix counter for each engine's batch and middle index, and for each lane of
///                              each engine
class operand_address_generator {
public:
    operand_address_generator(operand_role role, const device_limits& limits);

    /// Starts a command that check() accepts (fetta/isa/contract_check.h) at its first beat. `index` belongs to this
    /// command and must outlive the run.
    void start(const contract_command& command, const contract_index& index);

    /// Advances to the next beat. False: there is none.
    bool step();

    /// The beat's tile, and its row or step in it, as in contract_index.
    const contract_tile& tile() const { return m_tile; }
    std::uint64_t row() const;
    /// The indices of the beat at an engine's port.
    beat_indices elements(std::uint32_t engine) const;

    /// Banked: the place of the rows of all ports, in registers that step() changes.
    const banked_place& place() const { return m_place; }
    /// Linear: positions in the linear order of the elements in range, elements(engine).lanes of them.
    void places(std::uint32_t engine, const beat_indices& elements, std::uint64_t* to);

private:
    static constexpr unsigned piece_loop = 3, contracted_loop = 4, row_loop = 5, loops = 6;

    /// Counters of an engine: by group, those shared by its lanes, then those of each lane.
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
