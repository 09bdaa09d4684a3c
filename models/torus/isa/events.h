#pragma once
#include <cstddef>
#include <tensorloom/models/torus/isa/schedule.h>
#include <tensorloom/models/base/values/event_table.h>

namespace tensorloom::torus {

/// Events of an orbital torus, in the order of the counter window of its registers and of every log.
///
/// Words have the width of an element: a wider sum counts two (float32 of bfloat16) or four (int32 of int8). A word
/// that passes a link counts the average wire length of a ring's links in pitches, 2 (P - 1) / P, because events cover
/// whole rings.
enum class event : std::size_t {
    step,
    mac,
    register_read,
    register_write,
    block_read,
    block_write,
    roll_block,
    roll_word_q,
    roll_word_r,
    roll_word_s,
    share_word_q,
    share_word_r,
    share_word_s,
    wrap_word,
    link_word_pitch_q,
    link_word_pitch_r,
    link_word_pitch_s,
    drive_word,
    deliver_word,
    enter_word,
    line_word_pitch_q,
    line_word_pitch_s,
    element_load,
    element_unload,
    coefficient_load,
    coefficient_copy,
    load_cycle,
    unload_cycle,
    overlapped_cycle,
    compute_cycle,
    exposed_roll_cycle,
    operand_saturated,
    mac_overflowed,
    mac_skipped,
    compare,
    count_
};

inline constexpr std::size_t event_count = static_cast<std::size_t>(event::count_);

inline constexpr base::event_definition event_definitions[] = {
    {"step", "", "A step: every node multiplies its blocks, then blocks roll."},
    {"mac", "mac", "One multiply-add in a node, padding included (a complex one costs four real ones)."},
    {"register_read", "registers", "A multiply-add reads its operand, its coefficient or its sum."},
    {"register_write", "registers", "A multiply-add writes its sum."},
    {"block_read", "node_memory",
     "A word of a block that a node reads to send it to a neighbour or to the memory port, or for POINTWISE."},
    {"block_write", "node_memory",
     "A word of a block that a node writes, received from a neighbour or from the memory port, or by POINTWISE."},
    {"roll_block", "", "A block passes from a node to its neighbour."},
    {"roll_word_q", "", "A word passes a link along Q."},
    {"roll_word_r", "", "A word passes a link along R."},
    {"roll_word_s", "", "A word passes a link along S."},
    {"share_word_q", "", "A word of a sum that a node writes over a link along Q into memory shared with a neighbour."},
    {"share_word_r", "", "A word of a sum that a node writes over a link along R into memory shared with a neighbour."},
    {"share_word_s", "", "A word of a sum that a node writes over a link along S into memory shared with a neighbour."},
    {"wrap_word", "", "A word that passes the link that closes a ring; also counted as roll_word_* or share_word_*."},
    {"link_word_pitch_q", "links", "A word passes a pitch of wire of links along Q."},
    {"link_word_pitch_r", "links", "A word passes a pitch of wire of links along R."},
    {"link_word_pitch_s", "links", "A word passes a pitch of wire of links along S."},
    {"drive_word", "", "A word that a node drives onto a line of its row or column (classes BBC and BCR)."},
    {"deliver_word", "", "A word that another node takes from such a line."},
    {"enter_word", "", "A word that enters the systolic array at its edge (class ASC)."},
    {"line_word_pitch_q", "links", "A word on a line passes a pitch of wire along Q."},
    {"line_word_pitch_s", "links", "A word on a line passes a pitch of wire along S."},
    {"element_load", "", "An element of a tensor loaded through the memory port."},
    {"element_unload", "", "An element of a tensor unloaded through the memory port."},
    {"coefficient_load", "", "A coefficient read from memory."},
    {"coefficient_copy", "node_memory", "A coefficient written into one of the P nodes that keep it."},
    {"load_cycle", "", "A cycle in which the memory port was busy loading."},
    {"unload_cycle", "", "A cycle in which the memory port was busy unloading."},
    {"overlapped_cycle", "", "A load or unload cycle in which the nodes also worked."},
    {"compute_cycle", "", "A cycle in which the nodes computed."},
    {"exposed_roll_cycle", "", "A cycle in which the nodes waited for blocks that rolled."},
    {"operand_saturated", "", "A sum that saturated when it became an operand or was unloaded (int8)."},
    {"mac_overflowed", "", "A multiply-add whose exact sum left the accumulator's range; the sum wraps (int8)."},
    {"mac_skipped", "", "A multiply-add of POINTWISE that is not done because a factor is zero (ESOP)."},
    {"compare", "mac", "An element that POINTWISE compares with a threshold or with zero."},
};

inline constexpr base::event_table events = base::make_event_table(event_definitions);
static_assert(base::is_table_of<event>(event_definitions), "one definition per event, in the same order");

using counts = base::event_counts<event, event_count>;

/// Unit of a record's utilisation: multiply-adds done as a share of those possible.
inline constexpr char utilisation_unit[] = "of all multipliers";

constexpr event roll_word(axis along)
{
    return static_cast<event>(static_cast<std::size_t>(event::roll_word_q) + static_cast<std::size_t>(along));
}
constexpr event share_word(axis along)
{
    return static_cast<event>(static_cast<std::size_t>(event::share_word_q) + static_cast<std::size_t>(along));
}
constexpr event link_word_pitch(axis along)
{
    return static_cast<event>(static_cast<std::size_t>(event::link_word_pitch_q) + static_cast<std::size_t>(along));
}
/// Words that pass links along an axis, in rolling blocks or as shared sums.
inline std::uint64_t link_words(const counts& counted, axis along)
{
    return counted[roll_word(along)] + counted[share_word(along)];
}
/// Counts blocks that pass links along an axis: they roll, or, as shared sums, were written over the links.
inline void add_passage(counts& counted, axis along, bool shared, const roll_counts& passed)
{
    counted[shared ? share_word(along) : roll_word(along)] += passed.words;
    counted[event::wrap_word] += passed.wrap_words;
    counted[link_word_pitch(along)] += passed.word_pitches;
    if (shared) { return; }
    counted[event::roll_block] += passed.blocks;
    counted[event::block_read] += passed.words;
    counted[event::block_write] += passed.words;
}
/// The line event of an axis, Q or S.
constexpr event line_word_pitch(axis along)
{
    return along == axis::q ? event::line_word_pitch_q : event::line_word_pitch_s;
}

} // namespace tensorloom::torus
