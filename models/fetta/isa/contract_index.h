#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>
#include <tensorloom/models/fetta/isa/operand_layout.h>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/fetta/isa/schedule.h>

namespace tensorloom::fetta {

/// Accumulator rows used by the sums of a whole command, with accumulate or keep.
std::uint64_t rows_of_sums(const contract_command& command, const device_limits& g);

/// One iteration of the loops of a command.
struct contract_tile {
    std::uint64_t batch = 0;      ///< gt
    std::uint64_t ia = 0;         ///< rt; 0 when stationary
    std::uint64_t ib = 0;         ///< ft, ct
    std::uint64_t piece = 0;      ///< of the stream
    std::uint64_t contracted = 0; ///< kt; 0 when output-stationary
    std::uint64_t first_step = 0; ///< of the stream
    std::uint64_t steps = 0;      ///< t of the piece, or K'
};

/// A command on a device with these limits: its tiles, and the beats of each port in them (device_limits.h). Keeps no
/// reference to either.
///
/// Steps count from 0 over the whole stream: tile.first_step to tile.first_step + tile.steps - 1. A beat of IB is a row
/// of the tile when stationary, a step when output-stationary; a beat of the result is a step when stationary, a row of
/// the tile when output-stationary.
class contract_index {
public:
    contract_index(const contract_command& command, const device_limits& g);

    const contract_loops& loops() const { return m_loops; }

    contract_tile first_tile() const;
    bool next(contract_tile& tile) const; ///< advances to the next tile; false: there is none

    beat_indices ia_beat(const contract_tile& tile, std::uint64_t step, std::uint32_t engine) const;
    beat_indices ib_beat(const contract_tile& tile, std::uint64_t row, std::uint32_t engine) const;
    /// Engines that differ only in bits of mask_contracted produce one beat together.
    beat_indices result_beat(const contract_tile& tile, std::uint64_t row, std::uint32_t engine) const;

    // Counters of a banked operand.
    std::array<std::uint64_t, 4> ia_counters(const contract_tile& tile, std::uint64_t step) const;
    std::array<std::uint64_t, 4> ib_counters(const contract_tile& tile, std::uint64_t row) const;
    std::array<std::uint64_t, 4> result_counters(const contract_tile& tile, std::uint64_t row) const;

    /// The row of the accumulators that a row of the result uses.
    std::uint64_t accumulator_row(const contract_tile& tile, std::uint64_t row) const;

private:
    struct engine_parts {
        std::uint32_t batch, contracted, ia, ib;
    };

    beat_indices contracted_lanes(std::uint64_t batch, std::uint64_t contracted, std::uint64_t free,
                                  std::uint64_t free_end) const;
    beat_indices free_lanes(std::uint64_t batch, std::uint64_t middle, std::uint64_t middle_end, std::uint64_t free,
                            std::uint64_t free_end) const;
    std::uint32_t lanes(std::uint64_t first, std::uint64_t end) const
    {
        return first >= end ? 0 : static_cast<std::uint32_t>(std::min<std::uint64_t>(m_side, end - first));
    }
    std::uint64_t first_contracted(const contract_tile& tile, const engine_parts& part) const
    {
        return (tile.contracted * m_parts.contracted + part.contracted) * m_side;
    }
    std::uint64_t first_ia(const contract_tile& tile, const engine_parts& part) const
    {
        return (tile.ia * m_parts.ia + part.ia) * m_side;
    }
    std::uint64_t first_ib(const contract_tile& tile, const engine_parts& part) const
    {
        return (tile.ib * m_parts.ib + part.ib) * m_side;
    }
    std::uint64_t batch_of(const contract_tile& tile, const engine_parts& part) const
    {
        return tile.batch * m_parts.batch + part.batch;
    }

    contract_loops m_loops;
    std::uint64_t m_batch, m_contracted, m_ia_free, m_ib_free;
    std::uint64_t m_first_accumulator;
    std::uint32_t m_side;
    bool m_output_stationary, m_horizontal, m_whole;
    engine_parts m_parts; ///< number of parts of each group
    std::vector<engine_parts> m_engines;
};

// ---- beats ----

/// Lanes along the contracted index; an index out of range gives zeros.
inline beat_indices contract_index::contracted_lanes(std::uint64_t batch, std::uint64_t contracted, std::uint64_t free,
                                                     std::uint64_t free_end) const
{
    beat_indices beat;
    beat.index = {batch, contracted, free};
    beat.along = 1;
    beat.present = batch < m_batch && free < free_end;
    beat.lanes = beat.present ? lanes(contracted, m_contracted) : 0;
    return beat;
}

/// Lanes along the last index. The middle index may be out of range: a contracted one gives zeros.
inline beat_indices contract_index::free_lanes(std::uint64_t batch, std::uint64_t middle, std::uint64_t middle_end,
                                               std::uint64_t free, std::uint64_t free_end) const
{
    beat_indices beat;
    beat.index = {batch, middle, free};
    beat.along = 2;
    beat.present = batch < m_batch && free < free_end;
    beat.lanes = beat.present && middle < middle_end ? lanes(free, free_end) : 0;
    return beat;
}

inline beat_indices contract_index::ia_beat(const contract_tile& tile, std::uint64_t step, std::uint32_t engine) const
{
    const engine_parts& part = m_engines[engine];
    if (m_output_stationary) {
        return free_lanes(batch_of(tile, part), part.contracted * m_loops.steps + step, m_contracted,
                          first_ia(tile, part), m_ia_free);
    }
    return contracted_lanes(batch_of(tile, part), first_contracted(tile, part), part.ia * m_loops.steps + step,
                            m_ia_free);
}

inline beat_indices contract_index::ib_beat(const contract_tile& tile, std::uint64_t row, std::uint32_t engine) const
{
    const engine_parts& part = m_engines[engine];
    const std::uint64_t batch = batch_of(tile, part);
    const std::uint64_t free = first_ib(tile, part);
    if (m_output_stationary) {
        return free_lanes(batch, part.contracted * m_loops.steps + row, m_contracted, free, m_ib_free);
    }
    const std::uint64_t contracted = first_contracted(tile, part);
    if (m_horizontal) { return contracted_lanes(batch, contracted, free + row, m_ib_free); }
    return free_lanes(batch, contracted + row, m_contracted, free, m_ib_free);
}

inline beat_indices contract_index::result_beat(const contract_tile& tile, std::uint64_t row,
                                                std::uint32_t engine) const
{
    const engine_parts& part = m_engines[engine];
    const std::uint64_t ia = m_output_stationary ? first_ia(tile, part) + row : part.ia * m_loops.steps + row;
    beat_indices written = free_lanes(batch_of(tile, part), ia, m_ia_free, first_ib(tile, part), m_ib_free);
    written.present = written.lanes != 0;
    return written;
}

} // namespace tensorloom::fetta
