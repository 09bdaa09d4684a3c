#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/triada/actuator_ports.h>
#include <tensorloom/models/triada/stream_protocol.h>

namespace tensorloom::rtl {
class row_streams;
}

namespace tensorloom::triada {

class row_observer;

/// Connects the actuators of the fidelity rtl to theirs in Verilog (models/rtl/triada/streams.v), which choose the next
/// row, skip zero rows, and choose the elements that drive lines. Windows have at most 8 rows and columns.
///
/// Not modelled: the time to load a window into the stores in Verilog. They have no others: the whole matrix lies in
/// the actuator's module.
class rtl_streams {
public:
    rtl_streams(base::element_type format, std::array<coefficient_memory_if*, 3> memories);
    ~rtl_streams();

    /// A chain begins: loads its windows and the order of their rows.
    void begin(const std::vector<stream_link>& chain);

    /// The next row of the stage that the actuator of this mode streams; nothing after its last one. The elements
    /// remain valid until the next call. The rows skipped before it are reported.
    std::optional<tagged_vector> next(unsigned mode, row_observer& observer);

private:
    std::vector<std::uint32_t> load(const stream_link& link);

    const base::element_type m_format;
    std::array<coefficient_memory_if*, 3> m_memories;
    std::unique_ptr<rtl::row_streams> m_streams;
    std::vector<stream_link> m_chain;
    std::vector<std::vector<std::uint32_t>> m_orders; // of rows, by stage of the chain
    std::vector<unsigned char> m_elements;            // of the row that streams
    bool m_is_taken = false;                          // its actuator has it
};

} // namespace tensorloom::triada
