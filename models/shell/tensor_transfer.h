#pragma once
#include <cstdint>
#include <functional>
#include <vector>
#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include <tensorloom/models/shell/command_unit.h>
#include <tensorloom/tlm/dma_ports.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::shell {

/// Moves tensors between memory on the bus and a device by DMA: the contiguous runs of a tensor in C order. Their
/// bursts overlap as the DMA engine is configured.
///
/// Data pass through a buffer of 256 KiB for each DMA port, in pieces of as many runs as fit; a piece begins when the
/// previous one has ended. When a transfer ends early, earlier runs have been moved. Of later ones the device has
/// received nothing, but bursts in flight may have reached memory. A burst that a reset abandoned keeps the buffer
/// (bus::dma_ports::renew()).
///
/// Example
///
///     shell::tensor_transfer transfer(dma);
///     const auto take = [this](std::uint64_t first, const unsigned char* from, std::uint64_t bytes) {
///         std::copy_n(from, bytes, buffer.data() + first);
///     };
///     const shell::command_outcome outcome = transfer.load(isa::tensor_descriptor{}, stop, take);
class tensor_transfer {
public:
    explicit tensor_transfer(bus::dma_ports& dma) : m_dma(dma) {}

    /// As for an engine; the calls below then return with the issue of their last burst.
    void run_ahead(bool on) { m_dma.run_ahead(on); }
    const bus::dma_ports& dma() const { return m_dma; }
    /// When the last transfer has passed the bus and has ended, and earlier ones too (bus::dma_result).
    const bus::dma_result& last() const { return m_last; }

    /// Receives bytes that have been read; `first` is their offset in the tensor in C order.
    using taker = std::function<void(std::uint64_t first, const unsigned char* from, std::uint64_t bytes)>;
    command_outcome load(const isa::tensor_descriptor& tensor, const bus::stop_request& stop, const taker& take);
    /// Loads tensors like this one from these base addresses, one after the other.
    command_outcome gather(const isa::tensor_descriptor& like, const std::vector<std::uint64_t>& bases,
                           const bus::stop_request& stop, const taker& take);

    /// Provides the bytes to write.
    using giver = std::function<void(std::uint64_t first, unsigned char* to, std::uint64_t bytes)>;
    /// Receives the number of bytes written, of those last provided.
    using listener = std::function<void(std::uint64_t first, std::uint64_t bytes)>;
    command_outcome store(const isa::tensor_descriptor& tensor, const bus::stop_request& stop, const giver& give,
                          const listener& written);
    command_outcome store_word(std::uint64_t address, std::uint32_t value, const bus::stop_request& stop);

private:
    template <class Move>
    command_outcome for_each_piece(const isa::tensor_descriptor& tensor, const std::vector<std::uint64_t>& bases,
                                   const Move& move);
    std::uint64_t whole_runs(const bus::dma_result& result) const;
    void add(const bus::dma_result& piece);

    bus::dma_ports& m_dma;
    std::vector<unsigned char> m_buffer;
    std::vector<bus::dma_run> m_runs; // of a piece
    bus::dma_result m_last;
};

} // namespace tensorloom::shell
