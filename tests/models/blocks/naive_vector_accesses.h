#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>
#include <tensorloom/models/isa/vector/instruction_set.h>
#include "support/real_vector.h"

namespace tensorloom::test {

/// The words that a vector instruction reads, and those that it touches out of order. Its indices must be good ones.
template <class W> struct naive_vector_accesses {
    using opcode = isa::vector::opcode;

    // the instruction
    opcode code{};
    std::uint64_t n = 1, table = 0, s = 1;
    std::function<W(std::uint64_t)> a, b;                  // element i
    std::function<bool(std::uint64_t)> a_exists, b_exists; // element i is a word, not a 0 of a shift
    bool broadcast = false;
    bool in_place = false; // z is a

    // what comes of it
    std::uint64_t reads = 0;                                                       // word after word
    std::vector<std::vector<std::uint64_t>> irregular_a, irregular_c, irregular_z; // by item: the words that it takes

    void run();

private:
    using items = std::vector<std::vector<std::uint64_t>>;

    // An item of its own, with or without a word.
    static void add(items& to, bool exists, std::uint64_t word)
    {
        to.emplace_back();
        if (exists) { to.back().push_back(word); }
    }
    void read_a()
    {
        for (std::uint64_t i = 0; i < n; ++i) { reads += a_exists(i) ? 1 : 0; }
    }
    void read_b()
    {
        for (std::uint64_t i = 0; i < (broadcast ? 1 : n); ++i) { reads += b_exists(i) ? 1 : 0; }
    }
    static std::int64_t index(const W& w)
    {
        if constexpr (std::is_arithmetic_v<W>) { return static_cast<std::int64_t>(w); }
        return 0; // no complex number is one
    }
};

template <class W> void naive_vector_accesses<W>::run()
{
    switch (code) {
    case opcode::gather_last:
        for (std::uint64_t last = s - 1; last < n + s - 1; last += s) {
            const std::uint64_t i = std::min(last, n - 1);
            add(irregular_a, a_exists(i), i);
        }
        break;
    case opcode::scatter_last:
        for (std::uint64_t i = 0; i < n; ++i) {
            const bool last = i % s == s - 1;
            if (last && b_exists(i / s)) { ++reads; }
            if (!in_place && a_exists(i)) { ++reads; }
            if (in_place && last) { add(irregular_z, true, i); }
        }
        break;
    case opcode::fill_first:
        for (std::uint64_t i = 0; i < n; ++i) { add(irregular_a, i % s == 0 && a_exists(i), i); }
        break;
    case opcode::compact:
        read_a();
        read_b();
        for (std::uint64_t i = 0; i < n; ++i) {
            const auto to = index(b(i));
            add(irregular_z, to > 0, static_cast<std::uint64_t>(to - 1));
        }
        break;
    case opcode::revert:
        read_a();
        read_b();
        for (std::uint64_t i = 0; i < n; ++i) {
            const auto from = index(b(i));
            add(irregular_c, from > 0, static_cast<std::uint64_t>(from - 1));
        }
        break;
    case opcode::gather_idx:
    case opcode::gather_prev:
        read_b();
        for (std::uint64_t i = 0; i < n; ++i) {
            const auto from = index(b(i)) - (code == opcode::gather_prev ? 1 : 0);
            add(irregular_a, from >= 0, static_cast<std::uint64_t>(from));
        }
        break;
    case opcode::flags:
        reads = table;
        for (std::uint64_t j = 0; j < table; ++j) {
            const auto to = static_cast<std::uint64_t>(index(a(j)));
            add(irregular_z, to < n, to);
        }
        break;
    case opcode::scatter_add:
        read_b();
        for (std::uint64_t i = 0; i < n; ++i) {
            for (std::uint64_t k = 0; k < s; ++k) {
                reads += 2; // a word of a, and one of z
                add(irregular_z, true, static_cast<std::uint64_t>(index(b(i))) * s + k);
            }
        }
        break;
    case opcode::unpack_bf16:
        reads = static_cast<std::uint64_t>(real_vector<float>::packed_words(
            static_cast<std::int64_t>(n), static_cast<std::int64_t>(s), static_cast<std::int64_t>(table)));
        break;
    case opcode::unpack_f16: reads = (n + 1) / 2; break;
    case opcode::unpack_int8: reads = (n + 3) / 4; break;
    case opcode::not_:
    case opcode::is_zero:
    case opcode::bit:
    case opcode::or_block:
    case opcode::relu:
    case opcode::sigmoid:
    case opcode::tanh:
    case opcode::exp:
    case opcode::log:
    case opcode::sqrt:
    case opcode::sum_block:
    case opcode::max_block:
    case opcode::pack_f16:
    case opcode::pack_int8:
    case opcode::pack_bf16: read_a(); break;
    default:
        read_a();
        read_b();
        reads += code == opcode::mul_add ? 1 : code == opcode::random_mask ? 2 : 0; // words of c
    }
}

/// What words at indices take, counted group by group and bank by bank. `first`: the word of the scratchpad that has
/// index 0. A word that a group reads several times counts once where equal reads are broadcast.
struct naive_accesses {
    std::uint64_t conflict_cycles = 0;
    std::uint64_t words = 0;

    naive_accesses(const std::vector<std::vector<std::uint64_t>>& items, std::uint64_t first, std::uint64_t lanes,
                   std::uint64_t banks, bool merge_equal)
    {
        for (std::size_t group = 0; group < items.size(); group += lanes) {
            std::map<std::uint64_t, std::vector<std::uint64_t>> accesses; // by bank
            for (std::size_t i = group; i < std::min<std::size_t>(group + lanes, items.size()); ++i) {
                for (const auto w : items[i]) { accesses[(first + w) % banks].push_back(w); }
            }
            std::size_t most = 1;
            for (auto& [bank, in_bank] : accesses) {
                if (merge_equal) {
                    std::sort(in_bank.begin(), in_bank.end());
                    in_bank.erase(std::unique(in_bank.begin(), in_bank.end()), in_bank.end());
                }
                words += in_bank.size();
                most = std::max(most, in_bank.size());
            }
            conflict_cycles += most - 1;
        }
    }
};

} // namespace tensorloom::test
