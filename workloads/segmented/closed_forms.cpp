#include <tensorloom/workloads/segmented/closed_forms.h>
#include <algorithm>
#include <string_view>
#include <vector>
#include <tensorloom/workloads/segmented/mmv_ram.h>
#include <tensorloom/workloads/segmented/products.h>
#include <tensorloom/workloads/segmented/scans.h>

namespace tensorloom::workloads {
namespace {

using isa::vector::functional_block;

// Adds up what the parts of an algorithm take. B is the word width of the circuit sizes.
class closed_form {
public:
    closed_form(const mmv::limits& device, unsigned word_bits)
        : m_device(device), m_side(device.side), m_bits(word_bits)
    {}

    mmv::mmv_ram_meter meter() const
    {
        mmv::mmv_ram_meter m = m_meter;
        m.mmu_macs = m.mmu_rows * m_side * m_side;
        m.mmu_cycles = m.mmu_rows + m.mmu_steps * (2 * m_side - 2) + m_side * m.weight_loads;
        return m;
    }

    // ---- what a tile hands on to the next one ----
    void keep_carry() { scalar(1); }
    void add_carry_to_first(bool unless_flagged)
    {
        scalar(1);
        if (!unless_flagged) { return; }
        logic(1, 1);
        selections(1, 1);
    }
    void add_carry_to_all(std::uint64_t n) { additions(1, n); }

    // ---- algorithms ----
    void scan(std::uint64_t n)
    {
        prefix_weights();
        for (; n > m_side; n = blocks(n)) {
            matrix(2, 2 * blocks(n) - 1);
            moves_of_ends(2, n);
            m_weights = weights::others;
        }
        matrix(1, blocks(n));
        if (m_weights == weights::others) { ++m_meter.weight_loads; }
    }
    void scan_vcu(std::uint64_t n) { additions(ceil_log(n, 2), n); }
    void scan_tree_vcu(std::uint64_t n)
    {
        for (; n > 1; n /= 2) {
            additions(2, n);
            moves(1, n / 2);
            moves(2, ceil_div(n, 2));
        }
    }
    void scan_on(scan_unit unit, std::uint64_t n)
    {
        switch (unit) {
        case scan_unit::matrix: return scan(n);
        case scan_unit::vector: return scan_vcu(n);
        case scan_unit::vector_tree: return scan_tree_vcu(n);
        }
    }
    void scan_hybrid(std::uint64_t n)
    {
        prefix_weights();
        matrix(1, blocks(n));
        if (n <= m_side) { return; }
        moves_of_ends(1, n);
        scan_vcu(blocks(n));
        carries_of_blocks(n);
    }
    void scan_tile(std::uint64_t n)
    {
        const std::uint64_t tile = m_side * m_side, tiles = ceil_div(n, tile);
        matrix(3 * tiles, 3 * tiles * m_side);
        m_meter.weight_loads += 3 * tiles;
        additions(2 * tiles, tile);
        scalar(tiles);
    }

    void compress(scan_unit unit, std::uint64_t n, std::uint64_t kept)
    {
        scan_on(unit, n);
        compress_counted(n, kept);
    }
    void compress_counted(std::uint64_t n, std::uint64_t kept)
    {
        selections(1, n);
        scalar(1);
        if (kept == 0) { return; }
        if (m_device.has(functional_block::compact)) { return vector(1, n, n * n * m_bits); }
        additions(1, n);
        selections(2, n);
        for (std::uint64_t d = 1; d < n; d *= 2) {
            selections(4, n);
            logic(2, n);
            additions(2, n - d);
        }
    }

    void difference(difference_unit unit, std::uint64_t n)
    {
        additions(1, n);
        if (unit == difference_unit::vector) { return; }
        matrix(1, blocks(n));
        ++m_meter.weight_loads;
        moves_of_ends(2, n);
    }

    void segmented_sum(scan_unit scans, difference_unit differences, std::uint64_t n, std::uint64_t segments)
    {
        scan_on(scans, n);
        scalar(1);
        compress(scans, n, segments);
        difference(differences, segments);
    }

