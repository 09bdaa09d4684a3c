#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
#include <tlm>

namespace tensorloom::test {

/// A transaction as a test sends it and as it came back.
struct bus_access {
    tlm::tlm_command command = tlm::TLM_IGNORE_COMMAND;
    std::uint64_t address = 0;
    unsigned length = 0;
    unsigned width = 0;                 ///< streaming width
    bool null_data = false;             ///< there is no data pointer
    bool has_enables = false;           ///< there is a byte enable pointer
    std::vector<unsigned char> enables; ///< 0x00 or 0xff; may be empty
    std::vector<unsigned char> before;  ///< the data array as it was sent
    std::vector<unsigned char> after;   ///< and as it came back
    tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
    bool dmi_hint = false;
};

/// Accesses that the standard forbids and the tests send all the same, to see them answered.
enum class illegal_kind { zero_width, zero_length, null_data, enables_of_length_zero };
using illegal_counts = std::array<std::uint64_t, 4>; ///< by illegal_kind

/// Counts what is forbidden about an access.
void count_illegal(const bus_access& a, illegal_counts& counts);

/// Sets a payload up for the access; `data` becomes its data array.
void set_up(tlm::tlm_generic_payload& t, bus_access& a, std::vector<unsigned char>& data);
/// What came back: data, status and hint.
void take_answer(const tlm::tlm_generic_payload& t, const std::vector<unsigned char>& data, bus_access& a);
/// The fields that are the initiator's are as set_up() left them.
bool fields_kept(const tlm::tlm_generic_payload& t, const bus_access& a, const std::vector<unsigned char>& data);

/// How many addresses it touches.
std::uint64_t extent(const bus_access& a);
/// Whether its byte enables let this byte through.
bool enabled(const bus_access& a, unsigned byte);
std::string text_of(const bus_access& a);

} // namespace tensorloom::test
