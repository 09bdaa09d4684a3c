#include <algorithm>
#include <string>
#include <string_view>
#include <vector>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/segmented/scans.h>
#include <tensorloom/workloads/segmented/products.h>
#include <tensorloom/workloads/segmented/mmv_ram.h>
#include <tensorloom/workloads/segmented/variants.h>

namespace tensorloom::workloads {
namespace {

using constant = constant_matrix;

[[noreturn]] void refuse(const std::string& line) { throw base::input_error(line); }

void require_size(const char* what, std::uint64_t found, std::uint64_t expected)
{
    if (found != expected) {
        refuse(std::string(what) + ": " + std::to_string(found) + " elements found, expected " +
               std::to_string(expected));
    }
}

template <class T> void require_bits(const char* what, const std::vector<T>& operand, unsigned bits)
{
    const T most = static_cast<T>((std::uint64_t{1} << bits) - 1);
    for (std::size_t i = 0; i < operand.size(); ++i) {
        if (!(operand[i] >= 0 && operand[i] <= most)) {
            refuse(std::string(what) + ": " + std::to_string(operand[i]) + " found at " + std::to_string(i) +
                   ", expected 0 to " + std::to_string(most) + " (" + std::to_string(bits) + " bits)");
        }
    }
}

template <class T> void require_well_formed(const segmented_variant& variant, const segmented_problem<T>& p)
{
    const bool by_bits =
        variant.products == product_use::by_bits || (variant.products == product_use::choice && p.bits);
    if (has_flags(variant.operation)) { require_size("flags", p.flags.size(), p.x.size()); }
    switch (variant.operation) {
    case segmented_operation::product: require_size("right operand", p.y.size(), p.x.size()); break;
    case segmented_operation::matrix_product:
        require_size("left operand", p.x.size(), p.shape.rows * p.shape.inner);
        require_size("right operand", p.y.size(), p.shape.inner * p.shape.columns);
        if (p.y.empty()) { refuse("right operand: no element found, expected at least one"); }
        break;
    case segmented_operation::spmv:
        if (const auto wrong = validate(p.matrix)) { refuse("matrix: " + *wrong); }
        require_size("vector", p.x.size(), p.matrix.columns);
        if (by_bits) { require_bits("matrix", p.matrix.value, *p.bits); }
        break;
    default: break;
    }
    if (p.x.empty()) { refuse("operand: no element found, expected at least one"); }
    if (by_bits) {
        require_bits("left operand", p.x, *p.bits);
        require_bits("right operand", p.y, *p.bits);
    }
}

template <class T>
void require_runnable(const segmented_variant& variant, const mmv_session& session, const segmented_problem<T>& problem)
{
    const std::string reason = why_not(variant, session.limits(), problem.bits);
    if (!reason.empty()) { refuse(reason); }
    require_well_formed(variant, problem);
}

// Flags into an array that may be longer.
mmv_array load_flags(mmv_ram& ram, const mmv_array& f, const std::vector<std::uint8_t>& flags)
{
    std::vector<std::int64_t> numbers(flags.size());
    std::transform(flags.begin(), flags.end(), numbers.begin(), [](std::uint8_t flag) { return flag != 0; });
    ram.builder().load(f, numbers);
    return f;
}

// What a variant works on, in the scratchpad.
struct operands {
    mmv_array x;          // the vector, or the left operand
    mmv_array y;          // the right operand, or the flags
    mmv_array left_flags; // elements
    spmv_operands a;
    std::uint64_t elements = 0; // of x, without what fills up its last tile
    product_shape shape;
    std::optional<unsigned> bits;
};

enum class operand_form {
    words,           // as the problem has them
    whole_tiles,     // x with zeros up to a multiple of s x s
    left,            // x as elements, flags as elements and as words
    left_and_weights // what the matrix unit takes: x by rows, y tile by tile
};

// How a variant runs, with these constants in the scratchpad; the array of its result.
struct runner {
    const char* variant;
    std::vector<constant> constants;
    mmv_array (*run)(mmv_ram&, const operands&);
    std::uint64_t room = 0; // words after the flags
    operand_form form = operand_form::words;
};

const std::vector<constant> sums{constant::prefix}, scans{constant::prefix, constant::carry};

const runner runners[] = {
    {"scan", scans,
     [](auto& ram, auto& in) {
         scan(ram, in.x, in.x);
         return in.x;
     }},
    {"scan_tile",
     {constant::prefix, constant::ones, constant::strictly_lower},
     [](auto& ram, auto& in) {
         const mmv_array z = ram.words(in.x.elements);
         scan_tile(ram, z, in.x);
         return slice(z, 0, in.elements);
     },
     0,
     operand_form::whole_tiles},
    {"scan_vcu", {}, [](auto& ram, auto& in) { return scan_vcu(ram, in.x); }},
    {"scan_tree_vcu", {}, [](auto& ram, auto& in) { return scan_tree_vcu(ram, in.x); }},
    {"scan_hybrid", sums, [](auto& ram, auto& in) { return scan_hybrid(ram, in.x); }, 0, operand_form::left},
    {"compress", scans, [](auto& ram, auto& in) { return compress(ram, scan_unit::matrix, in.x, in.y); }},
    {"compress_vcu", {}, [](auto& ram, auto& in) { return compress(ram, scan_unit::vector, in.x, in.y); }},
    {"diff_mmu", {constant::difference}, [](auto& ram, auto& in) { return difference_mmu(ram, in.x); }},
    {"diff_vcu", {}, [](auto& ram, auto& in) { return difference_vcu(ram, in.x); }},
    {"scd", scans,
     [](auto& ram, auto& in) { return segmented_sum(ram, scan_unit::matrix, difference_unit::vector, in.x, in.y); }, 1},
    {"scd_diff_mmu",
     {constant::prefix, constant::carry, constant::difference},
     [](auto& ram, auto& in) { return segmented_sum(ram, scan_unit::matrix, difference_unit::matrix, in.x, in.y); },
     1},
    {"scd_vcu",
     {},
     [](auto& ram, auto& in) { return segmented_sum(ram, scan_unit::vector, difference_unit::vector, in.x, in.y); },
     1},
    {"scd_tree_vcu",
     {},
     [](auto& ram, auto& in) {
         return segmented_sum(ram, scan_unit::vector_tree, difference_unit::vector, in.x, in.y);
     },
     1},
    {"sscr", scans, [](auto& ram, auto& in) { return segmented_scan_revert(ram, in.x, in.y); }, 1},
    {"sscr_shared", scans,
     [](auto& ram, auto& in) { return segmented_scan_revert_shared(ram, scan_unit::matrix, in.x, in.y); }, 1},
    {"sscr_vcu",
     {},
     [](auto& ram, auto& in) { return segmented_scan_revert_shared(ram, scan_unit::vector, in.x, in.y); },
     1},
    {"sscr_tree_vcu",
     {},
     [](auto& ram, auto& in) { return segmented_scan_revert_shared(ram, scan_unit::vector_tree, in.x, in.y); },
     1},
    {"segscan", sums,
     [](auto& ram, auto& in) { return block_segmented_scan(ram, fitting_block_revert(ram), in.elements)(in.x, in.y); }},
    {"segscan_ks", sums,
     [](auto& ram, auto& in) { return block_segmented_scan(ram, block_revert::masked, in.elements)(in.x, in.y); }},
    {"segscan_loop",
     {constant::prefix, constant::ones},
     [](auto& ram, auto& in) { return block_segmented_scan(ram, block_revert::loop, in.elements)(in.x, in.y); }},
    {"segscan_vcu", {}, [](auto& ram, auto& in) { return segmented_scan_vcu(ram, in.x, in.y); }},
    {"segscan_hybrid", sums,
     [](auto& ram, auto& in) {
         block_segmented_scan scan(ram, fitting_block_revert(ram), in.elements);
         return scan.hybrid(in.x, in.left_flags, in.y);
     },
     0, operand_form::left},
    {"ewmul", sums, [](auto& ram, auto& in) { return products_by_bits(ram, sum_unit::matrix, in.x, in.y, *in.bits); }},
    {"ewmul_seg", sums, [](auto& ram, auto& in) { return products_by_segments(ram, in.x, in.y, *in.bits); }},
    {"ewmul_vcu",
     {},
     [](auto& ram, auto& in) { return products_by_bits(ram, sum_unit::vector, in.x, in.y, *in.bits); }},
    {"mul", {}, [](auto& ram, auto& in) { return products_by_mul(ram, in.x, in.y); }},
    {"matprod", sums,
     [](auto& ram, auto& in) { return matrix_product_by_sums(ram, sum_unit::matrix, in.x, in.y, in.shape, in.bits); }},
    {"matprod_vcu",
     {},
     [](auto& ram, auto& in) { return matrix_product_by_sums(ram, sum_unit::vector, in.x, in.y, in.shape, in.bits); }},
    {"gemm_tiled",
     {},
     [](auto& ram, auto& in) { return matrix_product_by_tiles(ram, in.x, in.y, in.shape); },
     0,
     operand_form::left_and_weights},
    {"gemm_vcu",
     {},
     [](auto& ram, auto& in) {
         return matrix_product_by_sums(ram, sum_unit::vector, in.x, in.y, in.shape, std::nullopt);
     }},
    {"spmv", scans, [](auto& ram, auto& in) { return spmv_by_scan(ram, scan_unit::matrix, in.a, in.bits); }},
    {"spmv_scd", scans, [](auto& ram, auto& in) { return spmv_by_segmented_sum(ram, in.a, in.bits); }},
    {"spmv_segscan", sums,
     [](auto& ram, auto& in) { return spmv_by_segmented_scan(ram, sum_unit::matrix, in.a, in.bits); }},
    {"spmv_scan_vcu", {}, [](auto& ram, auto& in) { return spmv_by_scan(ram, scan_unit::vector, in.a, in.bits); }},
    {"spmv_tree_vcu", {}, [](auto& ram, auto& in) { return spmv_by_scan(ram, scan_unit::vector_tree, in.a, in.bits); }},
    {"spmv_vcu", {}, [](auto& ram, auto& in) { return spmv_by_segmented_scan(ram, sum_unit::vector, in.a, in.bits); }},
    {"copy", {}, [](auto&, auto& in) { return in.x; }, 0, operand_form::left},
};
static_assert(std::size(runners) == segmented_variant_count, "a runner per variant");

const runner& runner_of(const segmented_variant& variant)
{
    return *std::find_if(std::begin(runners), std::end(runners),
                         [&](const runner& r) { return std::string_view(r.variant) == variant.name; });
}

bool has_right_operand(segmented_operation operation)
{
    return operation == segmented_operation::product || operation == segmented_operation::matrix_product;
}

template <class T>
operands load(mmv_ram& ram, const runner& how, segmented_operation operation, const segmented_problem<T>& p)
{
    operands in;
    in.elements = p.x.size();
    in.shape = p.shape;
    in.bits = p.bits;
    if (operation == segmented_operation::spmv) {
        in.a = load_spmv(ram, p.matrix, p.x);
    } else if (how.form == operand_form::left_and_weights) {
        const auto tiles = tiles_of(p.y, p.shape, ram.side());
        in.x = ram.builder().elements(p.x.size());
        in.y = ram.builder().elements(tiles.size());
        ram.builder().load(in.x, p.x);
        ram.builder().load(in.y, tiles);
    } else if (how.form == operand_form::left) {
        in.x = ram.builder().elements(p.x.size());
        ram.builder().load(in.x, p.x);
    } else if (how.form == operand_form::whole_tiles) {
        const std::uint64_t tile = std::uint64_t{ram.side()} * ram.side();
        std::vector<T> padded = p.x;
        padded.resize(ceil_div(p.x.size(), tile) * tile);
        in.x = ram.loaded(padded);
    } else {
        in.x = ram.loaded(p.x);
    }
    if (has_flags(operation)) {
        in.y = load_flags(ram, ram.words(p.flags.size() + how.room), p.flags);
        if (how.form == operand_form::left) {
            const bool narrow = ram.limits().format != ram.limits().word();
            in.left_flags = narrow ? load_flags(ram, ram.builder().elements(p.flags.size()), p.flags) : in.y;
        }
    } else if (has_right_operand(operation) && how.form == operand_form::words) {
        in.y = ram.loaded(p.y);
    }
    return in;
}

// The last result of the tile before into the first element of this one, unless that starts a segment.
void add_carry(mmv_ram& ram, const operands& in, const mmv_array& carry, bool segmented)
{
    const part_scope part(ram.builder(), primitives::update);
    const mmv_array first = slice(in.x, 0, 1);
    if (!segmented) { return ram.scalar_add(first, first, carry); }
    const mmv_array inside = ram.words(1), added = ram.words(1);
    ram.not_flags(inside, slice(in.y, 0, 1));
    ram.mask(added, carry, inside);
    ram.scalar_add(first, first, added);
}

std::uint64_t bytes_of(const mmv_array& array) { return array.elements * base::element_bytes(array.type); }

// Of the operands in memory; `room`: words after the flags, which are not loaded.
std::uint64_t bytes_of(const operands& in, std::uint64_t room)
{
    std::uint64_t bytes = 0;
    for (const auto& array : {in.x, in.y, in.a.row_starts, in.a.column, in.a.value, in.a.x}) {
        bytes += bytes_of(array);
    }
    if (in.left_flags.address != in.y.address) { bytes += bytes_of(in.left_flags); }
    return bytes - room * base::element_bytes(in.y.type);
}

// Of operands and result: the right operand; x and a row start; the element in front of a difference.
std::uint64_t shared_bytes_of(segmented_operation operation, const operands& in)
{
    switch (operation) {
    case segmented_operation::matrix_product: return bytes_of(in.y);
    case segmented_operation::spmv: return bytes_of(in.a.x) + base::element_bytes(in.a.row_starts.type);
    case segmented_operation::difference: return 2 * base::element_bytes(in.x.type);
    default: return 0;
    }
}

} // namespace

template <class T>
std::uint64_t largest_transfer(const segmented_variant& variant, const segmented_problem<T>& p, std::uint64_t side)
{
    const std::uint64_t tile = side * side; // also the constants
    std::uint64_t largest = std::max<std::uint64_t>({tile, p.x.size(), p.y.size(), p.matrix.row_starts.size(),
                                                     p.matrix.value.size(), p.shape.rows * p.shape.columns});
    const std::string_view name = variant.name;
    if (name == "scan_tile") { largest = std::max(largest, ceil_div(p.x.size(), tile) * tile); }
    if (name == "ewmul_seg") { largest = std::max<std::uint64_t>(largest, p.x.size() * p.bits.value_or(0)); }
    if (name == "gemm_tiled") {
        const std::uint64_t across = ceil_div(p.shape.columns, side);
        largest = std::max({largest, across * ceil_div(p.shape.inner, side) * tile, across * p.shape.rows * side});
    }
    return largest;
}

template <class T>
segmented_result<T> run_segmented(const segmented_variant& variant, mmv_session& session,
                                  const segmented_problem<T>& problem, written_range* written)
{
    require_runnable(variant, session, problem);
    const auto& how = runner_of(variant);
    mmv_ram ram(session, how.constants, written);
    const auto in = load(ram, how, variant.operation, problem);
    const auto values = how.run(ram, in);
    auto result = ram.finish<T>(values);
    result.data_bytes = bytes_of(in, how.room) + bytes_of(values);
    result.shared_bytes = shared_bytes_of(variant.operation, in);
    if (how.form == operand_form::left_and_weights) {
        result.values = rows_of(result.values, problem.shape, ram.side());
    }
    return result;
}

std::string why_not_in_tiles(const segmented_variant& variant, base::element_type format)
{
    switch (variant.operation) {
    case segmented_operation::scan:
    case segmented_operation::compress:
    case segmented_operation::difference:
    case segmented_operation::copy: return {};
    case segmented_operation::segmented_scan:
        if (!variant.is(inputs_as_left) || base::accumulator_type(format) == format) { return {}; }
        return std::string("found ") + variant.name + " in " + std::string(base::element_type_name(format)) +
               ", expected a format whose elements are words";
    default:
        return std::string("found ") + name_of(variant.operation) +
               ", expected scan, segmented-scan, compress, difference or copy";
    }
}

template <class T>
std::vector<segmented_problem<T>> tiles_of(const segmented_variant& variant, const segmented_problem<T>& problem,
                                           std::uint64_t tile)
{
    const auto part = [](const auto& values, std::uint64_t first, std::uint64_t end) {
        using list = std::decay_t<decltype(values)>;
        return values.empty() ? list() : list(values.data() + first, values.data() + end);
    };
    std::vector<segmented_problem<T>> tiles;
    for (std::uint64_t first = 0; first < problem.x.size(); first += tile) {
        const std::uint64_t end = std::min<std::uint64_t>(first + tile, problem.x.size());
        const std::uint64_t before = variant.operation == segmented_operation::difference && first > 0 ? 1 : 0;
        segmented_problem<T> t;
        t.x = part(problem.x, first - before, end);
        t.flags = part(problem.flags, first, end);
        tiles.push_back(std::move(t));
    }
    return tiles;
}

template <class T>
segmented_result<T> run_segmented_in_tiles(const segmented_variant& variant, mmv_session& session,
                                           const segmented_problem<T>& problem, std::uint64_t tile)
{
    require_runnable(variant, session, problem);
    const std::string reason = why_not_in_tiles(variant, session.limits().format);
    if (!reason.empty()) { refuse(reason); }
    if (tile == 0) { refuse("tile: found 0 elements, expected at least 1"); }
    const auto& how = runner_of(variant);
    const auto tiles = tiles_of(variant, problem, tile);
    mmv_ram ram(session, how.constants);
    auto& builder = ram.builder();
    const bool hands_on =
        variant.operation == segmented_operation::scan || variant.operation == segmented_operation::segmented_scan;
    const mmv_array carry = ram.words(1);

    // Tiles take turns in two places; the arrays to compute one follow.
    const std::uint64_t places = builder.mark();
    std::uint64_t place_bytes = 0;
    const auto load_tile = [&](std::size_t i) {
        builder.release(places + i % 2 * place_bytes);
        auto in = load(ram, how, variant.operation, tiles[i]);
        ram.words(1); // the first tile of a difference is an element shorter than the next
        place_bytes = std::max(place_bytes, builder.mark() - places - i % 2 * place_bytes);
        return in;
    };
    std::uint64_t bytes = 0;
    std::vector<std::vector<T>> stored(tiles.size());
    operands in = load_tile(0);
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        const operands now = in;
        if (i + 1 < tiles.size()) { in = load_tile(i + 1); }
        builder.release(places + 2 * place_bytes);
        const bool into_results =
            hands_on && i > 0 && variant.operation == segmented_operation::scan && how.form == operand_form::left;
        if (hands_on && i > 0 && !into_results) { add_carry(ram, now, carry, has_flags(variant.operation)); }
        mmv_array values = how.run(ram, now);
        {
            const part_scope part(builder, primitives::update);
            if (into_results) { ram.add_word(values, values, carry); }
            if (hands_on && i + 1 < tiles.size()) { ram.move(carry, slice(values, values.elements - 1, 1)); }
        }
        bytes += bytes_of(now, how.room);
        if (variant.operation == segmented_operation::difference && i > 0) {
            values = slice(values, 1, values.elements - 1);
            bytes -= base::element_bytes(now.x.type);
        }
        bytes += bytes_of(values);
        builder.store(values, stored[i]);
    }
    builder.run();
    segmented_result<T> result;
    static_cast<session_costs&>(result) = builder.costs();
    for (const auto& part : stored) { result.values.insert(result.values.end(), part.begin(), part.end()); }
    result.data_bytes = bytes;
    return result;
}

