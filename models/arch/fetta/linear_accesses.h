#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/arch/fetta/contract_command.h>
#include <tensorloom/models/arch/fetta/contract_index.h>
#include <tensorloom/models/arch/fetta/events.h>
#include <tensorloom/models/arch/fetta/geometry.h>
#include <tensorloom/models/arch/fetta/operand_role.h>
#include <tensorloom/models/arch/fetta/row_requests.h>

namespace tensorloom::arch::fetta {

/// The rows of linear operands and of a linear result that a CONTRACT asks the banks for in each cycle of its engines
/// (schedule.h), by formulas: any cycle can be looked at by itself. The command passes check() (limits.h).
class linear_accesses {
public:
    /// Of one cycle, or of many.
    struct numbers {
        std::uint64_t conflict_cycles = 0;   ///< that the cycle lasts longer than one
        std::array<std::uint64_t, 3> rows{}; ///< by operand_role: distinct rows, of elements of its type
    };

    linear_accesses(const contract_command& command, const geometry& g);

    /// Cycles from the first of the command to the last in which a row may pass.
    std::uint64_t cycles() const { return m_end; }
    numbers at(std::uint64_t cycle);
    /// Of all cycles, exactly.
    numbers all();
    /// Of all cycles, from this many of them: the first ones of the sequence i -> fraction of i x golden ratio, which
    /// are spread evenly however many there are, and fall in step with no loop of the command. Exact, from all, when
    /// there are no more cycles than that. The same each time.
    numbers estimate(std::uint64_t sample);

private:
    struct stream {
        operand_role role;
        linear_operand order;
        std::uint32_t shared;
        std::uint64_t first; // cycle of the first tile's first row
    };
    struct tile_row {
        contract_tile tile;
        std::uint64_t passed; // rows of the tile, before this one
    };

    std::optional<tile_row> row_at(std::uint64_t cycle) const;
    void request(const stream& s, const tile_row& at);

    contract_index m_index;
    std::uint32_t m_side, m_engines;
    bool m_output_stationary;
    std::uint64_t m_pass = 0;  // cycles of all pieces and contracted tiles
    std::uint64_t m_tiles = 0; // cycles of all tiles, one after the other
    std::uint64_t m_end = 0;
    std::vector<stream> m_streams;
    row_requests m_requests;
    std::vector<std::uint64_t> m_elements; // of one row
};

/// Puts these numbers of a whole command into its counts (contract_counts.h): conflict cycles, and 16-bit rows of what
/// is linear.
void count_linear(const linear_accesses::numbers& numbers, const contract_command& command, const geometry& g,
                  counts& to);

} // namespace tensorloom::arch::fetta
