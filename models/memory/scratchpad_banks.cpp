#include <tensorloom/models/memory/scratchpad_banks.h>
#include <utility>

namespace tensorloom::memory {

scratchpad_banks::scratchpad_banks(unsigned word_bytes, unsigned banks) : m_bank_mask(banks - 1)
{
    while (1u << m_word_shift < word_bytes) { ++m_word_shift; }
}

bank_tally::bank_tally(const scratchpad_banks& banks) : m_banks(banks), m_tally(banks.banks(), bank{0, 0}) {}

std::uint64_t bank_tally::end_group()
{
    ++m_group;
    const std::uint64_t most = std::exchange(m_most, 0);
    return most > 1 ? most - 1 : 0;
}

} // namespace tensorloom::memory
