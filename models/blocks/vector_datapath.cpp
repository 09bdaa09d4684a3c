#include <tensorloom/models/blocks/vector_datapath.h>
#include <complex>
#include <cstring>
#include <tensorloom/models/arithmetic/counter_random.h>
#include <tensorloom/models/isa/vector/costs.h>
#include <tensorloom/models/isa/vector/signature.h>
#include <tensorloom/models/blocks/element_wise.h>
#include <tensorloom/models/blocks/functional_blocks.h>
#include <tensorloom/models/blocks/mmv_ram_blocks.h>
#include <tensorloom/models/blocks/repl_stalls.h>
#include <tensorloom/models/blocks/strided_words.h>

namespace tensorloom::blocks {

/// The datapath of one word format: float, double, complex<double>, int32_t, int64_t.
template <class W> class word_datapath : public vector_datapath {
public:
    word_datapath(std::uint8_t blocks, memory::scratchpad_if& pad, std::uint64_t lanes, base::equal_reads equal);

    bool begin(isa::vector::opcode code, const isa::vector::vector_command& command,
               isa::vector::counts& counts) override;
    void begin(const isa::vector::strided_command& repl, isa::vector::counts& counts) override;
    std::uint64_t execute(std::uint64_t first, std::uint64_t last) override;

private:
    vector_source<W> source_of(const isa::vector::vector_operand& operand, std::uint64_t length);
    std::uint64_t blocks_of_length() const { return (m_length + m_block - 1) / m_block; }
    bool updates_in_place() const { return m_a.words == m_z && m_a.zeros == 0; }

    std::uint64_t address_of(const W* word) const
    {
        return static_cast<std::uint64_t>(reinterpret_cast<const unsigned char*>(word) - m_pad_begin);
    }

    bool indices_are_good() const;
    void count_accesses(std::uint64_t packed_words, isa::vector::counts& counts);
    void note_rows();
    std::uint64_t find_stalls();
    void keep_overwritten();

    std::uint64_t items() const;
    std::uint64_t execute_real(std::uint64_t first, std::uint64_t last);
    std::uint64_t execute_integer(std::uint64_t first, std::uint64_t last);
    void execute_floating(std::uint64_t first, std::uint64_t last);
    /// PACK and UNPACK of neighbours in this format.
    template <class Element> void convert(bool packs, std::uint64_t first, std::uint64_t last);
    template <class Lane> std::uint64_t lanes(std::uint64_t first, std::uint64_t last);
    void gather_last(std::uint64_t first, std::uint64_t last);
    void scatter_last(std::uint64_t first, std::uint64_t last);
    void fill_first(std::uint64_t first, std::uint64_t last);
    void scatter_add(std::uint64_t first, std::uint64_t last);
    void random_mask(std::uint64_t first, std::uint64_t last);
    /// Calls visit(first, last) for each block of this many elements that ends in the range.
    template <class Visit>
    void for_blocks_ending(std::uint64_t block, std::uint64_t first, std::uint64_t last, const Visit& visit) const;
    /// z[j] = result(first, last) of the elements of each such block j.
    template <class Result> void reduce(std::uint64_t first, std::uint64_t last, const Result& result);

    const unsigned char* m_pad_begin;          // byte 0 of the scratchpad
    std::optional<revspec_block<W>> m_revspec; // none of them in complex formats
    std::optional<compact_block<W>> m_compact;
    std::optional<revert_block<W>> m_revert;
    std::optional<activation_block<W>> m_activation; // of float and double alone, as the next
    std::optional<reduction_block<W>> m_reduction;

    // current instruction
    isa::vector::opcode m_code{};
    std::uint64_t m_length = 0;
    std::uint64_t m_table = 0;
    std::uint64_t m_block = 1;
    unsigned m_bits = 0;
    vector_source<W> m_a, m_b;
    const W* m_c = nullptr;
    W* m_z = nullptr;
    std::uint64_t m_address = 0; // of z
    std::uint64_t m_results = 0; // words of z
    std::vector<W> m_kept;       // of an operand that results overwrite before it has been read

    strided_copy<W> m_copy; // repl
    repl_stalls m_copy_waits;
};

vector_datapath::vector_datapath(memory::scratchpad_if& pad, std::uint64_t lanes, base::equal_reads equal)
    : m_pad(pad), m_stalls(pad.banks(), lanes, equal, pad.bank_counts())
{}

void vector_datapath::take(std::uint64_t words, bool contiguous)
{
    m_contiguous = contiguous;
    m_stalls.begin(words);
}

std::unique_ptr<vector_datapath> make_vector_datapath(base::element_type word, std::uint8_t blocks,
                                                      memory::scratchpad_if& pad, std::uint64_t lanes,
                                                      base::equal_reads equal)
{
    return base::with_element<float, double, std::complex<double>, std::int32_t, std::int64_t>(
        word, [&](auto element) -> std::unique_ptr<vector_datapath> {
            return std::make_unique<word_datapath<decltype(element)>>(blocks, pad, lanes, equal);
        });
}

using isa::vector::event;
using isa::vector::functional_block;
using isa::vector::opcode;

namespace {

template <class W> constexpr bool is_complex_word = std::is_same_v<W, std::complex<double>>;

} // namespace

template <class W>
word_datapath<W>::word_datapath(std::uint8_t blocks, memory::scratchpad_if& pad, std::uint64_t lanes,
                                base::equal_reads equal)
    : vector_datapath(pad, lanes, equal), m_pad_begin(pad.at(0)), m_copy_waits(pad.banks())
{
    const auto has = [&](functional_block b) { return (blocks & isa::vector::block_bit(b)) != 0; };
    if constexpr (!is_complex_word<W>) {
        if (has(functional_block::revspec)) { m_revspec.emplace(); }
        if (has(functional_block::compact)) { m_compact.emplace(); }
        if (has(functional_block::revert)) { m_revert.emplace(); }
    }
    if constexpr (std::is_floating_point_v<W>) {
        if (has(functional_block::activation)) { m_activation.emplace(); }
        if (has(functional_block::reduction)) { m_reduction.emplace(); }
    }
}

// ---- the first step ----

// An operand without a read word may have any address.
template <class W>
vector_source<W> word_datapath<W>::source_of(const isa::vector::vector_operand& operand, std::uint64_t length)
{
    const W* const words = length > operand.shift ? reinterpret_cast<const W*>(pad().at(operand.address)) : nullptr;
    return {words, operand.shift, false};
}

template <class W>
bool word_datapath<W>::begin(opcode code, const isa::vector::vector_command& c, isa::vector::counts& counts)
{
    const auto has = isa::vector::vector_signature_of(code);
    const auto lengths = isa::vector::lengths_of(code, c);
    m_code = code;
    m_length = c.length;
    m_table = c.table;
    m_block = std::max(c.block, 1u);
    m_bits = c.bits;
    m_a = c.zero_a() ? vector_source<W>{} : source_of(c.a, lengths.a);
    m_b = has.b == isa::vector::operand_use::none ? vector_source<W>{} : source_of(c.b, lengths.b);
    m_b.broadcast = c.broadcast_b();
    m_c = has.c == isa::vector::operand_use::none ? nullptr : source_of(c.c, lengths.c).words;
    m_address = c.result.address;
    m_results = lengths.result;
    m_z = m_results == 0 ? nullptr : reinterpret_cast<W*>(pad().at(m_address));
    if (!indices_are_good()) { return false; }

    take(isa::vector::vector_words(code, c), true);
    count_accesses(lengths.a, counts);
    counts[event::scratchpad_read] += find_stalls();
    keep_overwritten();
    if constexpr (std::is_same_v<W, std::int32_t>) {
        if (code == opcode::pack_int8) {
            counts[event::word_saturated] += element_conversion<std::int8_t>::saturated(m_a, m_bits, m_length);
        }
    }
    return true;
}

template <class W> bool word_datapath<W>::indices_are_good() const
{
    if constexpr (!is_complex_word<W>) {
        constexpr std::int64_t low = std::numeric_limits<std::int64_t>::min();
        constexpr std::int64_t high = std::numeric_limits<std::int64_t>::max();
        const auto table = static_cast<std::int64_t>(m_table);
        switch (m_code) {
        case opcode::gather_idx:
        case opcode::scatter_add: return all_are_indices(m_b, m_length, 0, table - 1);
        case opcode::gather_prev:
        case opcode::compact: return all_are_indices(m_b, m_length, 0, table);
        case opcode::revert: return all_are_indices(m_b, m_length, low, table);
        case opcode::flags: return all_are_indices(m_a, m_table, 0, high);
        default: break;
        }
    }
    return true;
}

// Except strided and indexed words, which find_stalls() counts.
template <class W> void word_datapath<W>::count_accesses(std::uint64_t packed_words, isa::vector::counts& counts)
{
    auto& reads = counts[event::scratchpad_read];
    auto& writes = counts[event::scratchpad_write];
    const bool partly = m_code == opcode::scatter_last && updates_in_place();
    if (partly) {
        const std::uint64_t full = m_length / m_block;
        pad().note_written(
            {m_address + (m_block - 1) * sizeof(W), full, sizeof(W), static_cast<std::int64_t>(m_block * sizeof(W))});
        writes += full;
    } else if (m_code == opcode::scatter_add) {
        note_rows();
        writes += m_length * m_block;
    } else if (m_results != 0) {
        pad().write(m_address, m_results * sizeof(W), writes);
    }

    const std::uint64_t n = m_length;
    switch (m_code) {
    case opcode::gather_last:
    case opcode::fill_first: break;
    case opcode::scatter_last: reads += (partly ? 0 : m_a.reads(n)) + m_b.reads(n / m_block); break;
    case opcode::gather_idx:
    case opcode::gather_prev: reads += m_b.reads(n); break;
    case opcode::flags: reads += m_table; break;
    case opcode::mul_add: reads += m_a.reads(n) + m_b.reads(n) + 1; break;
    case opcode::random_mask: reads += m_a.reads(n) + m_b.reads(n) + 2; break;
    case opcode::scatter_add: reads += 2 * m_length * m_block + m_b.reads(n); break; // a and z
    case opcode::unpack_bf16:
    case opcode::unpack_f16:
    case opcode::unpack_int8: reads += packed_words; break;
    default: reads += m_a.reads(n) + m_b.reads(n); break;
    }
}

// scatter_add: rows of z without an addend are not written.
template <class W> void word_datapath<W>::note_rows()
{
    const std::uint64_t row = m_block * sizeof(W);
    if (!pad().is_watched(m_address, m_address + m_table * row)) { return; }
    if constexpr (!is_complex_word<W>) {
        for (std::uint64_t i = 0; i < m_length; ++i) {
            pad().note_written({m_address + as_index(m_b[i]) * row, 1, row, 0});
        }
    }
}

// Bank stalls of strided and indexed words. Returns the number of words read from the banks.
template <class W> std::uint64_t word_datapath<W>::find_stalls()
{
    const auto read = [&](base::bank_tally& tally, const vector_source<W>& x, std::uint64_t i) {
        if (i >= x.zeros) { tally.read(address_of(x.words + (i - x.zeros))); }
    };
    const auto place = [&](base::bank_tally& tally, std::uint64_t i) { tally.write(m_address + i * sizeof(W)); };
    const std::uint64_t n = m_length, s = m_block;
    if (m_code == opcode::gather_last) {
        return group_stalls().add(blocks_of_length(), 1,
                                  [&](auto& tally, std::uint64_t j) { read(tally, m_a, std::min(j * s + s, n) - 1); });
    }
    if (m_code == opcode::fill_first) {
        return group_stalls().add(n, s, [&](auto& tally, std::uint64_t i) { read(tally, m_a, i); });
    }
    if (m_code == opcode::scatter_last && updates_in_place()) {
        return group_stalls().add(n / s, 1, [&](auto& tally, std::uint64_t j) { place(tally, j * s + s - 1); });
    }
    if constexpr (!is_complex_word<W>) {
        const auto table_word = [&](base::bank_tally& tally, const W* table, std::uint64_t i) {
            tally.read(address_of(table + i));
        };
        switch (m_code) {
        case opcode::gather_idx:
            return group_stalls().add(n, 1,
                                      [&](auto& tally, auto i) { table_word(tally, m_a.words, as_index(m_b[i])); });
        case opcode::gather_prev:
            return group_stalls().add(n, 1, [&](auto& tally, std::uint64_t i) {
                if (m_b[i] != W(0)) { table_word(tally, m_a.words, as_index(m_b[i]) - 1); }
            });
        case opcode::revert:
            return group_stalls().add(n, 1, [&](auto& tally, std::uint64_t i) {
                if (m_b[i] > W(0)) { table_word(tally, m_c, as_index(m_b[i]) - 1); }
            });
        case opcode::compact:
            return group_stalls().add(n, 1, [&](auto& tally, std::uint64_t i) {
                if (m_b[i] != W(0)) { place(tally, as_index(m_b[i]) - 1); }
            });
        case opcode::flags:
            return group_stalls().add(m_table, 1, [&](auto& tally, std::uint64_t j) {
                if (as_index(m_a[j]) < n) { place(tally, as_index(m_a[j])); }
            });
        case opcode::scatter_add:
            group_stalls().add_sums(m_address, sizeof(W), n, s, [&](std::uint64_t row) { return as_index(m_b[row]); });
            break;
        default: break;
        }
    }
    return 0;
}

// Saves operands whose elements are read after results have been written to their place.
template <class W> void word_datapath<W>::keep_overwritten()
{
    if (m_results == 0) { return; }
    bool a = false, b = false, c = false;
    switch (m_code) {
    case opcode::gather_idx:
    case opcode::gather_prev:
    case opcode::pack_bf16:
    case opcode::unpack_bf16:
    case opcode::pack_f16:
    case opcode::unpack_f16:
    case opcode::pack_int8:
    case opcode::unpack_int8:
    case opcode::flags: a = true; break;
    case opcode::compact: a = b = true; break;
    case opcode::scatter_last: b = true; break;
    case opcode::revert:
    case opcode::random_mask: c = true; break;
    default: break;
    }
    a = a && m_a.words == m_z;
    b = b && m_b.words == m_z;
    c = c && m_c == m_z;
    if (!a && !b && !c) { return; }
    m_kept.assign(m_z, m_z + m_results);
    if (a) { m_a.words = m_kept.data(); }
    if (b) { m_b.words = m_kept.data(); }
    if (c) { m_c = m_kept.data(); }
}

template <class W> void word_datapath<W>::begin(const isa::vector::strided_command& repl, isa::vector::counts& counts)
{
    m_code = opcode::repl;
    m_copy.begin(repl, pad());
    m_length = m_copy.elements();
    counts[event::scratchpad_write] += m_length;
    take(m_length, false);
    const auto find = [&] {
        repl_stalls::waits found;
        found.reads = group_stalls().add_repl(repl, sizeof(W));
        found.stalls = stalls();
        return found;
    };
    const auto take_waits = [&](const repl_stalls::waits& waits) {
        counts[event::scratchpad_read] += waits.reads;
        group_stalls().set(waits.stalls);
    };
    if (pad().bank_counts() != nullptr) { return take_waits(find()); } // each time: banks count them
    take_waits(m_copy_waits.of(repl, find));
}

// ---- the second step ----

// Items that the instruction iterates over; a table or the result may have more words.
template <class W> std::uint64_t word_datapath<W>::items() const
{
    switch (m_code) {
    case opcode::gather_last: return blocks_of_length();
    case opcode::scatter_last: return updates_in_place() ? m_length / m_block : m_length;
    case opcode::expand: return m_results;
    case opcode::scatter_add: return m_length * m_block;
    case opcode::flags: return m_table;
    default: return m_length;
    }
}

template <class W> std::uint64_t word_datapath<W>::execute(std::uint64_t first, std::uint64_t last)
{
    if (first == 0 && (m_code == opcode::compact || m_code == opcode::flags)) { std::fill_n(m_z, m_results, W(0)); }
    const std::uint64_t from = std::min(first, items());
    const std::uint64_t to = last == words() ? items() : std::min(last, items());
    switch (m_code) {
    case opcode::add: return lanes<add_lane>(from, to);
    case opcode::sub: return lanes<subtract_lane>(from, to);
    case opcode::mul: return lanes<multiply_lane>(from, to);
    case opcode::mask: return lanes<mask_lane>(from, to);
    case opcode::and_: return lanes<and_lane>(from, to);
    case opcode::or_: return lanes<or_lane>(from, to);
    case opcode::not_:
    case opcode::is_zero: return lanes<zero_lane>(from, to);
    case opcode::gather_last: gather_last(from, to); break;
    case opcode::scatter_last: scatter_last(from, to); break;
    case opcode::fill_first: fill_first(from, to); break;
    case opcode::repl: m_copy.copy(from, to); break;
    default: return execute_real(from, to);
    }
    return 0;
}

// Instructions that do not exist in complex formats.
template <class W> std::uint64_t word_datapath<W>::execute_real(std::uint64_t first, std::uint64_t last)
{
    if constexpr (!is_complex_word<W>) {
        switch (m_code) {
        case opcode::revspec: {
            std::uint64_t overflowed = 0;
            for_blocks_ending(m_block, first, last, [&](std::uint64_t start, std::uint64_t end) {
                overflowed += m_revspec->revert(m_a, m_b, m_z, start, end);
            });
            return overflowed;
        }
        case opcode::or_block:
            reduce(first, last, [&](auto start, auto end) { return any_flag(m_a, start, end); });
            break;
        case opcode::compact: m_compact->scatter(m_a, m_b, m_z, first, last); break;
        case opcode::revert: return m_revert->subtract(m_a, m_b, m_c, m_z, first, last);
        case opcode::gather_idx:
            for (std::uint64_t i = first; i < last; ++i) { m_z[i] = m_a.words[as_index(m_b[i])]; }
            break;
        case opcode::gather_prev:
            for (std::uint64_t i = first; i < last; ++i) {
                const std::uint64_t position = as_index(m_b[i]);
                m_z[i] = position == 0 ? W(0) : m_a.words[position - 1];
            }
            break;
        case opcode::flags:
            for (std::uint64_t j = first; j < last; ++j) {
                const std::uint64_t i = as_index(m_a[j]);
                if (i < m_length) { m_z[i] = W(1); }
            }
            break;
        case opcode::bit:
        case opcode::pack_int8:
        case opcode::unpack_int8:
        case opcode::expand: return execute_integer(first, last);
        default: execute_floating(first, last); break;
        }
    }
    return 0;
}

template <class W>
std::uint64_t word_datapath<W>::execute_integer([[maybe_unused]] std::uint64_t first,
                                                [[maybe_unused]] std::uint64_t last)
{
    if constexpr (std::is_integral_v<W>) {
        if (m_code == opcode::pack_int8 || m_code == opcode::unpack_int8) {
            if constexpr (std::is_same_v<W, std::int32_t>) {
                convert<std::int8_t>(m_code == opcode::pack_int8, first, last);
            }
            return 0;
        }
        if (m_code == opcode::expand) { return expand_bits(m_a, m_b, m_z, m_block, m_bits, first, last); }
        const auto bit = static_cast<W>(m_bits);
        return element_wise<bit_lane>(m_a, vector_source<W>{&bit, 0, true}, m_z, first, last);
    } else {
        return 0;
    }
}

template <class W>
void word_datapath<W>::execute_floating([[maybe_unused]] std::uint64_t first, [[maybe_unused]] std::uint64_t last)
{
    if constexpr (std::is_floating_point_v<W>) {
        switch (m_code) {
        case opcode::sum_block:
            reduce(first, last, [&](auto start, auto end) { return m_reduction->sum(m_a, start, end); });
            break;
        case opcode::max_block:
            reduce(first, last, [&](auto start, auto end) { return m_reduction->largest(m_a, start, end); });
            break;
        case opcode::scatter_add: scatter_add(first, last); break;
        case opcode::random_mask: random_mask(first, last); break;
        case opcode::mul_add: element_wise(m_a, m_b, m_z, first, last, multiply_add_lane<W>{*m_c}); break;
        case opcode::pack_bf16:
        case opcode::unpack_bf16:
            if constexpr (std::is_same_v<W, float>) {
                const auto pack_or_unpack =
                    m_code == opcode::pack_bf16 ? conversion_block::pack : conversion_block::unpack;
                for_blocks_ending(2 * m_block * m_table, first, last, [&](std::uint64_t start, std::uint64_t end) {
                    pack_or_unpack(m_a, m_z, m_block, m_table, start, end);
                });
            }
            break;
        case opcode::pack_f16:
        case opcode::unpack_f16:
            if constexpr (std::is_same_v<W, float>) {
                convert<arithmetic::float16>(m_code == opcode::pack_f16, first, last);
            }
            break;
        default: m_activation->run(m_code, m_a, m_b, m_z, first, last); break;
        }
    }
}

template <class W>
template <class Element>
void word_datapath<W>::convert(bool packs, std::uint64_t first, std::uint64_t last)
{
    using conversion = element_conversion<Element>;
    for_blocks_ending(conversion::in_word, first, last, [&](std::uint64_t start, std::uint64_t end) {
        if (packs) {
            conversion::pack(m_a, m_z, m_bits, start, end);
        } else {
            conversion::unpack(m_a, m_z, start, end);
        }
    });
}

template <class W> template <class Lane> std::uint64_t word_datapath<W>::lanes(std::uint64_t first, std::uint64_t last)
{
    return element_wise<Lane>(m_a, m_b, m_z, first, last);
}

template <class W> void word_datapath<W>::gather_last(std::uint64_t first, std::uint64_t last)
{
    for (std::uint64_t j = first; j < last; ++j) { m_z[j] = m_a[std::min((j + 1) * m_block, m_length) - 1]; }
}

template <class W> void word_datapath<W>::scatter_last(std::uint64_t first, std::uint64_t last)
{
    if (updates_in_place()) {
        for (std::uint64_t j = first; j < last; ++j) { m_z[(j + 1) * m_block - 1] = m_b[j]; }
        return;
    }
    element_wise<copy_lane>(m_a, {}, m_z, first, last);
    for (std::uint64_t j = first / m_block; (j + 1) * m_block <= last; ++j) { m_z[(j + 1) * m_block - 1] = m_b[j]; }
}

template <class W> void word_datapath<W>::fill_first(std::uint64_t first, std::uint64_t last)
{
    for (std::uint64_t i = first; i < last;) {
        const std::uint64_t block = i / m_block * m_block;
        const std::uint64_t end = std::min(block + m_block, last);
        std::fill(m_z + i, m_z + end, W(m_a[block]));
        i = end;
    }
}

template <class W> void word_datapath<W>::scatter_add(std::uint64_t first, std::uint64_t last)
{
    if constexpr (std::is_floating_point_v<W>) {
        for (std::uint64_t w = first; w < last;) { // the rest of a row
            const std::uint64_t i = w / m_block, end = std::min((i + 1) * m_block, last);
            W* const z = m_z + as_index(m_b[i]) * m_block + (w - i * m_block);
            run_lanes(add_lane{}, static_cast<const W*>(z), m_a.words + w, z, end - w);
            w = end;
        }
    }
}

template <class W> void word_datapath<W>::random_mask(std::uint64_t first, std::uint64_t last)
{
    if constexpr (std::is_same_v<W, float>) {
        std::uint32_t key = 0, first_number = 0;
        std::memcpy(&key, m_c, sizeof key);
        std::memcpy(&first_number, m_c + 1, sizeof first_number);
        for (std::uint64_t i = first; i < last; ++i) {
            const auto number = first_number + static_cast<std::uint32_t>(i);
            const float random = arithmetic::random_fraction(key, m_bits, number);
            m_z[i] = random < m_b[i] ? 0.0f : m_a[i];
        }
    }
}

template <class W>
template <class Visit>
void word_datapath<W>::for_blocks_ending(std::uint64_t block, std::uint64_t first, std::uint64_t last,
                                         const Visit& visit) const
{
    for (std::uint64_t start = first / block * block; start < last; start += block) {
        const std::uint64_t end = std::min(start + block, m_length);
        if (end <= last) { visit(start, end); }
    }
}

template <class W>
template <class Result>
void word_datapath<W>::reduce(std::uint64_t first, std::uint64_t last, const Result& result)
{
    for_blocks_ending(m_block, first, last,
                      [&](std::uint64_t start, std::uint64_t end) { m_z[start / m_block] = result(start, end); });
}

template class word_datapath<float>;
template class word_datapath<double>;
template class word_datapath<std::complex<double>>;
template class word_datapath<std::int32_t>;
template class word_datapath<std::int64_t>;

} // namespace tensorloom::blocks
