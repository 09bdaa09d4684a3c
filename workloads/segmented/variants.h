#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tensorloom/models/mmv/isa/limits.h>
#include <tensorloom/workloads/mmv/program_builder.h>
#include <tensorloom/workloads/segmented/problem.h>

namespace tensorloom::workloads {

struct written_range;

/// A result; every operation has several algorithms, its variants.
enum class segmented_operation {
    scan,
    compress,
    difference,
    segmented_sum,
    segmented_scan,
    product,
    matrix_product,
    spmv,
    copy
};

struct segmented_operation_name {
    segmented_operation operation;
    const char* name; ///< as in options: "segmented-sum"
    const char* meaning;
};

inline constexpr segmented_operation_name segmented_operations[] = {
    {segmented_operation::scan, "scan", "z[i] = x[0] + .. + x[i]"},
    {segmented_operation::compress, "compress", "the x[i] whose flag is set, in order"},
    {segmented_operation::difference, "difference", "z[i] = x[i] - x[i-1], x[-1] = 0"},
    {segmented_operation::segmented_sum, "segmented-sum", "the sum of each segment"},
    {segmented_operation::segmented_scan, "segmented-scan", "a scan that restarts at each segment"},
    {segmented_operation::product, "product", "z[i] = x[i] y[i]"},
    {segmented_operation::matrix_product, "matrix-product", "Z = X Y"},
    {segmented_operation::spmv, "spmv", "z = A x, A sparse, its rows compressed"},
    {segmented_operation::copy, "copy", "z = x"},
};

/// Multiplication of a variant.
enum class product_use {
    none,    ///< no products, or on the matrix unit; ignores bits
    choice,  ///< by EWMUL if the problem has bits, else by MUL
    by_bits, ///< by EWMUL: the problem must have bits
    by_mul   ///< by MUL; ignores bits
};

/// Other requirements and properties of a variant.
enum segmented_trait : unsigned {
    vector_only = 1u << 0,    ///< never uses the matrix unit: a baseline
    compacts = 1u << 1,       ///< uses COMPACT; without the block it needs an integer format
    inputs_as_left = 1u << 2, ///< matrix unit operands are inputs only, which may be narrower than words
    full_rows = 1u << 3,      ///< correct only if no row of the matrix is empty
    keeps_apart = 1u << 4,    ///< no sum has elements of two segments or rows: rounding errors stay in their own
    asks_host = 1u << 5       ///< besides what compacts, ends a program, because the host needs a count to continue
};

/// An algorithm of MMV-RAM (arXiv 2506.23906), or a baseline that it is compared with.
struct segmented_variant {
    const char* name;
    segmented_operation operation;
    product_use products;
    unsigned traits; ///< of segmented_trait
    const char* description;

