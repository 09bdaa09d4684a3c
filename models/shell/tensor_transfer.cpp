#include <tensorloom/models/shell/tensor_transfer.h>
#include <algorithm>
#include <tensorloom/models/base/values/byte_layout.h>

namespace tensorloom::shell {
namespace {

constexpr std::uint64_t port_buffer_bytes = 256 * 1024;

} // namespace

// Calls move(first byte of the tensors, bytes) for each piece, until one is not ok(). Runs longer than the buffer are
// split.
template <class Move>
command_outcome tensor_transfer::for_each_piece(const isa::tensor_descriptor& tensor,
                                                const std::vector<std::uint64_t>& bases, const Move& move)
{
    const isa::descriptor_runs runs(tensor);
    const std::uint64_t run_bytes =
        runs.run_elements() * base::element_bytes(static_cast<base::element_type>(tensor.type));
    const std::uint64_t buffer_bytes = m_dma.ports() * port_buffer_bytes;
    const std::uint64_t part = std::min(run_bytes, buffer_bytes);
    const std::uint64_t runs_of_piece = std::max<std::uint64_t>(1, buffer_bytes / std::max<std::uint64_t>(1, part));
    m_dma.renew(m_buffer);
    m_buffer.resize(
        std::max<std::uint64_t>(m_buffer.size(), part * std::min(runs_of_piece, bases.size() * runs.runs())));
    std::uint64_t first = 0, bytes = 0;
    const auto flush = [&] {
        const command_outcome outcome = bytes == 0 ? command_outcome{} : move(first, bytes);
        first += bytes;
        bytes = 0;
        m_runs.clear();
        return outcome;
    };
    m_runs.clear();
    m_last = {};
    for (std::uint64_t run = 0; run < bases.size() * runs.runs(); ++run) {
        const std::uint64_t address = bases[run / runs.runs()] - tensor.base + runs.address(run % runs.runs());
        for (std::uint64_t at = 0; at < run_bytes; at += part) {
            const std::uint64_t now = std::min(part, run_bytes - at);
            m_runs.push_back({address + at, m_buffer.data() + bytes, now});
            bytes += now;
            if (m_runs.size() < runs_of_piece) { continue; }
            const command_outcome outcome = flush();
            if (!outcome.ok()) { return outcome; }
        }
    }
    return flush();
}

// Bytes of the completely moved runs.
std::uint64_t tensor_transfer::whole_runs(const bus::dma_result& result) const
{
    std::uint64_t whole = 0;
    for (const auto& run : m_runs) {
        if (whole + run.bytes > result.moved) { break; }
        whole += run.bytes;
    }
    return whole;
}

void tensor_transfer::add(const bus::dma_result& piece)
{
    const auto ended = std::max(m_last.ended, piece.ended);
    m_last = piece;
    m_last.ended = ended;
}

command_outcome tensor_transfer::load(const isa::tensor_descriptor& tensor, const bus::stop_request& stop,
                                      const taker& take)
{
    return gather(tensor, {tensor.base}, stop, take);
}

command_outcome tensor_transfer::gather(const isa::tensor_descriptor& like, const std::vector<std::uint64_t>& bases,
                                        const bus::stop_request& stop, const taker& take)
{
    return for_each_piece(like, bases, [&](std::uint64_t first, std::uint64_t) {
        const auto result = m_dma.read(m_runs, stop);
        add(result);
        const std::uint64_t whole = whole_runs(result);
        if (whole > 0) { take(first, m_buffer.data(), whole); }
        return outcome_of(result);
    });
}

command_outcome tensor_transfer::store(const isa::tensor_descriptor& tensor, const bus::stop_request& stop,
                                       const giver& give, const listener& written)
{
    return for_each_piece(tensor, {tensor.base}, [&](std::uint64_t first, std::uint64_t bytes) {
        give(first, m_buffer.data(), bytes);
        const auto result = m_dma.write(m_runs, stop);
        add(result);
        const std::uint64_t whole = whole_runs(result);
        if (whole > 0) { written(first, whole); }
        return outcome_of(result);
    });
}

command_outcome tensor_transfer::store_word(std::uint64_t address, std::uint32_t value, const bus::stop_request& stop)
{
    return store(
        isa::dense_descriptor(address, base::element_type::int32, {1}), stop,
        [value](std::uint64_t, unsigned char* to, std::uint64_t) { base::store_le(to, value); },
        [](std::uint64_t, std::uint64_t) {});
}

} // namespace tensorloom::shell
