#include <tensorloom/workloads/segmented/theorems.h>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <tensorloom/workloads/segmented/inputs.h>
#include <tensorloom/workloads/segmented/mmv_ram.h>

namespace tensorloom::workloads {
namespace {

using theorem_terms = segmented_theorem_terms;
using integer_problem = segmented_problem<std::int64_t>;

constexpr double flag_density = 0.1;
constexpr unsigned vector_bits = 3; // without signs, so that sums do not cancel
constexpr unsigned product_bits = 16, matrix_bits = 16, sparse_bits = 4;
constexpr attention_pattern sparse_pattern{1, 1};

double as_real(std::uint64_t n) { return static_cast<double>(n); }

// ---- bounds ----

std::uint64_t scan_steps(const theorem_terms& t) { return ceil_log(t.n, t.s); }
std::uint64_t product_steps(const theorem_terms& t) { return ceil_log(t.bits, t.s); }
std::uint64_t one_scan_steps(const theorem_terms& t) { return ceil_log(t.n * t.bits, t.s); }
// Products, then their sums: log_s(n B), each part rounded up.
std::uint64_t summed_product_steps(const theorem_terms& t) { return product_steps(t) + scan_steps(t); }

// M(n/s, s) of n elements: n / s rows of s x s.
double array_work(double n, const theorem_terms& t) { return n * as_real(t.s); }
double block_work(double n, const theorem_terms& t)
{
    return array_work(n, t) + n * as_real(t.w) * (as_real(t.s) + as_real(t.w));
}

double scan_work(const theorem_terms& t) { return array_work(as_real(t.n), t) + as_real(t.n) * as_real(t.w); }
double speculative_work(const theorem_terms& t)
{
    return array_work(as_real(t.n), t) + as_real(t.n) * as_real(t.n) * as_real(t.w);
}
double segmented_scan_work(const theorem_terms& t) { return block_work(as_real(t.n), t); }
double one_product_work(const theorem_terms& t) { return block_work(t.bits, t); }
double products_work(const theorem_terms& t) { return as_real(t.n) * one_product_work(t); }
double matrix_work(const theorem_terms& t) { return as_real(t.n) * as_real(t.n) * products_work(t); }
double sparse_work(const theorem_terms& t)
{
    const double all_to_all = as_real(t.n) * (as_real(t.columns) + as_real(t.n)) * as_real(t.w);
    return all_to_all + products_work(t);
}

// Words that hold n sums of numbers up to M, and a sign.
unsigned scan_bits(const theorem_terms& t) { return ceil_log(t.n * t.largest + 1, 2) + 1; }
unsigned one_product_bits(const theorem_terms& t) { return 2 * t.bits + ceil_log(t.bits, 2) + 1; }
unsigned summed_product_bits(const theorem_terms& t)
{
    return 2 * t.bits + std::max(ceil_log(t.bits, 2), ceil_log(t.n, 2)) + 1;
}

std::uint64_t elements_of(const theorem_terms& t) { return t.n; }
std::uint64_t bits_of(const theorem_terms& t) { return t.bits; }

// ---- problems ----

// The powers of s from `least` to `most`.
std::vector<std::uint64_t> powers(std::uint64_t side, std::uint64_t least, std::uint64_t most)
{
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t n = side; n <= most; n *= side) {
        if (n >= least) { sizes.push_back(n); }
    }
    return sizes;
}

std::vector<std::uint64_t> vector_sizes(std::uint64_t side) { return powers(side, 16, side > 4 ? 1u << 20 : 1u << 16); }
std::vector<std::uint64_t> operand_bits(std::uint64_t) { return {2, 4, 8, 16, 31}; }
std::vector<std::uint64_t> product_sizes(std::uint64_t side) { return powers(side, 4, 4096); }
std::vector<std::uint64_t> matrix_sides(std::uint64_t side)
{
    return side > 4 ? std::vector<std::uint64_t>{2, 4, 8, 16} : powers(side, 4, 64);
}
std::vector<std::uint64_t> sparse_rows(std::uint64_t) { return {16, 64, 256, 1024, 4096}; }

// Random data of one run differ by what they are for.
enum theorem_seed : std::uint64_t { seed_of_x, seed_of_y, seed_of_flags, seed_of_matrix, seeds };

integer_problem vector_problem(std::uint64_t n, std::uint64_t seed)
{
    integer_problem p;
    p.x = random_values<std::int64_t>(n, seeds * seed + seed_of_x, vector_bits);
    p.flags = random_flags(n, flag_density, seeds * seed + seed_of_flags);
    return p;
}

integer_problem product_problem(std::uint64_t n, unsigned bits, std::uint64_t seed)
{
    integer_problem p;
    p.bits = bits;
    p.x = random_values<std::int64_t>(n, seeds * seed + seed_of_x, bits);
    p.y = random_values<std::int64_t>(n, seeds * seed + seed_of_y, bits);
    return p;
}

integer_problem one_product(std::uint64_t bits, std::uint64_t seed)
{
    return product_problem(1, static_cast<unsigned>(bits), seed);
}

integer_problem many_products(std::uint64_t n, std::uint64_t seed) { return product_problem(n, product_bits, seed); }

integer_problem matrix_problem(std::uint64_t n, std::uint64_t seed)
{
    auto p = product_problem(n * n, matrix_bits, seed);
    p.shape = {n, n, n};
    return p;
}

integer_problem sparse_problem(std::uint64_t rows, std::uint64_t seed)
{
    integer_problem p;
    p.bits = sparse_bits;
    p.matrix = attention_matrix<std::int64_t>(rows, sparse_pattern, seeds * seed + seed_of_matrix, sparse_bits);
    p.x = random_values<std::int64_t>(rows, seeds * seed + seed_of_x, sparse_bits);
    return p;
}

// ---- claims ----

constexpr double flat = 1.25;

flatness_claim both_flat(std::uint64_t) { return {flat, flat}; }
flatness_claim steps_flat(std::uint64_t) { return {flat, std::nullopt}; }
flatness_claim steps_flat_on_large_arrays(std::uint64_t side) { return side > 4 ? steps_flat(side) : both_flat(side); }

constexpr std::string_view contiguous_sums = "ceil(log2(n M + 1)) + 1", of_n = "log2 n / log2 log2 n",
                           of_bits = "log2 B / log2 log2 B",
                           summed_products = "2 B + max(ceil(log2 B), ceil(log2 n)) + 1";

} // namespace

