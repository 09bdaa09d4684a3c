#pragma once
#include <cstdint>
#include <tensorloom/models/costs/area.h>
#include <tensorloom/models/costs/dma_costs.h>
#include <tensorloom/models/costs/energy.h>
#include <tensorloom/models/costs/technology.h>
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/base/values/config_fields.h>
#include <tensorloom/models/base/values/element_type.h>

namespace tensorloom::fetta {

/// Parameters of the energy of a FETTA: the device, and the reading of the paper's power (Table III), which gives no
/// activity.
struct energy_settings {
    device_limits limits;
    std::uint32_t lanes = 64; ///< of the vector unit
    double clock_ghz = 1;

    /// Elements that the distribution networks deliver per cycle in Table III: 64 (one operand streams) or 128 (both
    /// do).
    unsigned distributed_elements = 64;
    /// Rows of the unified memory per cycle in Table III: 16 (one per bank) or 32 (as many as its banks have read
    /// ports).
    unsigned memory_rows = 16;
    /// Partial-sum format of Table III, which does not state it: f32 or bf16. The cost of the other format follows from
    /// it.
    base::element_type table_psum = base::element_type::f32;

    /// Energy of a padding multiply-add relative to any other: 1, or 0 with gated operands. 0 to 1.
    double padding_share = 1;

    costs::dma_build dma;    ///< adds components "dma" and "program_buffer"
    bool has_buffers = true; ///< gather and scatter buffers leak; off: the paper's hardware, without them
};

/// Parameter table of these settings: range of each, and its name in options and summaries. Valid while the settings
/// live.
base::config_fields fields_of(energy_settings& s);

/// Costs of `events`, and the power that does not depend on them.
///
///     mac, padding_mac    energy.contraction_engine.mac.<operand>, + (L-1) energy.cell.register_write.<psum>, L:
///                         limits.mac_latency; padding_mac x padding_share
///     ia_/ib_element      energy.distribution.element_<64|128>_per_cycle.<operand>
///     reduction_element   energy.reduction.element.<psum>
///     accumulator_psum    energy.accumulator.psum_update.<psum>
///     ia_/ib_row_read,    energy.unified_sram.row_<16|32>_per_cycle.64bit x P/4: rows of 16-bit elements
///     result_row_write,
///     load_row, store_row
///     vector_word_*       the same x 32/64
///     vector_op           energy.vector.operation.any
///     buffer_row          energy.cell.register_write.64bit + energy.cell.register_read.64bit, x P/4: its registers
///     buffer_word         16 bits x (N P^2 + N P) x 4 wire.pitch x wire.on_chip: its crossbar
///     others              energy.other.cycle.all every cycle: a constant power
///     leakage             leakage.die.sram x area of the two memories, leakage.die.logic x area of the other blocks of
///                         device_area() but `others`
///
/// Table III gives total power. Where a technology has the power of whole blocks (energy.<block>.cycle), the leakage of
/// the block's published area is therefore subtracted from the costs of its events and charged continuously: at the
/// paper's limits and 1 GHz, every row of Table III equals the cost of its event times its events per cycle, plus its
/// leakage. Events per cycle: 256 multiply-adds, 64 (128) elements distributed, 64 partial sums reduced, 64
/// accumulated, 16 (32) rows, 64 operations of the vector unit. The table's printed total omits the row Others.
///
/// Partial sums of another format than table_psum: reduction and accumulation in proportion to their bits,
/// multiply-adds as energy.contraction_engine.mac_bf16_sum to mac; estimates. Banks of other sizes than 32 KiB
/// (accumulator: 8 KiB): in proportion to energy.sram.access_64bit; an estimate, like a row of another P than 4. Other
/// numbers of banks than 16: networks in proportion to their levels, log2 N + 1 and log2 N; estimates. The table's
/// multiply-add is taken for one of L = 1; the registers of a longer one, a sum in each further cycle, are estimates.
///
/// Gather and scatter buffers are not in the paper. A buffer stores a row for each of the N P elements of a cycle, and
/// a full crossbar connects the N P^2 elements of these rows with N P lanes: every word drives the wires of a row and
/// of a column, whose switches are 4 x 4 wire pitches. All of it is an estimate.
///
/// Not charged: decoding and address generation beyond `others`. Throws input_error for a missing key or a setting out
/// of range.
costs::energy_model device_energy(const costs::technology& tech, const energy_settings& settings);

/// Area of a FETTA, by the components of `events`, "others", and last "buffers". Key `area.<block>` of the technology
/// (Table III of the paper) is the area for 16 engines of 4 x 4 PEs for bfloat16 with 512 KB and 128 KB of memory and
/// 64 lanes. The sum over these blocks is the total of the table; its printed total omits the row Others. A technology
/// without a key for engines or networks has the area of their gates (gate_area_um2): 16 engines, two distribution
/// networks, four lanes of reduction.
///
/// Gather buffers (two) and the scatter buffer, by the description above, an estimate: flip-flops of N P rows, and N
/// P^2 x N P x bits switches of 4 x 4 wire pitches. Bits: of an operand; of float32 sums.
///
/// Other limits, all estimates: engines scale with N P^2 and the gates of an element, and have L-1 further registers of
/// an operand and a sum per PE, a flip-flop per bit; distribution networks with N P (log2 N + 1) and the bits of an
/// operand; the reduction network with N P log2 N; accumulators with their bytes; unified memory with its bytes; the
/// vector unit with its lanes; others are constant. The reduction network and the accumulators do not scale with the
/// format of partial sums, which the paper does not state. Throws input_error for a missing key or invalid limits.
costs::floor_plan device_area(const costs::technology& tech, const device_limits& g, std::uint32_t lanes,
                              const costs::dma_build& dma = {});
costs::floor_plan device_area(const costs::technology& tech, const energy_settings& settings); ///< its device

} // namespace tensorloom::fetta
