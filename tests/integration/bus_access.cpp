#include "integration/bus_access.h"
#include <algorithm>
#include <sstream>

namespace tensorloom::test {

void count_illegal(const bus_access& a, illegal_counts& counts)
{
    const auto count = [&counts](illegal_kind k, bool is) { counts[static_cast<std::size_t>(k)] += is ? 1 : 0; };
    const bool moves = a.command != tlm::TLM_IGNORE_COMMAND;
    count(illegal_kind::zero_width, moves && a.width == 0);
    count(illegal_kind::zero_length, moves && a.length == 0);
    count(illegal_kind::null_data, moves && a.null_data);
    count(illegal_kind::enables_of_length_zero, a.has_enables && a.enables.empty());
}

void set_up(tlm::tlm_generic_payload& t, bus_access& a, std::vector<unsigned char>& data)
{
    data = a.before;
    if (data.capacity() == 0) { data.reserve(1); } // a pointer, even to no bytes
    if (a.enables.capacity() == 0) { a.enables.reserve(1); }
    t.set_command(a.command);
    t.set_address(a.address);
    t.set_data_ptr(a.null_data ? nullptr : data.data());
    t.set_data_length(a.length);
    t.set_streaming_width(a.width);
    t.set_byte_enable_ptr(a.has_enables ? a.enables.data() : nullptr);
    t.set_byte_enable_length(static_cast<unsigned>(a.enables.size()));
    t.set_dmi_allowed(false);
    t.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

void take_answer(const tlm::tlm_generic_payload& t, const std::vector<unsigned char>& data, bus_access& a)
{
    a.after = data;
    a.status = t.get_response_status();
    a.dmi_hint = t.is_dmi_allowed();
}

bool fields_kept(const tlm::tlm_generic_payload& t, const bus_access& a, const std::vector<unsigned char>& data)
{
    return t.get_command() == a.command && t.get_address() == a.address && t.get_data_length() == a.length &&
           t.get_streaming_width() == a.width && t.get_data_ptr() == (a.null_data ? nullptr : data.data()) &&
           t.get_byte_enable_length() == a.enables.size() &&
           t.get_byte_enable_ptr() == (a.has_enables ? a.enables.data() : nullptr);
}

std::uint64_t extent(const bus_access& a) { return a.width == 0 ? a.length : std::min(a.width, a.length); }

bool enabled(const bus_access& a, unsigned byte)
{
    return !a.has_enables || a.enables[byte % a.enables.size()] == 0xff;
}

std::string text_of(const bus_access& a)
{
    std::ostringstream s;
    s << (a.command == tlm::TLM_READ_COMMAND    ? "read"
          : a.command == tlm::TLM_WRITE_COMMAND ? "write"
                                                : "ignore")
      << " of " << a.length << " bytes at 0x" << std::hex << a.address << std::dec << ", width " << a.width;
    if (a.has_enables) { s << ", " << a.enables.size() << " byte enables"; }
    if (a.null_data) { s << ", no data"; }
    return s.str();
}

} // namespace tensorloom::test