const std::vector<segmented_theorem>& segmented_theorems()
{
    static const std::vector<segmented_theorem> all{
        {"4.1", "scan", "n", "ceil(log_s n)", "n s + n w", contiguous_sums, of_n, scan_steps, scan_work, scan_bits,
         elements_of, vector_sizes, vector_problem, both_flat},
        {"4.2", "scd", "n", "ceil(log_s n)", "n s + n^2 w", contiguous_sums, of_n, scan_steps, speculative_work,
         scan_bits, elements_of, vector_sizes, vector_problem, both_flat},
        {"4.2", "sscr", "n", "ceil(log_s n)", "n s + n^2 w", contiguous_sums, of_n, scan_steps, speculative_work,
         scan_bits, elements_of, vector_sizes, vector_problem, both_flat},
        {"4.3", "segscan", "n", "ceil(log_s n)", "n s + n w (s + w)", contiguous_sums, of_n, scan_steps,
         segmented_scan_work, scan_bits, elements_of, vector_sizes, vector_problem, both_flat},
        {"lemma 4.4", "ewmul", "B", "ceil(log_s B)", "B s + B w (s + w)", "2 B + ceil(log2 B) + 1", of_bits,
         product_steps, one_product_work, one_product_bits, bits_of, operand_bits, one_product, steps_flat},
        {"corollary 4.5", "ewmul", "n", "ceil(log_s B)", "n (B s + B w (s + w))", "2 B + ceil(log2 B) + 1", of_bits,
         product_steps, products_work, one_product_bits, bits_of, product_sizes, many_products, both_flat},
        {"corollary 4.5, one scan", "ewmul_seg", "n", "ceil(log_s(n B))", "n (B s + B w (s + w))",
         "2 B + ceil(log2 B) + 1", of_bits, one_scan_steps, products_work, one_product_bits, bits_of, product_sizes,
         many_products, both_flat},
        {"4.6", "matprod", "n", "ceil(log_s n) + ceil(log_s B)", "n^3 (B s + B w (s + w))", summed_products, of_n,
         summed_product_steps, matrix_work, summed_product_bits, elements_of, matrix_sides, matrix_problem,
         steps_flat_on_large_arrays},
        {"4.7", "spmv", "nnz", "ceil(log_s nnz) + ceil(log_s B)", "nnz (n + nnz) w + nnz (B s + B w (s + w))",
         "2 B + max(ceil(log2 B), ceil(log2 nnz)) + 1", "log2 nnz / log2 log2 nnz", summed_product_steps, sparse_work,
         summed_product_bits, elements_of, sparse_rows, sparse_problem, both_flat},
        {"4.7, algorithm 4", "spmv_scd", "nnz", "ceil(log_s nnz) + ceil(log_s B)",
         "nnz (n + nnz) w + nnz (B s + B w (s + w))", "2 B + max(ceil(log2 B), ceil(log2 nnz)) + 1",
         "log2 nnz / log2 log2 nnz", summed_product_steps, sparse_work, summed_product_bits, elements_of, sparse_rows,
         sparse_problem, both_flat},
    };
    return all;
}

std::string segmented_theorem::title() const
{
    const bool numbered = std::isdigit(static_cast<unsigned char>(name.front())) != 0;
    return (numbered ? "theorem " : "") + std::string(name);
}

segmented_theorem_terms segmented_theorem::terms(const integer_problem& p, std::uint64_t side,
                                                 std::uint64_t word_bits) const
{
    theorem_terms t;
    t.s = side;
    t.w = word_bits;
    t.bits = p.bits.value_or(0);
    t.columns = p.matrix.columns;
    t.n = p.matrix.columns != 0 ? p.matrix.nonzeros() : p.shape.rows != 0 ? p.shape.rows : p.x.size();
    for (const std::int64_t v : p.x) { t.largest = std::max(t.largest, static_cast<std::uint64_t>(std::abs(v))); }
    return t;
}

std::vector<const segmented_variant*> vector_rivals(segmented_operation operation)
{
    std::vector<const segmented_variant*> rivals;
    for (const auto& v : segmented_variants) {
        if (v.operation == operation && v.is(vector_only) && v.products != product_use::by_mul) {
            rivals.push_back(&v);
        }
    }
    return rivals;
}

std::optional<double> parity_steps(std::uint64_t n)
{
    if (n < 4) { return std::nullopt; }
    const double levels = std::log2(as_real(n));
    return levels / std::log2(levels);
}

} // namespace tensorloom::workloads
