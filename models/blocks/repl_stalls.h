#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>
#include <tensorloom/models/isa/vector/strided_command.h>
#include <tensorloom/models/base/values/scratchpad_banks.h>

namespace tensorloom::blocks {

/// A cache of the bank stalls of the last strided copies, for loops. The stalls depend on the position of the first
/// word only through its bank.
class repl_stalls {
public:
    struct waits {
        std::uint64_t reads = 0;           ///< words read from the banks
        std::vector<std::uint64_t> stalls; ///< by group
    };

    explicit repl_stalls(const base::scratchpad_banks& banks)
        : m_period(std::uint64_t{banks.word_bytes()} * banks.banks())
    {}

    /// The stalls of a copy; find() computes unknown ones.
    template <class Find> const waits& of(const isa::vector::strided_command& repl, const Find& find)
    {
        const auto key = key_of(repl);
        // Start after the last hit: commands come in program order.
        for (std::size_t i = 0; i < m_known.size(); ++i) {
            m_next = m_next < m_known.size() ? m_next : 0;
            if (m_known[m_next].key == key) { return m_known[m_next++].found; }
            ++m_next;
        }
        waits found = find();
        if (found.stalls.size() > most_groups) { return m_large = std::move(found); }
        if (m_known.size() < most_known) {
            m_known.emplace_back();
            m_next = m_known.size() - 1;
        } else {
            m_next = m_oldest;
            m_oldest = (m_oldest + 1) % most_known;
        }
        m_known[m_next] = {key, std::move(found)};
        return m_known[m_next++].found;
    }

private:
    using repl_key = std::array<std::int64_t, 14>;
    struct known_repl {
        repl_key key;
        waits found;
    };

    repl_key key_of(const isa::vector::strided_command& c) const
    {
        repl_key k{static_cast<std::int64_t>(c.a.address % m_period),
                   static_cast<std::int64_t>(c.result.address % m_period)};
        auto* to = k.data() + 2;
        for (const auto& numbers : {c.size, c.valid}) { to = std::copy(numbers.begin(), numbers.end(), to); }
        for (const auto& strides : {c.a.stride, c.result.stride}) {
            to = std::copy(strides.begin(), strides.end(), to);
        }
        return k;
    }

    static constexpr std::size_t most_known = 64, most_groups = 4096;

    std::uint64_t m_period; // bytes after which the banks repeat
    std::vector<known_repl> m_known;
    std::size_t m_next = 0, m_oldest = 0;
    waits m_large; // the last one too large for the cache
};

} // namespace tensorloom::blocks