template <class T>
segmented_result<T> run_scan_part(const segmented_variant& variant, mmv_session& session,
                                  const segmented_problem<T>& problem,
                                  const std::function<std::optional<T>(T last)>& before)
{
    if (variant.operation != segmented_operation::scan) {
        refuse(std::string("found ") + name_of(variant.operation) + ", expected scan");
    }
    require_runnable(variant, session, problem);
    const auto& how = runner_of(variant);
    mmv_ram ram(session, how.constants);
    auto& builder = ram.builder();
    const auto in = load(ram, how, variant.operation, problem);
    const auto values = how.run(ram, in);
    std::vector<T> last;
    builder.store(slice(values, values.elements - 1, 1), last);
    builder.run();
    if (const auto sum = before(last.front())) {
        const part_scope part(builder, primitives::update);
        ram.add_word(values, values, ram.loaded(std::vector<T>{*sum}));
    }
    auto result = ram.finish<T>(values);
    result.data_bytes = bytes_of(in, how.room) + bytes_of(values);
    return result;
}

template std::uint64_t largest_transfer(const segmented_variant&, const segmented_problem<std::int64_t>&,
                                        std::uint64_t);
template std::vector<segmented_problem<std::int64_t>> tiles_of(const segmented_variant&,
                                                               const segmented_problem<std::int64_t>&, std::uint64_t);
