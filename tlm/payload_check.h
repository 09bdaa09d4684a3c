#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tlm>

namespace tensorloom::bus {

/// The base protocol's rules for a generic payload, as a snapshot taken before a call and compared after it.
///
/// Clause numbers are those of IEEE 1666 as common base-protocol checkers cite them.
class payload_check {
public:
    /// The first rule that the initiator breaks with this request.
    static std::optional<std::string> request_complaint(const tlm::tlm_generic_payload& transaction);

    explicit payload_check(const tlm::tlm_generic_payload& transaction);

    /// The first rule that was broken between the snapshot and now, by the target or on the way.
    std::optional<std::string> response_complaint(const tlm::tlm_generic_payload& transaction,
                                                  const sc_core::sc_time& delay_before,
                                                  const sc_core::sc_time& delay_after) const;

private:
    tlm::tlm_command m_command;
    std::uint64_t m_address;
    const unsigned char* m_data;
    unsigned m_length;
    const unsigned char* m_enables;
    unsigned m_enable_length;
    unsigned m_streaming;
    std::vector<unsigned char> m_written; // the data of a write, which nobody may change
};

} // namespace tensorloom::bus
