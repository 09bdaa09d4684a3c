#include <tensorloom/workloads/segmented/compress.h>

#include <numeric>
#include <vector>

namespace tensorloom::workloads {
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
    return compress_counted(ram, x, f, scan_on(unit, ram, f));
}

mmv_array compress_counted(mmv_ram& ram, const mmv_array& x, const mmv_array& f, const mmv_array& counted)
{
    const mmv_array position = ram.words(x.elements);
    const mmv_array count = ram.words(1);
    ram.mask(position, counted, f);
    ram.move(count, slice(counted, x.elements - 1, 1));
    std::vector<std::int64_t> kept;
    ram.session().store(count, kept);
    ram.session().run();
    return compact(ram, x, position, static_cast<std::uint64_t>(kept[0]));
}

mmv_array compact(mmv_ram& ram, const mmv_array& x, const mmv_array& position, std::uint64_t kept)
{
    if (kept == 0) { return slice(x, 0, 0); }
    if (!ram.has(arch::vector::functional_block::compact)) {
        return slice(compact_by_rounds(ram, x, position), 0, kept);
    }
    const mmv_array z = ram.words(kept);
    ram.compact(z, x, position);
    return z;
}

mmv_array segment_ends(mmv_ram& ram, const mmv_array& f)
{
    ram.set(slice(f, f.elements - 1, 1), 1);
    return slice(f, 1, f.elements - 1);
}

} // namespace tensorloom::workloads