    constexpr bool is(segmented_trait trait) const { return (traits & trait) != 0; }
};

inline constexpr segmented_variant segmented_variants[] = {
    {"scan", segmented_operation::scan, product_use::none, 0, "blocks on the matrix unit, their totals by recursion"},
    {"scan_tile", segmented_operation::scan, product_use::none, 0,
     "tiles of s x s one after the other, three matrix products each"},
    {"scan_vcu", segmented_operation::scan, product_use::none, vector_only,
     "vector unit alone: ceil(log2 n) shifted additions"},
    {"scan_tree_vcu", segmented_operation::scan, product_use::none, vector_only,
     "vector unit alone: sums of pairs, their scan by recursion, 5 floor(log2 n) steps over 7 n elements in all"},
    {"scan_hybrid", segmented_operation::scan, product_use::none, inputs_as_left,
     "blocks on the matrix unit, their totals by scan_vcu and into the blocks on the vector unit"},

    {"compress", segmented_operation::compress, product_use::none, compacts, "scan of the flags, then COMPACT"},
    {"compress_vcu", segmented_operation::compress, product_use::none, compacts | vector_only,
     "the same with scan_vcu"},

    {"diff_mmu", segmented_operation::difference, product_use::none, 0,
     "blocks on the matrix unit, then their boundaries"},
    {"diff_vcu", segmented_operation::difference, product_use::none, vector_only, "one shifted subtraction"},

    {"scd", segmented_operation::segmented_sum, product_use::none, compacts,
     "scan, compress, differentiate (diff_vcu)"},
    {"scd_diff_mmu", segmented_operation::segmented_sum, product_use::none, compacts,
     "scan, compress, differentiate on the matrix unit (diff_mmu)"},
    {"scd_vcu", segmented_operation::segmented_sum, product_use::none, compacts | vector_only, "scd with scan_vcu"},
    {"scd_tree_vcu", segmented_operation::segmented_sum, product_use::none, compacts | vector_only,
     "scd with scan_tree_vcu"},

    {"sscr", segmented_operation::segmented_scan, product_use::none, compacts,
     "speculative scan, scan of the flags, compress, REVERT"},
    {"sscr_shared", segmented_operation::segmented_scan, product_use::none, compacts,
     "sscr with one scan of the flags for both uses"},
    {"segscan", segmented_operation::segmented_scan, product_use::none, 0,
     "block by block with REVSPEC, block ends by recursion"},
    {"segscan_ks", segmented_operation::segmented_scan, product_use::none, 0,
     "segscan with masked instructions in place of REVSPEC"},
    {"segscan_loop", segmented_operation::segmented_scan, product_use::none, asks_host,
     "segscan with a loop over the segments of a block in place of REVSPEC"},
    {"segscan_vcu", segmented_operation::segmented_scan, product_use::none, vector_only | keeps_apart,
     "vector unit alone: ceil(log2 n) rounds of masked additions"},
    {"sscr_vcu", segmented_operation::segmented_scan, product_use::none, compacts | vector_only,
     "sscr_shared with scan_vcu"},
    {"sscr_tree_vcu", segmented_operation::segmented_scan, product_use::none, compacts | vector_only,
     "sscr_shared with scan_tree_vcu"},
    {"segscan_hybrid", segmented_operation::segmented_scan, product_use::none, inputs_as_left,
     "segscan on blocks, their ends by segscan_vcu"},

    {"ewmul", segmented_operation::product, product_use::by_bits, 0, "shifted copies, summed on the matrix unit"},
    {"ewmul_seg", segmented_operation::product, product_use::by_bits, 0,
     "shifted copies, summed by one segmented scan"},
    {"ewmul_vcu", segmented_operation::product, product_use::by_bits, vector_only,
     "shifted copies, summed by ceil(log2 bits) additions"},
    {"mul", segmented_operation::product, product_use::by_mul, vector_only, "the instruction MUL"},

    {"matprod", segmented_operation::matrix_product, product_use::by_bits, 0,
     "all products by ewmul, summed on the matrix unit"},
    {"matprod_vcu", segmented_operation::matrix_product, product_use::by_bits, vector_only,
     "all products by ewmul_vcu, summed on the vector unit"},
    {"gemm_tiled", segmented_operation::matrix_product, product_use::none, inputs_as_left,
     "tiles of s x s as weights of the matrix unit"},
    {"gemm_vcu", segmented_operation::matrix_product, product_use::by_mul, vector_only,
     "all products by MUL, summed on the vector unit"},

    {"spmv", segmented_operation::spmv, product_use::choice, 0, "scan of the products, differences at the row ends"},
    {"spmv_scd", segmented_operation::spmv, product_use::choice, compacts | full_rows,
     "scd of the products (section 4.3.3): one value per non-empty row"},
    {"spmv_segscan", segmented_operation::spmv, product_use::choice, 0,
     "segmented scan of the products (segscan), values at the row ends"},
    {"spmv_vcu", segmented_operation::spmv, product_use::choice, vector_only | keeps_apart,
     "segmented scan of the products by segscan_vcu, values at the row ends; rows never mix, whatever is rounded"},
    {"spmv_scan_vcu", segmented_operation::spmv, product_use::choice, vector_only, "spmv with scan_vcu"},
    {"spmv_tree_vcu", segmented_operation::spmv, product_use::choice, vector_only, "spmv with scan_tree_vcu"},

    {"copy", segmented_operation::copy, product_use::none, vector_only,
     "from memory into the scratchpad and back: a LOAD and a STORE, no step of the model"},
};

inline constexpr std::size_t segmented_variant_count = sizeof segmented_variants / sizeof segmented_variants[0];

/// By name. Throws base::input_error, which lists the names.
const segmented_variant& find_segmented_variant(const std::string& name);
segmented_operation parse_segmented_operation(const std::string& name);
const char* name_of(segmented_operation operation);
bool has_flags(segmented_operation operation); ///< of x: compress, segmented sums and scans

/// The default variant of an operation: scan, compress, diff_mmu, scd, segscan, ewmul, gemm_tiled, spmv, copy.
const segmented_variant& default_variant(segmented_operation operation);

/// The reason why this device cannot run a variant with these bits ("found .., expected .."); empty if it can.
std::string why_not(const segmented_variant& variant, const mmv::limits& device, std::optional<unsigned> bits);

/// Elements of the largest array that run_segmented() transfers between memory and scratchpad at once: operands as the
/// variant lays them out, its flags, constants, the result. The memory needs this size. T: int64_t or double.
template <class T>
std::uint64_t largest_transfer(const segmented_variant& variant, const segmented_problem<T>& problem,
                               std::uint64_t side);

/// Runs a variant on a device. T: int64_t or double. Functional blocks that the device lacks are replaced: REVSPEC by
/// masked instructions (segscan_ks), REVERT by a loop over the segments, COMPACT by ceil(log2 n) rounds of masked moves
/// (integers only); closed_forms.h has the counts. MUL is replaced only if the problem has bits. Throws
/// base::input_error for a problem that is not well formed or does not fit into the scratchpad (with the bytes
/// required), or for why_not(); program_error for a device error. `written`: gets the range of the integers that the
/// steps write, with the block REVERT.
template <class T>
segmented_result<T> run_segmented(const segmented_variant& variant, mmv_session& session,
                                  const segmented_problem<T>& problem, written_range* written = nullptr);

/// The reason why a variant does not run in tiles ("found .., expected .."); empty if it does: scans, segmented scans
/// and compress, differences and copies; segscan_hybrid in formats whose elements are words.
std::string why_not_in_tiles(const segmented_variant& variant, base::element_type format);

/// The parts of a problem of at most `tile` elements that run one after the other; a difference has the element before
/// its own in front.
template <class T>
std::vector<segmented_problem<T>> tiles_of(const segmented_variant& variant, const segmented_problem<T>& problem,
                                           std::uint64_t tile);

/// Runs a variant tile by tile through a scratchpad that holds two tiles and what one needs to be computed. A tile is
/// loaded while the one before is computed (where units overlap). A scan adds the last element of a tile to the first
/// element of the next one, or to all of its results where elements are narrower than words; a segmented scan unless
/// this starts a segment. Throws as run_segmented(), and base::input_error for why_not_in_tiles() and a tile of 0.
template <class T>
segmented_result<T> run_segmented_in_tiles(const segmented_variant& variant, mmv_session& session,
                                           const segmented_problem<T>& problem, std::uint64_t tile);

/// Runs a scan of a part of a vector. A first program scans it and stores its last result; `before` gets that and
/// returns the sum of the parts before, which a second program adds to all results; none: this is the first part.
/// Throws as run_segmented(), and base::input_error for another operation.
template <class T>
segmented_result<T> run_scan_part(const segmented_variant& variant, mmv_session& session,
                                  const segmented_problem<T>& problem,
                                  const std::function<std::optional<T>(T last)>& before);

} // namespace tensorloom::workloads
