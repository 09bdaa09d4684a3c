#include <algorithm>
#include <string>
#include <string_view>
#include <vector>
#include <tensorloom/models/arch/values/input_error.h>
#include <tensorloom/workloads/segmented/scans.h>
#include <tensorloom/workloads/segmented/products.h>
#include <tensorloom/workloads/segmented/mmv_ram.h>
#include <tensorloom/workloads/segmented/variants.h>

namespace tensorloom::workloads {
namespace {

using constant = constant_matrix;

[[noreturn]] void refuse(const std::string& line) { throw arch::input_error(line); }

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
    switch (variant.operation) {
    case segmented_operation::compress:
    case segmented_operation::segmented_sum:
    case segmented_operation::segmented_scan: require_size("flags", p.flags.size(), p.x.size()); break;
    case segmented_operation::product: require_size("right operand", p.y.size(), p.x.size()); break;
    case segmented_operation::matrix_product:
        require_size("left operand", p.x.size(), p.shape.rows * p.shape.inner);
        require_size("right operand", p.y.size(), p.shape.inner * p.shape.columns);
        if (p.y.empty()) { refuse("right operand: no element found, expected at least one"); }
        break;
    case segmented_operation::spmv:
        if (const auto wrong = complaint(p.matrix)) { refuse("matrix: " + *wrong); }
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

std::vector<constant> scan_constants(scan_unit unit)
{
    if (unit == scan_unit::vector) { return {}; }
    return {constant::prefix, constant::carry};
}

std::vector<constant> sum_constants(sum_unit unit)
{
    if (unit == sum_unit::vector) { return {}; }
    return {constant::prefix};
}

// Flags as words, `extra` words of room behind them.
mmv_array load_flags(mmv_ram& ram, const std::vector<std::uint8_t>& flags, std::uint64_t extra)
{
    const mmv_array f = ram.words(flags.size() + extra);
    std::vector<std::int64_t> words(flags.size());
    std::transform(flags.begin(), flags.end(), words.begin(), [](std::uint8_t flag) { return flag != 0; });
    ram.session().load(f, words);
    return f;
}

template <class T> using problem = const segmented_problem<T>&;
template <class T> using result = segmented_result<T>;

template <class T> result<T> run_scan(mmv_runtime& runtime, problem<T> p)
{
    mmv_ram ram(runtime, {constant::prefix, constant::carry});
    const mmv_array x = ram.loaded(p.x);
    scan(ram, x, x);
    return ram.finish<T>(x);
}

template <class T> result<T> run_scan_tile(mmv_runtime& runtime, problem<T> p)
{
    mmv_ram ram(runtime, {constant::prefix, constant::ones, constant::strictly_lower});
    const std::uint64_t tile = std::uint64_t{ram.side()} * ram.side();
    std::vector<T> padded = p.x;
    padded.resize(ceil_div(p.x.size(), tile) * tile);
    const mmv_array x = ram.loaded(padded), z = ram.words(padded.size());
    scan_tile(ram, z, x);
    return ram.finish<T>(slice(z, 0, p.x.size()));
}

template <class T> result<T> run_scan_vcu(mmv_runtime& runtime, problem<T> p)
{
    mmv_ram ram(runtime, {});
    return ram.finish<T>(scan_vcu(ram, ram.loaded(p.x)));
}

template <class T, scan_unit unit> result<T> run_compress(mmv_runtime& runtime, problem<T> p)
{
    mmv_ram ram(runtime, scan_constants(unit));
    const mmv_array x = ram.loaded(p.x);
    return ram.finish<T>(compress(ram, unit, x, load_flags(ram, p.flags, 0)));
}

template <class T> result<T> run_difference_mmu(mmv_runtime& runtime, problem<T> p)
{
    mmv_ram ram(runtime, {constant::difference});
    return ram.finish<T>(difference_mmu(ram, ram.loaded(p.x)));
}

template <class T> result<T> run_difference_vcu(mmv_runtime& runtime, problem<T> p)
{
    mmv_ram ram(runtime, {});
    return ram.finish<T>(difference_vcu(ram, ram.loaded(p.x)));
}

template <class T, scan_unit scans, difference_unit differences>
result<T> run_segmented_sum(mmv_runtime& runtime, problem<T> p)
{
    auto constants = scan_constants(scans);
    if (differences == difference_unit::matrix) { constants.push_back(constant::difference); }
    mmv_ram ram(runtime, constants);
    const mmv_array x = ram.loaded(p.x);
    return ram.finish<T>(segmented_sum(ram, scans, differences, x, load_flags(ram, p.flags, 1)));
}

using reverted_scan = mmv_array (*)(mmv_ram&, const mmv_array&, const mmv_array&);

template <class T, reverted_scan algorithm> result<T> run_reverted_scan(mmv_runtime& runtime, problem<T> p)
{
    mmv_ram ram(runtime, {constant::prefix, constant::carry});
    const mmv_array x = ram.loaded(p.x);
    return ram.finish<T>(algorithm(ram, x, load_flags(ram, p.flags, 1)));
}

template <class T> result<T> run_block_scan(mmv_ram& ram, block_revert by, problem<T> p)
{
    const mmv_array x = ram.loaded(p.x), f = load_flags(ram, p.flags, 0);
    return ram.finish<T>(block_segmented_scan(ram, by, x.elements)(x, f));
}

template <class T> result<T> run_segscan(mmv_runtime& runtime, problem<T> p)
{
    mmv_ram ram(runtime, {constant::prefix});
    return run_block_scan(ram, fitting_block_revert(ram), p);
}

template <class T> result<T> run_segscan_masked(mmv_runtime& runtime, problem<T> p)
{
    mmv_ram ram(runtime, {constant::prefix});
    return run_block_scan(ram, block_revert::masked, p);
}

template <class T> result<T> run_segscan_vcu(mmv_runtime& runtime, problem<T> p)
{
    mmv_ram ram(runtime, {});
    const mmv_array x = ram.loaded(p.x);
    return ram.finish<T>(segmented_scan_vcu(ram, x, load_flags(ram, p.flags, 0)));
}

template <class T, sum_unit unit> result<T> run_products(mmv_runtime& runtime, problem<T> p)
{
    mmv_ram ram(runtime, sum_constants(unit));
    const mmv_array a = ram.loaded(p.x), b = ram.loaded(p.y);
    return ram.finish<T>(products_by_bits(ram, unit, a, b, *p.bits));
}

template <class T> result<T> run_products_by_segments(mmv_runtime& runtime, problem<T> p)
{
    mmv_ram ram(runtime, {constant::prefix});
    const mmv_array a = ram.loaded(p.x), b = ram.loaded(p.y);
    return ram.finish<T>(products_by_segments(ram, a, b, *p.bits));
}

template <class T> result<T> run_mul(mmv_runtime& runtime, problem<T> p)
{
    mmv_ram ram(runtime, {});
    const mmv_array a = ram.loaded(p.x), b = ram.loaded(p.y);
    return ram.finish<T>(products_by_mul(ram, a, b));
}

template <class T, sum_unit unit, bool by_bits> result<T> run_matrix_product(mmv_runtime& runtime, problem<T> p)
{
    mmv_ram ram(runtime, sum_constants(unit));
    const mmv_array a = ram.loaded(p.x), b = ram.loaded(p.y);
    return ram.finish<T>(matrix_product_by_sums(ram, unit, a, b, p.shape, by_bits ? p.bits : std::nullopt));
}

template <class T> result<T> run_gemm_tiled(mmv_runtime& runtime, problem<T> p)
{
    mmv_ram ram(runtime, {});
    const auto tiles = tiles_of(p.y, p.shape, ram.side());
    const mmv_array a = ram.session().elements(p.x.size()), b = ram.session().elements(tiles.size());
    ram.session().load(a, p.x);
    ram.session().load(b, tiles);
    auto r = ram.finish<T>(matrix_product_by_tiles(ram, a, b, p.shape));
    r.values = rows_of(r.values, p.shape, ram.side());
    return r;
}

template <class T> result<T> run_spmv(mmv_runtime& runtime, problem<T> p)
{
    mmv_ram ram(runtime, {constant::prefix, constant::carry});
    return ram.finish<T>(spmv_by_scan(ram, load_spmv(ram, p.matrix, p.x), p.bits));
}

template <class T> result<T> run_spmv_scd(mmv_runtime& runtime, problem<T> p)
{
    mmv_ram ram(runtime, {constant::prefix, constant::carry});
    return ram.finish<T>(spmv_by_segmented_sum(ram, load_spmv(ram, p.matrix, p.x), p.bits));
}

template <class T, sum_unit unit> result<T> run_spmv_segments(mmv_runtime& runtime, problem<T> p)
{
    mmv_ram ram(runtime, sum_constants(unit));
    return ram.finish<T>(spmv_by_segmented_scan(ram, unit, load_spmv(ram, p.matrix, p.x), p.bits));
}

template <class T> struct runner {
    const char* variant;
    result<T> (*run)(mmv_runtime&, problem<T>);
};

template <class T>
constexpr runner<T> runners[] = {
    {"scan", run_scan<T>},
    {"scan_tile", run_scan_tile<T>},
    {"scan_vcu", run_scan_vcu<T>},
    {"compress", run_compress<T, scan_unit::matrix>},
    {"compress_vcu", run_compress<T, scan_unit::vector>},
    {"diff_mmu", run_difference_mmu<T>},
    {"diff_vcu", run_difference_vcu<T>},
    {"scd", run_segmented_sum<T, scan_unit::matrix, difference_unit::vector>},
    {"scd_diff_mmu", run_segmented_sum<T, scan_unit::matrix, difference_unit::matrix>},
    {"scd_vcu", run_segmented_sum<T, scan_unit::vector, difference_unit::vector>},
    {"sscr", run_reverted_scan<T, segmented_scan_revert>},
    {"sscr_shared", run_reverted_scan<T, segmented_scan_revert_shared>},
    {"segscan", run_segscan<T>},
    {"segscan_ks", run_segscan_masked<T>},
    {"segscan_vcu", run_segscan_vcu<T>},
    {"ewmul", run_products<T, sum_unit::matrix>},
    {"ewmul_seg", run_products_by_segments<T>},
    {"ewmul_vcu", run_products<T, sum_unit::vector>},
    {"mul", run_mul<T>},
    {"matprod", run_matrix_product<T, sum_unit::matrix, true>},
    {"matprod_vcu", run_matrix_product<T, sum_unit::vector, true>},
    {"gemm_tiled", run_gemm_tiled<T>},
    {"gemm_vcu", run_matrix_product<T, sum_unit::vector, false>},
    {"spmv", run_spmv<T>},
    {"spmv_scd", run_spmv_scd<T>},
    {"spmv_segscan", run_spmv_segments<T, sum_unit::matrix>},
    {"spmv_vcu", run_spmv_segments<T, sum_unit::vector>},
};
static_assert(std::size(runners<double>) == segmented_variant_count, "a runner per variant");

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
segmented_result<T> run_segmented(const segmented_variant& variant, mmv_runtime& runtime,
                                  const segmented_problem<T>& problem)
{
    const std::string reason = why_not(variant, runtime.limits(), problem.bits);
    if (!reason.empty()) { refuse(reason); }
    require_well_formed(variant, problem);
    const auto* found = std::find_if(std::begin(runners<T>), std::end(runners<T>),
                                     [&](const runner<T>& r) { return std::string_view(r.variant) == variant.name; });
    return found->run(runtime, problem);
}

template std::uint64_t largest_transfer(const segmented_variant&, const segmented_problem<std::int64_t>&,
                                        std::uint64_t);
template std::uint64_t largest_transfer(const segmented_variant&, const segmented_problem<double>&, std::uint64_t);
template segmented_result<std::int64_t> run_segmented(const segmented_variant&, mmv_runtime&,
                                                      const segmented_problem<std::int64_t>&);
template segmented_result<double> run_segmented(const segmented_variant&, mmv_runtime&,
                                                const segmented_problem<double>&);

} // namespace tensorloom::workloads