    void sscr(scan_unit unit, std::uint64_t n, std::uint64_t segments, bool shared)
    {
        scan_on(unit, n);
        scan_on(unit, n);
        if (!shared) { scan_on(unit, n); }
        scalar(shared ? 3 : 2);
        compress_counted(n, segments);
        if (m_device.has(functional_block::revert)) {
            vector(1, n, n * n * m_bits + n * m_bits * m_bits);
        } else {
            additions(3 * (segments - 1), n);
            selections(2 * (segments - 1), n);
        }
    }

    void segscan(std::uint64_t n, bool masked)
    {
        prefix_weights();
        for (;; n = blocks(n)) {
            matrix(2, 2 * blocks(n));
            revert_blocks(n, masked || !m_device.has(functional_block::revspec));
            if (n <= m_side) { return; }
            moves_of_ends(2, n);
            logic(1, n);
            selections(3, n);
            additions(1, n);
        }
    }
    void segscan_loop(std::uint64_t n, std::vector<std::uint8_t> flags)
    {
        flags.resize(n);
        for (;; n = blocks(n)) {
            prefix_weights();
            matrix(2, 2 * blocks(n));
            additions(1, n);
            selections(1, n);
            moves_of_ends(1, n);
            vector(1, std::max(m_side + 1, blocks(n)), (m_side + 1) * blocks(n) * m_bits);
            m_weights = weights::none; // another program
            revert_rounds(most_in_a_block(flags), n);
            if (n <= m_side) { return; }
            moves_of_ends(2, n);
            logic(1, n);
            selections(3, n);
            additions(1, n);
            flags = any_in_blocks(flags);
        }
    }
    void segscan_hybrid(std::uint64_t n)
    {
        prefix_weights();
        matrix(2, 2 * blocks(n));
        revert_blocks(n, !m_device.has(functional_block::revspec));
        if (n <= m_side) { return; }
        moves_of_ends(1, n);
        logic(1, n);
        segscan_vcu(blocks(n));
        carries_of_blocks(n);
        selections(2, n);
    }
    void segscan_vcu(std::uint64_t n)
    {
        const unsigned rounds = ceil_log(n, 2);
        logic(2 * rounds, n);
        selections(rounds, n);
        additions(rounds, n);
        scalar(1);
    }

    void ewmul(sum_unit unit, std::uint64_t n, unsigned bits)
    {
        const std::uint64_t run = padded_terms(unit, bits, m_side);
        expansion(n, run, bits);
        sums_of_runs(unit, n * run, run);
    }
    void ewmul_seg(std::uint64_t n, unsigned bits)
    {
        expansion(n, bits, bits);
        segscan(n * bits, false);
        selections(1, n);
    }
    void mul(std::uint64_t n) { additions(1, n); } // as large a circuit

    void matrix_product(sum_unit unit, const product_shape& shape, std::optional<unsigned> bits)
    {
        const std::uint64_t run = padded_terms(unit, shape.inner, m_side);
        const std::uint64_t results = shape.rows * shape.columns;
        selections(2, results * run);
        products(unit, results * run, bits);
        sums_of_runs(unit, results * run, run);
        selections(1, results);
    }
    void gemm_tiled(const product_shape& shape)
    {
        const std::uint64_t down = blocks(shape.inner), across = blocks(shape.columns);
        matrix(down * across, down * across * shape.rows);
        m_meter.weight_loads += down * across;
        additions((down - 1) * across, shape.rows * m_side);
    }

    void spmv(scan_unit unit, const segmented_sizes& a)
    {
        if (no_elements(a)) { return; }
        matrix_elements(unit == scan_unit::matrix ? sum_unit::matrix : sum_unit::vector, a);
        scan_on(unit, a.elements);
        gather(a.rows, a.elements);
        additions(1, a.rows);
    }
    void spmv_scd(const segmented_sizes& a)
    {
        if (a.elements == 0) { return; }
        matrix_elements(sum_unit::matrix, a);
        flags(a);
        segmented_sum(scan_unit::matrix, difference_unit::vector, a.elements, a.results);
    }
    void spmv_segments(sum_unit unit, const segmented_sizes& a)
    {
        if (no_elements(a)) { return; }
        matrix_elements(unit, a);
        flags(a);
        unit == sum_unit::matrix ? segscan(a.elements, false) : segscan_vcu(a.elements);
        gather(a.rows, a.elements);
        additions(1, a.rows);
        selections(1, a.rows);
    }

private:
    enum class weights { none, prefix, others };

