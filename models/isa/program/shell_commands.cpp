#include <tensorloom/models/isa/program/shell_commands.h>
#include <algorithm>
#include <iterator>

namespace tensorloom::isa {
namespace {

// In the order of transfer_fields.
constexpr auto each_member = [](auto& c, auto fields) {
    fields(c.tensor, c.tensor_step, c.local, c.local_step, c.reserved);
};

// In the order of gather_fields.
constexpr auto each_gather_member = [](auto& c, auto fields) {
    fields(c.tensor, c.list, c.list_step, c.local, c.local_step);
};

} // namespace

std::vector<std::uint8_t> loop_command::encode() const
{
    std::vector<std::uint8_t> to(payload_bytes);
    base::store_le(to.data() + loop_fields::count.offset, count);
    return to;
}

loop_command loop_command::decode(const std::uint8_t* payload)
{
    return {base::load_le<std::uint32_t>(payload + loop_fields::count.offset)};
}

std::uint64_t transfer_command::bytes() const
{
    return tensor.elements() * base::element_bytes(static_cast<base::element_type>(tensor.type));
}

transfer_command transfer_command::at(const loop_indices& iteration) const
{
    transfer_command now = *this;
    for (unsigned l = 0; l < stepped_loops; ++l) {
        now.tensor.base += static_cast<std::uint64_t>(tensor_step[l]) * iteration[l];
        now.local += static_cast<std::uint64_t>(local_step[l]) * iteration[l];
    }
    now.tensor_step = {};
    now.local_step = {};
    return now;
}

std::vector<std::uint8_t> transfer_command::encode() const { return base::encoded(*this, each_member); }

transfer_command transfer_command::decode(const std::uint8_t* payload)
{
    return base::decoded<transfer_command>(payload, each_member);
}

std::uint64_t gather_command::bytes() const
{
    return tensor.elements() * base::element_bytes(static_cast<base::element_type>(tensor.type));
}

std::uint64_t gather_command::list_bytes() const { return std::uint64_t{tensor.size[0]} * entry_bytes; }

gather_command gather_command::at(const loop_indices& iteration) const
{
    gather_command now = *this;
    for (unsigned l = 0; l < stepped_loops; ++l) {
        now.list += static_cast<std::uint64_t>(list_step[l]) * iteration[l];
        now.local += static_cast<std::uint64_t>(local_step[l]) * iteration[l];
    }
    now.list_step = {};
    now.local_step = {};
    return now;
}

std::vector<std::uint8_t> gather_command::encode() const { return base::encoded(*this, each_gather_member); }

gather_command gather_command::decode(const std::uint8_t* payload)
{
    return base::decoded<gather_command>(payload, each_gather_member);
}

std::vector<std::uint8_t> signal_command::encode() const
{
    std::vector<std::uint8_t> to(payload_bytes);
    base::store_le(to.data() + signal_fields::signal.offset, signal);
    return to;
}

signal_command signal_command::decode(const std::uint8_t* payload)
{
    return {base::load_le<std::uint32_t>(payload + signal_fields::signal.offset)};
}

namespace {

// In 128 bits, to avoid wrapping.
__extension__ using wide = __int128;

wide advanced(std::uint64_t address, const std::array<std::int64_t, stepped_loops>& step, const loop_indices& iteration)
{
    wide now = address;
    for (unsigned l = 0; l < stepped_loops; ++l) { now += static_cast<wide>(step[l]) * iteration[l]; }
    return now;
}

bool in_64_bits(wide address) { return address >= 0 && address <= static_cast<wide>(UINT64_MAX); }

// Bytes of the local memory, from an address that advances.
std::optional<check_error> check_local(std::uint64_t address, const std::array<std::int64_t, stepped_loops>& step,
                                       const loop_indices& iteration, wide bytes, std::uint64_t local_bytes,
                                       std::uint64_t window_bytes)
{
    const wide first = advanced(address, step, iteration);
    if (first < 0 || first + bytes > static_cast<wide>(local_bytes)) {
        return check_error{error_code::too_large, "a byte outside of the device's memory"};
    }
    if (first / window_bytes != (first + bytes - 1) / window_bytes) {
        return check_error{error_code::too_large, "bytes in two windows of the device's memory"};
    }
    return std::nullopt;
}

wide bytes_of(const tensor_descriptor& t)
{
    return static_cast<wide>(t.elements()) * base::element_bytes(static_cast<base::element_type>(t.type));
}

check_error reserved_bytes() { return {error_code::bad_field, "reserved bytes are not 0"}; }

} // namespace

std::optional<std::size_t> shell_payload_bytes(opcode code)
{
    const auto is_it = [code](const base::named_value& v) { return v.value == static_cast<std::uint32_t>(code); };
    if (std::none_of(std::begin(opcode_values), std::end(opcode_values), is_it)) { return std::nullopt; }
    const base::byte_layout* payload = shell_payload(code);
    return payload == nullptr ? 0 : payload->bytes();
}

std::optional<check_error> check_control(opcode code, const std::uint8_t* payload)
{
    if (code == opcode::loop) {
        if (!base::reserved_is_zero(loop_layout, payload)) { return reserved_bytes(); }
        if (loop_command::decode(payload).count == 0) {
            return check_error{error_code::bad_field, "a LOOP with count 0"};
        }
    } else if (code == opcode::wait || code == opcode::signal) {
        if (!base::reserved_is_zero(signal_layout, payload)) { return reserved_bytes(); }
        const std::uint32_t signal = signal_command::decode(payload).signal;
        if (signal >= signal_count) {
            return check_error{error_code::bad_field, "signal " + std::to_string(signal) + " is not 0 to 31"};
        }
    }
    return std::nullopt;
}

std::optional<check_error> check_transfer(const transfer_command& command, const loop_indices& iteration,
                                          std::uint64_t local_bytes, std::uint64_t window_bytes)
{
    if (command.reserved != 0) { return reserved_bytes(); }
    if (!in_64_bits(advanced(command.tensor.base, command.tensor_step, iteration))) {
        return check_error{error_code::bad_descriptor, "base outside of 64 bits"};
    }
    const transfer_command now = command.at(iteration);
    if (auto wrong = validate(now.tensor)) { return check_error{error_code::bad_descriptor, *wrong}; }
    return check_local(command.local, command.local_step, iteration, bytes_of(now.tensor), local_bytes, window_bytes);
}

std::optional<check_error> check_gather(const gather_command& command, const loop_indices& iteration,
                                        std::uint64_t local_bytes, std::uint64_t window_bytes)
{
    tensor_descriptor slices = command.tensor;
    if (slices.order >= 1 && slices.order <= tensor_descriptor::max_order) { slices.stride[0] = 0; }
    if (auto wrong = validate(slices)) { return check_error{error_code::bad_descriptor, *wrong}; }
    const wide list = advanced(command.list, command.list_step, iteration);
    if (list % static_cast<wide>(gather_command::entry_bytes) != 0) {
        return check_error{error_code::bad_field, "the list address is not a multiple of 4"};
    }
    const auto refused =
        check_local(command.list, command.list_step, iteration, command.list_bytes(), local_bytes, window_bytes);
    return refused
               ? refused
               : check_local(command.local, command.local_step, iteration, bytes_of(slices), local_bytes, window_bytes);
}

std::optional<tensor_descriptor> gather_command::slice(std::uint32_t entry) const
{
    const wide offset =
        static_cast<wide>(tensor.stride[0]) * entry * base::element_bytes(static_cast<base::element_type>(tensor.type));
    const wide base = static_cast<wide>(tensor.base) + offset;
    if (!in_64_bits(base)) { return std::nullopt; }
    tensor_descriptor of = tensor;
    of.base = static_cast<std::uint64_t>(base);
    of.size[0] = 1;
    of.stride[0] = 0;
    if (validate(of)) { return std::nullopt; }
    return of;
}

} // namespace tensorloom::isa
