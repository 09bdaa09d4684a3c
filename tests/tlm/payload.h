#pragma once
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>
#include <systemc>
#include <tlm>

namespace tensorloom::test {

/// A generic payload that owns the bytes it points to. It is made as a legal request; a test then spoils what it is
/// about.
class payload : public tlm::tlm_generic_payload {
public:
    payload(tlm::tlm_command command, std::uint64_t address, std::vector<unsigned char> bytes) : data(std::move(bytes))
    {
        set_command(command);
        set_address(address);
        set_data_ptr(data.data());
        set_data_length(static_cast<unsigned>(data.size()));
        set_streaming_width(static_cast<unsigned>(data.size()));
        set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    }

    void enable(std::vector<unsigned char> pattern)
    {
        enables = std::move(pattern);
        set_byte_enable_ptr(enables.data());
        set_byte_enable_length(static_cast<unsigned>(enables.size()));
    }

    std::vector<unsigned char> data;
    std::vector<unsigned char> enables;
};

inline constexpr unsigned char untouched = 0xa5; ///< what a read's buffer holds before

inline payload reading(std::uint64_t address, std::size_t bytes)
{
    return payload(tlm::TLM_READ_COMMAND, address, std::vector<unsigned char>(bytes, untouched));
}
inline payload writing(std::uint64_t address, std::vector<unsigned char> bytes)
{
    return payload(tlm::TLM_WRITE_COMMAND, address, std::move(bytes));
}

/// The fields that a target must leave alone, for a comparison of before and after.
inline auto fixed_fields(const tlm::tlm_generic_payload& t)
{
    return std::make_tuple(t.get_command(), t.get_address(), static_cast<const void*>(t.get_data_ptr()),
                           t.get_data_length(), static_cast<const void*>(t.get_byte_enable_ptr()),
                           t.get_byte_enable_length(), t.get_streaming_width());
}

inline sc_core::sc_time ns(double n) { return sc_core::sc_time(n, sc_core::SC_NS); }

} // namespace tensorloom::test