    std::uint64_t blocks(std::uint64_t n) const { return ceil_div(n, m_side); }

    // ---- units ----
    void matrix(std::uint64_t steps, std::uint64_t rows)
    {
        m_meter.mmu_steps += steps;
        m_meter.mmu_rows += rows;
    }
    void prefix_weights()
    {
        m_meter.weight_loads += m_weights == weights::prefix ? 0 : 1;
        m_weights = weights::prefix;
    }
    void scalar(std::uint64_t steps) { m_meter.scalar_steps += steps; }
    void vector(std::uint64_t steps, std::uint64_t elements, std::uint64_t gates)
    {
        m_meter.vcu_steps += steps;
        m_meter.vcu_elems += steps * elements;
        m_meter.vcu_circuit += steps * gates;
    }
    // ---- instructions by the size of their circuits ----
    void additions(std::uint64_t steps, std::uint64_t n) { vector(steps, n, n * m_bits * m_bits); }
    void selections(std::uint64_t steps, std::uint64_t n) { vector(steps, n, n * m_bits); }
    void logic(std::uint64_t steps, std::uint64_t n) { vector(steps, n, n); }
    void moves(std::uint64_t steps, std::uint64_t n) { vector(steps, n, n * m_bits); }
    void moves_of_ends(std::uint64_t steps, std::uint64_t n) { moves(steps, blocks(n)); }
    void gather(std::uint64_t n, std::uint64_t table) { vector(1, std::max(n, table), n * table * m_bits); }
    void expansion(std::uint64_t n, std::uint64_t run, unsigned bits) { vector(1, n * run, n * run * 2 * bits); }
    void flags(const segmented_sizes& a) { vector(1, std::max(a.elements, a.rows), a.elements * a.rows * m_bits); }

    // ---- parts ----
    void carries_of_blocks(std::uint64_t n) // the ends of blocks, all over the following ones, added
    {
        moves_of_ends(1, n);
        selections(1, n);
        additions(1, n);
    }
    void revert_blocks(std::uint64_t n, bool masked)
    {
        if (!masked) { return vector(1, n, n * m_side * m_bits + n * m_bits * m_bits); }
        const unsigned rounds = ceil_log(m_side, 2);
        additions(2 + 2 * rounds, n);
        selections(2 + 2 * rounds, n);
        logic(2 + rounds, n);
    }
    void revert_rounds(std::uint64_t rounds, std::uint64_t n)
    {
        additions(2 * rounds, n);
        selections(3 * rounds, n);
        matrix(rounds, rounds * blocks(n));
        m_meter.weight_loads += rounds > 0 ? 1 : 0;
    }
    std::uint64_t most_in_a_block(const std::vector<std::uint8_t>& flags) const
    {
        std::vector<std::uint64_t> counts(blocks(flags.size()));
        for (std::size_t i = 0; i < flags.size(); ++i) { counts[i / m_side] += flags[i] != 0; }
        return *std::max_element(counts.begin(), counts.end());
    }
    std::vector<std::uint8_t> any_in_blocks(const std::vector<std::uint8_t>& flags) const
    {
        std::vector<std::uint8_t> any(blocks(flags.size()));
        for (std::size_t i = 0; i < flags.size(); ++i) { any[i / m_side] |= flags[i] != 0; }
        return any;
    }
    void sums_of_runs(sum_unit unit, std::uint64_t n, std::uint64_t run)
    {
        if (unit == sum_unit::vector) {
            additions(ceil_log(run, 2), n);
            selections(1, n / run);
            return;
        }
        if (run > 1) { prefix_weights(); }
        for (; run > 1; run /= m_side, n /= m_side) {
            matrix(1, blocks(n));
            moves_of_ends(1, n);
        }
    }
    void products(sum_unit unit, std::uint64_t n, std::optional<unsigned> bits)
    {
        if (bits) {
            ewmul(unit, n, *bits);
        } else {
            mul(n);
        }
    }
    void matrix_elements(sum_unit unit, const segmented_sizes& a)
    {
        gather(a.elements, a.columns);
        products(unit, a.elements, a.bits);
    }
    bool no_elements(const segmented_sizes& a)
    {
        if (a.elements == 0) { scalar(1); }
        return a.elements == 0;
    }

