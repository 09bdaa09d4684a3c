#include <tensorloom/workloads/segmented/scans.h>
#include <algorithm>
#include <numeric>
#include <utility>

namespace tensorloom::workloads {

using isa::vector::functional_block;

namespace {

mmv_array words_before(mmv_ram& ram, std::uint64_t n, std::uint64_t room) { return slice(ram.words(n + room), 0, n); }

} // namespace

void scan(mmv_ram& ram, const mmv_array& z, const mmv_array& x)
{
    const part_scope part(ram.builder(), primitives::scan);
    const std::uint64_t n = z.elements, s = ram.side();
    ram.matmul(z, x, constant_matrix::prefix);
    if (n <= s) { return; }
    const scratch_scope scratch(ram.builder());
    const mmv_array g = ram.words(ceil_div(n, s)); // block totals
    ram.gather_last(g, z);
    scan(ram, g, g);
    ram.scatter_last(z, g); // the last element of every whole block is now final
    // Row b is the final last element of block b with the first s-1 elements of block b+1: rows need not start at a
    // multiple of s.
    const mmv_array rows = slice(z, s - 1, std::min((g.elements - 1) * s, n - (s - 1)));
    ram.matmul(rows, rows, constant_matrix::carry);
}

mmv_array scan_vcu(mmv_ram& ram, const mmv_array& x, std::uint64_t room)
{
    const part_scope part(ram.builder(), primitives::scan);
    // Shifted operands are no results: rounds take turns between two arrays.
    const std::uint64_t n = x.elements;
    mmv_array z = x, next = words_before(ram, n, room), spare = words_before(ram, n, room);
    for (std::uint64_t d = 1; d < n; d *= 2) {
        ram.add(next, z, shifted(z, d));
        z = next;
        std::swap(next, spare);
    }
    return z;
}

mmv_array scan_tree_vcu(mmv_ram& ram, const mmv_array& x, std::uint64_t room)
{
    const part_scope part(ram.builder(), primitives::scan);
    const std::uint64_t n = x.elements;
    if (n <= 1) { return x; }
    constexpr std::uint64_t pair = 2;
    const mmv_array z = words_before(ram, n, room);
    const scratch_scope scratch(ram.builder());
    const mmv_array sums = ram.words(n), of_pairs = ram.words(n / pair);
    ram.add(sums, x, shifted(x, 1));
    ram.gather_last(of_pairs, slice(sums, 0, n / pair * pair), pair);
    const mmv_array ends = scan_tree_vcu(ram, of_pairs);
    ram.scatter_last_into_zeros(sums, ends, pair);
    ram.add(z, x, shifted(sums, 1));
    ram.scatter_last(z, ends, pair);
    return z;
}

namespace {

// ends[b-1] at all elements of block b, 0 at those of the first block.
mmv_array ends_before_blocks(mmv_ram& ram, std::uint64_t n, const mmv_array& ends)
{
    const mmv_array scattered = ram.words(n), carried = ram.words(n);
    ram.scatter_last_into_zeros(scattered, ends);
    ram.fill_first(carried, shifted(scattered, 1));
    return carried;
}

} // namespace

mmv_array scan_hybrid(mmv_ram& ram, const mmv_array& x)
{
    const part_scope part(ram.builder(), primitives::scan);
    const std::uint64_t n = x.elements;
    const mmv_array z = ram.words(n);
    ram.matmul(z, x, constant_matrix::prefix);
    if (n <= ram.side()) { return z; }
    const scratch_scope scratch(ram.builder());
    const mmv_array totals = ram.words(ceil_div(n, ram.side()));
    ram.gather_last(totals, z);
    ram.add(z, z, ends_before_blocks(ram, n, scan_vcu(ram, totals)));
    return z;
}

void scan_tile(mmv_ram& ram, const mmv_array& z, const mmv_array& x)
{
    const part_scope part(ram.builder(), primitives::scan);
    const std::uint64_t s = ram.side(), tile = s * s;
    const scratch_scope scratch(ram.builder());
    const mmv_array carry = ram.loaded(std::vector<std::int64_t>{0});
    const mmv_array row_sums = ram.words(tile), rows_before = ram.words(tile);
    for (std::uint64_t first = 0; first < z.elements; first += tile) {
        const mmv_array a = slice(x, first, tile), v = slice(z, first, tile);
        ram.matmul(v, a, constant_matrix::prefix);
        ram.matmul(row_sums, a, constant_matrix::ones);
        ram.matmul(rows_before, ram.constant(constant_matrix::strictly_lower), row_sums);
        ram.add(v, v, rows_before);
        ram.add_word(v, v, carry);
        ram.move(carry, slice(v, tile - 1, 1));
    }
}

mmv_array scan_on(scan_unit unit, mmv_ram& ram, const mmv_array& x, std::uint64_t room)
{
    if (unit == scan_unit::vector) { return scan_vcu(ram, x, room); }
    if (unit == scan_unit::vector_tree) { return scan_tree_vcu(ram, x, room); }
    const mmv_array z = words_before(ram, x.elements, room);
    scan(ram, z, x);
    return z;
}

mmv_array difference_vcu(mmv_ram& ram, const mmv_array& x)
{
    const part_scope part(ram.builder(), primitives::diff);
    const mmv_array z = ram.words(x.elements);
    ram.sub(z, x, shifted(x, 1));
    return z;
}

mmv_array difference_mmu(mmv_ram& ram, const mmv_array& x)
{
    const part_scope part(ram.builder(), primitives::diff);
    const std::uint64_t n = x.elements;
    const mmv_array z = ram.words(n), before = ram.words(n), last = ram.words(ceil_div(n, ram.side()));
    ram.matmul(z, x, constant_matrix::difference);
    ram.gather_last(last, x);
    ram.scatter_last_into_zeros(before, last);
    ram.sub(z, z, shifted(before, 1));
    return z;
}

namespace {

// Moves what has bit k of its distance 2^k places to the left; all else stays.
void move_left(mmv_ram& ram, const mmv_array& values, const mmv_array& moves, const mmv_array& stays,
               const mmv_array& moving, std::uint64_t places)
{
    ram.mask(moving, values, moves);
    ram.mask(values, values, stays);
    const std::uint64_t reached = values.elements - places;
    const mmv_array to = slice(values, 0, reached);
    ram.add(to, to, slice(moving, places, reached));
}

mmv_array compact_by_rounds(mmv_ram& ram, const mmv_array& x, const mmv_array& position)
{
    const std::uint64_t n = x.elements;
    std::vector<std::int64_t> ordinals(n);
    std::iota(ordinals.begin(), ordinals.end(), 1);
    const mmv_array distance = ram.loaded(ordinals);
    ram.sub(distance, distance, position);
    ram.mask(distance, distance, position);
    const mmv_array values = ram.words(n);
    ram.mask(values, x, position);
    const mmv_array moves = ram.words(n), stays = ram.words(n), moving = ram.words(n);
    for (unsigned k = 0; k < ceil_log(n, 2); ++k) {
        ram.bit(moves, distance, k);
        ram.not_flags(stays, moves);
        move_left(ram, values, moves, stays, moving, std::uint64_t{1} << k);
        move_left(ram, distance, moves, stays, moving, std::uint64_t{1} << k);
    }
    return values;
}

} // namespace

mmv_array compress(mmv_ram& ram, scan_unit unit, const mmv_array& x, const mmv_array& f)
{
    const part_scope part(ram.builder(), primitives::compress);
    return compress_counted(ram, x, f, scan_on(unit, ram, f));
}

mmv_array compress_counted(mmv_ram& ram, const mmv_array& x, const mmv_array& f, const mmv_array& counted)
{
    const part_scope part(ram.builder(), primitives::compress);
    const mmv_array position = ram.words(x.elements);
    const mmv_array count = ram.words(1);
    ram.mask(position, counted, f);
    ram.move(count, slice(counted, x.elements - 1, 1));
    std::vector<std::int64_t> kept;
    ram.builder().store(count, kept);
    ram.builder().run();
    return compact(ram, x, position, static_cast<std::uint64_t>(kept[0]));
}

mmv_array compact(mmv_ram& ram, const mmv_array& x, const mmv_array& position, std::uint64_t kept)
{
    if (kept == 0) { return slice(x, 0, 0); }
    if (!ram.has(functional_block::compact)) { return slice(compact_by_rounds(ram, x, position), 0, kept); }
    const mmv_array z = ram.words(kept);
    ram.compact(z, x, position);
    return z;
}

mmv_array segment_ends(mmv_ram& ram, const mmv_array& f)
{
    const part_scope part(ram.builder(), primitives::flags);
    ram.set(slice(f, f.elements - 1, 1), 1);
    return slice(f, 1, f.elements - 1);
}

namespace {

// The first element starts a segment in any case, number 0.
void clear_first_flag(mmv_ram& ram, const mmv_array& f)
{
    const part_scope part(ram.builder(), primitives::flags);
    ram.set(slice(f, 0, 1), 0);
}

} // namespace

mmv_array segmented_sum(mmv_ram& ram, scan_unit scans, difference_unit differences, const mmv_array& x,
                        const mmv_array& f)
{
    const mmv_array prefix_sums = scan_on(scans, ram, x);
    const mmv_array at_ends = compress(ram, scans, prefix_sums, segment_ends(ram, f));
    return differences == difference_unit::matrix ? difference_mmu(ram, at_ends) : difference_vcu(ram, at_ends);
}

mmv_array segmented_scan_revert(mmv_ram& ram, const mmv_array& x, const mmv_array& f)
{
    const std::uint64_t n = x.elements;
    const mmv_array prefix_sums = scan_on(scan_unit::matrix, ram, x);
    clear_first_flag(ram, f);
    const mmv_array segment = scan_on(scan_unit::matrix, ram, slice(f, 0, n));
    const mmv_array at_ends = compress(ram, scan_unit::matrix, prefix_sums, segment_ends(ram, f));
    revert(ram, prefix_sums, segment, at_ends);
    return prefix_sums;
}

mmv_array segmented_scan_revert_shared(mmv_ram& ram, scan_unit unit, const mmv_array& x, const mmv_array& f)
{
    const std::uint64_t n = x.elements;
    const mmv_array prefix_sums = scan_on(unit, ram, x);
    clear_first_flag(ram, f);
    const mmv_array segment = scan_on(unit, ram, slice(f, 0, n), 1);
    const mmv_array ends = segment_ends(ram, f);
    // Segments that end up to i: the number of the segment of i + 1. For one element the word after it is the flag of
    // its end, which stays 1.
    const auto compressed = [&] {
        const part_scope part(ram.builder(), primitives::compress);
        ram.scalar_add(slice(segment, n, 1), slice(segment, n - 1, 1), slice(ends, n - 1, 1));
        return compress_counted(ram, prefix_sums, ends, slice(segment, 1, n));
    };
    const mmv_array at_ends = compressed();
    revert(ram, prefix_sums, slice(segment, 0, n), at_ends);
    return prefix_sums;
}

void revert(mmv_ram& ram, const mmv_array& x, const mmv_array& g, const mmv_array& w)
{
    const part_scope part(ram.builder(), primitives::revert);
    if (ram.has(functional_block::revert)) { return ram.revert(x, x, g, w); }
    if (w.elements <= 1) { return; }
    const std::uint64_t n = x.elements;
    const mmv_array one = ram.loaded(std::vector<std::int64_t>{1}), here = ram.words(n), before = ram.words(n);
    ram.builder().loop(static_cast<std::uint32_t>(w.elements - 1));
    ram.sub_word(g, g, one);
    ram.is_zero(here, g);
    ram.spread_next(before, w);
    ram.mask(before, before, here);
    ram.sub(x, x, before);
    ram.builder().end();
}

block_revert fitting_block_revert(const mmv_ram& ram)
{
    return ram.has(functional_block::revspec) ? block_revert::revspec : block_revert::masked;
}

block_segmented_scan::block_segmented_scan(mmv_ram& ram, block_revert by, std::uint64_t n) : m_ram(ram), m_by(by)
{
    const std::uint64_t s = ram.side();
    if (by == block_revert::loop) {
        std::vector<std::int64_t> ordinals(s);
        std::iota(ordinals.begin(), ordinals.end(), 1);
        m_ordinals = ram.loaded(ordinals);
    }
    if (by != block_revert::masked) { return; }
    for (std::uint64_t d = 1; d < s; d *= 2) {
        std::vector<std::int64_t> inside(n);
        for (std::uint64_t i = 0; i < n; ++i) { inside[i] = i % s >= d; }
        m_masks.push_back(ram.loaded(inside));
    }
}

mmv_array block_segmented_scan::operator()(const mmv_array& x, const mmv_array& f)
{
    const mmv_array z = m_ram.words(x.elements);
    const scratch_scope scratch(m_ram.builder());
    const mmv_array fb = scan_blocks(z, x, f);
    if (z.elements > m_ram.side()) {
        const auto [xs, fs] = ends_of(z, f);
        update_first_segment(z, fb, (*this)(xs, fs));
    }
    return z;
}

mmv_array block_segmented_scan::hybrid(const mmv_array& x, const mmv_array& left_flags, const mmv_array& f)
{
    const mmv_array z = m_ram.words(x.elements);
    const scratch_scope scratch(m_ram.builder());
    const mmv_array fb = scan_blocks(z, x, left_flags);
    if (z.elements > m_ram.side()) {
        const auto [xs, fs] = ends_of(z, f);
        update_first_segment(z, fb, segmented_scan_vcu(m_ram, xs, fs));
    }
    return z;
}

// The scanned flags.
mmv_array block_segmented_scan::scan_blocks(const mmv_array& z, const mmv_array& x, const mmv_array& f)
{
    const mmv_array fb = m_ram.words(z.elements);
    {
        const part_scope part(m_ram.builder(), primitives::scan);
        m_ram.matmul(z, x, constant_matrix::prefix);
        m_ram.matmul(fb, f, constant_matrix::prefix);
    }
    const part_scope part(m_ram.builder(), primitives::revert);
    switch (m_by) {
    case block_revert::revspec: m_ram.revspec(z, z, fb); break;
    case block_revert::masked: revert_by_masks(z, fb); break;
    case block_revert::loop: revert_by_loop(z, fb, x, f); break;
    }
    return fb;
}

block_segmented_scan::block_ends block_segmented_scan::ends_of(const mmv_array& z, const mmv_array& f)
{
    const part_scope part(m_ram.builder(), primitives::update);
    const std::uint64_t blocks = ceil_div(z.elements, m_ram.side());
    const block_ends ends{m_ram.words(blocks), m_ram.words(blocks)};
    m_ram.gather_last(ends.x, z);
    m_ram.or_block(ends.f, f);
    return ends;
}

void block_segmented_scan::revert_by_masks(const mmv_array& z, const mmv_array& fb)
{
    const std::uint64_t n = z.elements;
    const scratch_scope scratch(m_ram.builder());
    const mmv_array here = m_ram.words(n), from = m_ram.words(n), offset = m_ram.words(n);
    const auto mask_of = [&](std::size_t round) { return slice(m_masks[round], 0, n); };
    // What lies before each segment that starts inside of a block, at its first element ..
    m_ram.sub(here, fb, shifted(fb, 1));
    m_ram.is_zero(here, here);
    m_ram.not_flags(here, here);
    m_ram.and_flags(here, here, mask_of(0));
    m_ram.mask(offset, shifted(z, 1), here);
    // .. then at all of its elements.
    for (std::size_t round = 0; round < m_masks.size(); ++round) {
        const std::uint64_t d = std::uint64_t{1} << round;
        m_ram.sub(here, fb, shifted(fb, d));
        m_ram.is_zero(here, here);
        m_ram.and_flags(here, here, mask_of(round));
        m_ram.mask(from, shifted(offset, d), here);
        m_ram.add(offset, offset, from);
    }
    m_ram.sub(z, z, offset);
}

std::uint32_t block_segmented_scan::most_flags_in_a_block(const mmv_array& fb)
{
    const std::uint32_t s = m_ram.side();
    const mmv_array in_block = m_ram.words(ceil_div(fb.elements, s)), numbers = m_ram.words(s + 1);
    m_ram.gather_last(in_block, fb);
    m_ram.flags(numbers, in_block); // 1 at every number of flags that a block has
    std::vector<std::int64_t> found;
    m_ram.builder().store(numbers, found);
    m_ram.builder().run();
    const auto most = std::find_if(found.rbegin(), found.rend(), [](std::int64_t flag) { return flag != 0; });
    return static_cast<std::uint32_t>(found.rend() - most - 1);
}

void block_segmented_scan::revert_by_loop(const mmv_array& z, const mmv_array& fb, const mmv_array& x,
                                          const mmv_array& f)
{
    const std::uint64_t n = z.elements;
    const scratch_scope scratch(m_ram.builder());
    const mmv_array offset = m_ram.words(n), here = m_ram.words(n), reduced = m_ram.words(n);
    // The sum of what lies before a segment in its block, at the segment's first element.
    m_ram.sub(offset, z, x);
    m_ram.mask(offset, offset, f);
    const std::uint32_t rounds = most_flags_in_a_block(fb);
    if (rounds == 0) { return; }
    m_ram.builder().loop(rounds);
    m_ram.sub_next_word(here, fb, m_ordinals);
    m_ram.is_zero(here, here);
    m_ram.mask(reduced, offset, here);
    m_ram.matmul(reduced, reduced, constant_matrix::ones); // its sum: one element of a block is not 0
    m_ram.mask(reduced, reduced, here);
    m_ram.sub(z, z, reduced);
    m_ram.builder().end();
}

void block_segmented_scan::update_first_segment(const mmv_array& z, const mmv_array& fb, const mmv_array& ends)
{
    const part_scope part(m_ram.builder(), primitives::update);
    const mmv_array carried = ends_before_blocks(m_ram, z.elements, ends);
    m_ram.is_zero(fb, fb);
    m_ram.mask(carried, carried, fb); // up to the block's first flag
    m_ram.add(z, z, carried);
}

mmv_array segmented_scan_vcu(mmv_ram& ram, const mmv_array& x, const mmv_array& f)
{
    const part_scope part(ram.builder(), primitives::scan);
    const std::uint64_t n = x.elements;
    mmv_array z = x, next = ram.words(n), spare = ram.words(n);
    mmv_array g = f, g_next = ram.words(n);
    const mmv_array open = ram.words(n), from = ram.words(n);
    ram.set(slice(f, 0, 1), 1);
    for (std::uint64_t d = 1; d < n; d *= 2) {
        ram.not_flags(open, g);
        ram.mask(from, shifted(z, d), open);
        ram.add(next, z, from);
        ram.or_flags(g_next, g, shifted(g, d));
        z = next;
        std::swap(next, spare);
        std::swap(g, g_next);
    }
    return z;
}

} // namespace tensorloom::workloads