template std::vector<segmented_problem<double>> tiles_of(const segmented_variant&, const segmented_problem<double>&,
                                                         std::uint64_t);
template segmented_result<std::int64_t> run_segmented_in_tiles(const segmented_variant&, mmv_session&,
                                                               const segmented_problem<std::int64_t>&, std::uint64_t);
template segmented_result<double> run_segmented_in_tiles(const segmented_variant&, mmv_session&,
                                                         const segmented_problem<double>&, std::uint64_t);
template std::uint64_t largest_transfer(const segmented_variant&, const segmented_problem<double>&, std::uint64_t);
template segmented_result<std::int64_t> run_scan_part(const segmented_variant&, mmv_session&,
                                                      const segmented_problem<std::int64_t>&,
                                                      const std::function<std::optional<std::int64_t>(std::int64_t)>&);
template segmented_result<double> run_scan_part(const segmented_variant&, mmv_session&,
                                                const segmented_problem<double>&,
                                                const std::function<std::optional<double>(double)>&);
template segmented_result<std::int64_t> run_segmented(const segmented_variant&, mmv_session&,
                                                      const segmented_problem<std::int64_t>&, written_range*);
template segmented_result<double> run_segmented(const segmented_variant&, mmv_session&,
                                                const segmented_problem<double>&, written_range*);

} // namespace tensorloom::workloads