    const mmv::limits& m_device;
    std::uint64_t m_side;
    std::uint64_t m_bits;
    mmv::mmv_ram_meter m_meter;
    weights m_weights = weights::none;
};

using sizes = const segmented_sizes&;

struct form_of_variant {
    const char* variant;
    void (*add)(closed_form&, sizes);
};

constexpr form_of_variant forms[] = {
    {"scan", [](closed_form& f, sizes a) { f.scan(a.elements); }},
    {"scan_tile", [](closed_form& f, sizes a) { f.scan_tile(a.elements); }},
    {"scan_vcu", [](closed_form& f, sizes a) { f.scan_vcu(a.elements); }},
    {"scan_tree_vcu", [](closed_form& f, sizes a) { f.scan_tree_vcu(a.elements); }},
    {"scan_hybrid", [](closed_form& f, sizes a) { f.scan_hybrid(a.elements); }},
    {"compress", [](closed_form& f, sizes a) { f.compress(scan_unit::matrix, a.elements, a.results); }},
    {"compress_vcu", [](closed_form& f, sizes a) { f.compress(scan_unit::vector, a.elements, a.results); }},
    {"diff_mmu", [](closed_form& f, sizes a) { f.difference(difference_unit::matrix, a.elements); }},
    {"diff_vcu", [](closed_form& f, sizes a) { f.difference(difference_unit::vector, a.elements); }},
    {"scd", [](closed_form& f,
               sizes a) { f.segmented_sum(scan_unit::matrix, difference_unit::vector, a.elements, a.results); }},
    {"scd_diff_mmu",
     [](closed_form& f, sizes a) {
         f.segmented_sum(scan_unit::matrix, difference_unit::matrix, a.elements, a.results);
     }},
    {"scd_vcu", [](closed_form& f,
                   sizes a) { f.segmented_sum(scan_unit::vector, difference_unit::vector, a.elements, a.results); }},
    {"scd_tree_vcu",
     [](closed_form& f, sizes a) {
         f.segmented_sum(scan_unit::vector_tree, difference_unit::vector, a.elements, a.results);
     }},
    {"sscr", [](closed_form& f, sizes a) { f.sscr(scan_unit::matrix, a.elements, a.results, false); }},
    {"sscr_shared", [](closed_form& f, sizes a) { f.sscr(scan_unit::matrix, a.elements, a.results, true); }},
    {"sscr_vcu", [](closed_form& f, sizes a) { f.sscr(scan_unit::vector, a.elements, a.results, true); }},
    {"sscr_tree_vcu", [](closed_form& f, sizes a) { f.sscr(scan_unit::vector_tree, a.elements, a.results, true); }},
    {"segscan", [](closed_form& f, sizes a) { f.segscan(a.elements, false); }},
    {"segscan_ks", [](closed_form& f, sizes a) { f.segscan(a.elements, true); }},
    {"segscan_loop", [](closed_form& f, sizes a) { f.segscan_loop(a.elements, a.flags); }},
    {"segscan_vcu", [](closed_form& f, sizes a) { f.segscan_vcu(a.elements); }},
    {"segscan_hybrid", [](closed_form& f, sizes a) { f.segscan_hybrid(a.elements); }},
    {"ewmul", [](closed_form& f, sizes a) { f.ewmul(sum_unit::matrix, a.elements, *a.bits); }},
    {"ewmul_seg", [](closed_form& f, sizes a) { f.ewmul_seg(a.elements, *a.bits); }},
    {"ewmul_vcu", [](closed_form& f, sizes a) { f.ewmul(sum_unit::vector, a.elements, *a.bits); }},
    {"mul", [](closed_form& f, sizes a) { f.mul(a.elements); }},
    {"matprod", [](closed_form& f, sizes a) { f.matrix_product(sum_unit::matrix, a.shape, a.bits); }},
    {"matprod_vcu", [](closed_form& f, sizes a) { f.matrix_product(sum_unit::vector, a.shape, a.bits); }},
    {"gemm_tiled", [](closed_form& f, sizes a) { f.gemm_tiled(a.shape); }},
    {"gemm_vcu", [](closed_form& f, sizes a) { f.matrix_product(sum_unit::vector, a.shape, std::nullopt); }},
    {"spmv", [](closed_form& f, sizes a) { f.spmv(scan_unit::matrix, a); }},
    {"spmv_scd", [](closed_form& f, sizes a) { f.spmv_scd(a); }},
    {"spmv_segscan", [](closed_form& f, sizes a) { f.spmv_segments(sum_unit::matrix, a); }},
    {"spmv_scan_vcu", [](closed_form& f, sizes a) { f.spmv(scan_unit::vector, a); }},
    {"spmv_tree_vcu", [](closed_form& f, sizes a) { f.spmv(scan_unit::vector_tree, a); }},
    {"spmv_vcu", [](closed_form& f, sizes a) { f.spmv_segments(sum_unit::vector, a); }},
    {"copy", [](closed_form&, sizes) {}},
};
static_assert(std::size(forms) == segmented_variant_count, "a closed form per variant");

} // namespace

template <class T> segmented_sizes sizes_of(const segmented_variant& variant, const segmented_problem<T>& problem)
{
    segmented_sizes a;
    a.elements = problem.x.size();
    a.shape = problem.shape;
    a.bits = problem.bits;
    const auto flags_from = [&](std::size_t first) {
        return static_cast<std::uint64_t>(std::count_if(problem.flags.begin() + static_cast<std::ptrdiff_t>(first),
                                                        problem.flags.end(),
                                                        [](std::uint8_t flag) { return flag != 0; }));
    };
    a.flags = problem.flags;
    switch (variant.operation) {
    case segmented_operation::compress: a.results = flags_from(0); break;
    case segmented_operation::segmented_sum:
    case segmented_operation::segmented_scan: a.results = 1 + flags_from(1); break;
    case segmented_operation::spmv:
        a.elements = problem.matrix.nonzeros();
        a.rows = problem.matrix.rows;
        a.columns = problem.matrix.columns;
        a.results = a.rows - problem.matrix.empty_rows();
        break;
    default: break;
    }
    return a;
}

mmv::mmv_ram_meter expected_meter(const segmented_variant& variant, const segmented_sizes& sizes,
                                  const mmv::limits& device, unsigned word_bits)
{
    closed_form form(device, word_bits);
    std::find_if(std::begin(forms), std::end(forms), [&](const form_of_variant& f) {
        return std::string_view(f.variant) == variant.name;
    })->add(form, sizes);
    return form.meter();
}

mmv::mmv_ram_meter expected_meter_of_tiles(const segmented_variant& variant, const std::vector<segmented_sizes>& tiles,
                                           const mmv::limits& device, unsigned word_bits)
{
    const bool scans = variant.operation == segmented_operation::scan;
    const bool hands_on = scans || variant.operation == segmented_operation::segmented_scan;
    closed_form carries(device, word_bits);
    for (std::size_t i = 0; hands_on && i < tiles.size(); ++i) {
        if (i + 1 < tiles.size()) { carries.keep_carry(); }
        if (i == 0) { continue; }
        if (scans && variant.is(inputs_as_left)) {
            carries.add_carry_to_all(tiles[i].elements);
        } else {
            carries.add_carry_to_first(!scans);
        }
    }
    mmv::mmv_ram_meter sum = carries.meter();
    const bool new_programs = variant.is(compacts) || variant.is(asks_host); // an array forgets its weights with each
    std::uint64_t loads_before = 0;
    for (const auto& tile : tiles) {
        const auto m = expected_meter(variant, tile, device, word_bits);
        sum += m;
        if (!new_programs && m.weight_loads == 1 && loads_before == 1) { // the same weights
            --sum.weight_loads;
            sum.mmu_cycles -= device.side;
        }
        loads_before = m.weight_loads;
    }
    return sum;
}

mmv::mmv_ram_meter expected_meter_of_parts(const segmented_variant& variant, const std::vector<segmented_sizes>& parts,
                                           const mmv::limits& device, unsigned word_bits)
{
    mmv::mmv_ram_meter sum;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        sum += expected_meter(variant, parts[i], device, word_bits);
        if (variant.operation != segmented_operation::scan || i == 0) { continue; }
        closed_form carry(device, word_bits);
        carry.add_carry_to_all(parts[i].elements);
        sum += carry.meter();
    }
    return sum;
}

template segmented_sizes sizes_of(const segmented_variant&, const segmented_problem<std::int64_t>&);
template segmented_sizes sizes_of(const segmented_variant&, const segmented_problem<double>&);

} // namespace tensorloom::workloads
