#pragma once
#include <cstdint>
#include <functional>
#include <vector>
#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include <tensorloom/models/shell/command_unit.h>
#include <tensorloom/tlm/dma_engine.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::shell {

/// Moves tensors between memory on the bus and the inside of a device by its DMA: the contiguous runs of a tensor, in C
/// order, whose bursts overlap as the engine is configured.
///
/// Bytes pass through a buffer of 256 KiB, in pieces of as many runs as it holds; the next piece begins when the one
/// before has ended. What ends a transfer early leaves the runs before it moved; of those behind it the device has
/// nothing, memory may have what was in flight.
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
    explicit tensor_transfer(bus::dma_engine& dma) : m_dma(dma) {}

    /// Bytes of the tensor, counted in C order, that have been read.
    using taker = std::function<void(std::uint64_t first, const unsigned char* from, std::uint64_t bytes)>;
    command_outcome load(const isa::tensor_descriptor& tensor, const bus::stop_request& stop, const taker& take);
    /// Of tensors like this one, with these bases, one behind the other.
    command_outcome gather(const isa::tensor_descriptor& like, const std::vector<std::uint64_t>& bases,
                           const bus::stop_request& stop, const taker& take);

    /// Gives the bytes to write.
    using giver = std::function<void(std::uint64_t first, unsigned char* to, std::uint64_t bytes)>;
    /// Hears how many of the bytes that were given last have been written.
    using listener = std::function<void(std::uint64_t first, std::uint64_t bytes)>;
    command_outcome store(const isa::tensor_descriptor& tensor, const bus::stop_request& stop, const giver& give,
                          const listener& written);

private:
    template <class Move>
    command_outcome for_each_piece(const isa::tensor_descriptor& tensor, const std::vector<std::uint64_t>& bases,
                                   const Move& move);
    std::uint64_t whole_runs(const bus::dma_result& result) const;

    bus::dma_engine& m_dma;
    std::vector<unsigned char> m_buffer;
    std::vector<bus::dma_run> m_runs; // of a piece
};

} // namespace tensorloom::shell
