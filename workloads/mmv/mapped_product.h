#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/workloads/mmv/program_builder.h>

namespace tensorloom::workloads {

/// Z (rows x columns) = A (rows x depth) times W (depth x columns).
struct mapped_sizes {
    std::uint64_t rows = 0, depth = 0, columns = 0;
};

/// A loop around the tiles of a product. Dimensions: K columns of Z, C depth, P, Q and N rows of A and Z, P innermost.
struct mapped_loop {
    char dimension = 'K';
    std::uint64_t count = 1;
};

/// How an array with a scratchpad for A and W and accumulators for Z computes a product: the loops over tiles,
/// outermost first, and the sizes of a tile.
struct product_mapping {
    std::vector<mapped_loop> outer;
    std::uint64_t p = 1, q = 1, n = 1; ///< rows of a tile: n x q x p
    std::uint64_t depth = 1, columns = 1;
    std::uint64_t array_depth = 1, array_columns = 1; ///< rows and columns of the array that weights fill

    std::uint64_t rows() const { return p * q * n; }
    std::uint64_t tiles() const; ///< of the whole product

    /// Entries of the scratchpad (elements) and of the accumulators (rows of the array's side) that a tile takes.
    std::uint64_t scratchpad_entries() const { return rows() * depth + depth * columns; }
    std::uint64_t accumulator_entries(std::uint64_t side) const { return rows() * ((columns + side - 1) / side); }
};

/// Reads a loop nest, outermost level first:
///
///     L3[WIO] K2 C8 - L2[WI] N1 K10X - L1[O] K50 C16 C16X - L0[W] N1
///
/// L3 is the memory on the bus, L2 the scratchpad (weights W, inputs I), L1 the accumulators (outputs O), L0 the
/// registers of the array (W). Each level has loops, dimension and count, X for those along the array: K at L2 (its
/// columns), C at L1 (its rows). The counts of a dimension multiply to the product's size; those of L2, L1 and L0 are a
/// tile's. Throws base::input_error with what was found and expected.
product_mapping parse_product_mapping(const std::string& text, const mapped_sizes& sizes, std::uint64_t side);

/// Sizes of the memories that a tile needs, all in the device's scratchpad.
struct mapped_memories {
    std::uint64_t scratchpad_entries = 0;  ///< elements of A and W
    std::uint64_t accumulator_entries = 0; ///< rows of sums as wide as the array
};

struct mapped_product_result {
    std::vector<std::int64_t> z; ///< row by row; int8: shifted right, rounded to nearest even, saturated
    session_costs costs;
};

/// Computes a product tile by tile, in the order of the mapping; its loops over C run innermost, so that sums stay in
/// the accumulators. W of a tile is loaded in blocks, groups of columns and pieces of the depth:
///
///     for the pieces of all tiles      LOAD A's piece
///         for its groups               LOAD W's block, up to two pieces before its product
///                                      PRODUCT, added to the sums; calls of up to s rows with the same q
///     after the last block of a tile   PACK_INT8 with the right shift (int8), and a STORE per group
///
/// A block has four times what the array holds in each direction; where that is less than the side along the depth,
/// once. A and W are loaded for every tile, also where the tile before had the same. Rows of Z in memory are no
/// narrower than the array, so that each is written by itself. Format int8 (block conversion), or another whose sums
/// stay words: f32 of f16. Throws as require_room(), and base::input_error for a device or a memory that is too small.
mapped_product_result mapped_product(mmv_session& session, const product_mapping& mapping, const mapped_sizes& sizes,
                                     const mapped_memories& memories, const std::vector<std::int64_t>& a,
                                     const std::vector<std::int64_t>& w, unsigned shift);

/// The same on the host, sums in 64 bits. `shift`: none for sums that are not packed.
std::vector<std::int64_t> mapped_reference(const mapped_sizes& sizes, const std::vector<std::int64_t>& a,
                                           const std::vector<std::int64_t>& w, std::optional<unsigned> shift);

/// Throws base::input_error for a tile that does not fit these memories.
void require_room(const product_mapping& mapping, const mapped_memories& memories, std::uint64_t side);

/// Bytes of a device's scratchpad that it needs, and bytes of data in memory.
std::uint64_t mapped_scratchpad_bytes(const product_mapping& mapping, const mapped_memories& memories,
                                      const mmv::limits& device);
std::uint64_t mapped_data_bytes(const mapped_sizes& sizes, const mmv::limits& device);

} // namespace tensorloom::workloads
