#include <tensorloom/models/triada/rtl_streams.h>
#include <cstddef>
#include <cstring>
#include <tensorloom/models/rtl/triada/row_streams.h>
#include <tensorloom/models/triada/actuator.h>

namespace tensorloom::triada {

rtl_streams::rtl_streams(base::element_type format, std::array<coefficient_memory_if*, 3> memories)
    : m_format(format), m_memories(memories), m_streams(rtl::make_row_streams(format)),
      m_elements(rtl::row_streams::most * base::element_bytes(format))
{}

rtl_streams::~rtl_streams() = default;

void rtl_streams::begin(const std::vector<stream_link>& chain)
{
    m_chain = chain;
    m_orders.clear();
    std::vector<rtl::streamed_stage> stages;
    for (const auto& link : chain) {
        m_orders.push_back(load(link));
        stages.push_back({link.mode, link.switches.length, m_orders.back()});
    }
    m_streams->start(stages, chain.front().switches.esop);
    m_is_taken = false;
}

// The window's rows into the store, where they are numbered from 0; the tag of a row is at its number. Returns their
// order.
std::vector<std::uint32_t> rtl_streams::load(const stream_link& link)
{
    const auto& memory = *m_memories[link.mode];
    const auto& window = link.switches.window;
    const std::size_t bytes = base::element_bytes(m_format);
    for (std::uint32_t row = 0; row < window.rows; ++row) {
        std::vector<std::uint64_t> elements(window.columns);
        const std::size_t first = std::size_t{window.first_row + row} * memory.columns() + window.first_column;
        for (std::size_t k = 0; k < elements.size(); ++k) {
            std::memcpy(&elements[k], memory.matrix().data() + (first + k) * bytes, bytes);
        }
        m_streams->write(link.mode, row, elements, row);
    }
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < memory.rows(); ++i) {
        const std::uint32_t row = (memory.row_order().empty() ? i : memory.row_order()[i]) - window.first_row;
        if (row < window.rows) { order.push_back(row); } // rows before the window wrap
    }
    return order;
}

std::optional<tagged_vector> rtl_streams::next(unsigned mode, row_observer& observer)
{
    if (m_is_taken) {
        for (unsigned clock = 0; clock < 3; ++clock) { m_streams->tick(); }
    }
    m_is_taken = false;
    unsigned stage = 0;
    while (m_chain[stage].mode != mode) { ++stage; }
    const auto& switches = m_chain[stage].switches;
    const std::uint32_t skipped = m_streams->skipped(stage);
    for (std::uint32_t position = 0; position < m_orders[stage].size(); ++position) {
        if ((skipped >> position & 1) == 0) { continue; }
        observer.row_skipped(switches.stage, switches.first_step + position, m_orders[stage][position]);
    }
    if (m_streams->streaming() != 1u << mode) { return std::nullopt; }
    tagged_vector vector;
    const std::size_t bytes = base::element_bytes(m_format);
    for (std::uint32_t k = 0; k < rtl::row_streams::most; ++k) {
        const std::uint64_t element = m_streams->element(k);
        std::memcpy(m_elements.data() + k * bytes, &element, bytes);
    }
    vector.elements = m_elements.data();
    vector.step = switches.first_step + m_streams->position();
    vector.tag = static_cast<std::uint32_t>(__builtin_ctz(m_streams->tags()));
    vector.lines = m_streams->lines();
    vector.sent = static_cast<std::uint32_t>(__builtin_popcount(*vector.lines));
    m_is_taken = true;
    return vector;
}

} // namespace tensorloom::triada
