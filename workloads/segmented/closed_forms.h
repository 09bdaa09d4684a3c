#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/mmv/isa/limits.h>
#include <tensorloom/models/mmv/isa/meters.h>
#include <tensorloom/workloads/segmented/problem.h>
#include <tensorloom/workloads/segmented/variants.h>

namespace tensorloom::workloads {

/// Sizes that determine the counts of an algorithm.
struct segmented_sizes {
    std::uint64_t elements = 0; ///< n: length of x; spmv: elements of the matrix
    std::uint64_t results = 0;  ///< compress: elements kept; segmented operations: segments; spmv_scd: non-empty rows
    product_shape shape;        ///< matrix products
    std::uint64_t rows = 0;     ///< spmv
    std::uint64_t columns = 0;  ///< spmv
    std::optional<unsigned> bits;
    std::vector<std::uint8_t> flags; ///< segscan_loop: those in a block determine its rounds; missing ones are 0
};
template <class T> segmented_sizes sizes_of(const segmented_variant& variant, const segmented_problem<T>& problem);

/// The MMV-RAM model's closed form of a variant; a run must measure exactly these numbers.
///
/// With L = max(ceil(log_s n) - 1, 0), n_0 = n, n_{j+1} = ceil(n_j / s):
///
///     scan        2L+1 MMU, 2L VCU steps, rows sum_{j<L} (2 n_{j+1} - 1) + ceil(n_L / s), 2 weight loads (1 if L = 0)
///     scan_vcu    ceil(log2 n) VCU; scan_tree_vcu: 5 floor(log2 n) VCU
///     scan_tile   T = ceil(n / s^2): 3T MMU, 2T VCU, T scalar, 3Ts rows, 3T weight loads
///     compress    a scan, 2 VCU (1 when nothing is kept), 1 scalar
///     diff        diff_vcu: 1 VCU; diff_mmu: 1 MMU, 3 VCU
///     scd         a scan, a compress, a difference of the results, 1 scalar
///     sscr        a scan, a scan of the flags, a compress, 1 VCU, 2 scalar; sscr_shared, sscr_vcu, sscr_tree_vcu: one
///                 scan less, 1 scalar more
///     segscan     2(L+1) MMU, 8L+1 VCU, rows 2 sum_{j<=L} ceil(n_j / s), 1 weight load; segscan_ks: 7L + (6 + 5
///                 ceil(log2 s))(L+1) VCU
///     segscan_loop with R_j, the most flags in a block at level j: 2(L+1) + R MMU, 7L + 4(L+1) + 5R VCU, R = sum R_j;
///                 rows sum_{j<=L} (2 + R_j) ceil(n_j / s); a weight load per level and one more where R_j > 0
///     segscan_vcu 4 ceil(log2 n) VCU, 1 scalar
///     ewmul       ceil(log_s bits) MMU and one VCU more; ewmul_vcu: ceil(log2 bits) + 2 VCU
///     ewmul_seg   a segscan of n bits, 2 VCU
///     matprod     of rows x columns x s^ceil(log_s inner): an ewmul, ceil(log_s inner) MMU, 3 + ceil(log_s inner) VCU
///     gemm_tiled  T = ceil(inner/s) ceil(columns/s): T MMU, T rows, T weight loads, T - ceil(columns/s) VCU
///     spmv        2 VCU for the products (MUL) or an ewmul and 1 VCU, a scan, 2 VCU; only 1 scalar without elements
///     spmv_scd    the products, 1 VCU, an scd; spmv_segscan, spmv_vcu: the products, 1 VCU, a segmented scan, 3 VCU
///     copy        nothing
///
/// Without the block REVSPEC segscan is segscan_ks. Without REVERT its step becomes 5 (segments - 1) steps of n
/// elements. Without COMPACT its step becomes 3 + 8 ceil(log2 n) steps: three of n elements, and per round 6 of n and 2
/// of n minus the round's distance. word_bits: B of the circuit sizes (mmv::config::word_bits).
mmv::mmv_ram_meter expected_meter(const segmented_variant& variant, const segmented_sizes& sizes,
                                  const mmv::limits& device, unsigned word_bits);

/// The same for tiles of these sizes, one after the other (run_segmented_in_tiles()). What a tile hands on takes a
/// scalar step in each tile but the last. Adding it takes a scalar step (scans), and two vector steps of one element
/// more in segmented scans; scan_hybrid adds it in a vector step to all elements. Weights that the tile before used
/// last are not loaded again in the same program.
mmv::mmv_ram_meter expected_meter_of_tiles(const segmented_variant& variant, const std::vector<segmented_sizes>& tiles,
                                           const mmv::limits& device, unsigned word_bits);

/// The same for parts of these sizes, each on a device of its own (parts.h). A scan adds the parts before to all
/// results of a part but the first, in a vector step.
mmv::mmv_ram_meter expected_meter_of_parts(const segmented_variant& variant, const std::vector<segmented_sizes>& parts,
                                           const mmv::limits& device, unsigned word_bits);

} // namespace tensorloom::workloads
