#include <tensorloom/models/arch/shell_commands.h>
#include <tensorloom/models/arch/bytes.h>
#include <tensorloom/models/arch/element_type.h>

namespace tensorloom::arch {

std::vector<std::uint8_t> loop_command::encode() const
{
    std::vector<std::uint8_t> to(payload_bytes);
    store_le(to.data() + loop_fields::count.offset, count);
    return to;
}

loop_command loop_command::decode(const std::uint8_t* payload)
{
    return {load_le<std::uint32_t>(payload + loop_fields::count.offset)};
}

std::uint64_t transfer_command::bytes() const
{
    return tensor.elements() * element_bytes(static_cast<element_type>(tensor.type));
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

std::vector<std::uint8_t> transfer_command::encode() const
{
    std::vector<std::uint8_t> to(payload_bytes);
    tensor.encode(to.data() + transfer_fields::tensor.offset);
    for (unsigned l = 0; l < stepped_loops; ++l) {
        store_le(to.data() + transfer_fields::tensor_step.offset + 8 * l, tensor_step[l]);
        store_le(to.data() + transfer_fields::local_step.offset + 8 * l, local_step[l]);
    }
    store_le(to.data() + transfer_fields::local.offset, local);
    store_le(to.data() + transfer_fields::reserved.offset, reserved);
    return to;
}

transfer_command transfer_command::decode(const std::uint8_t* payload)
{
    transfer_command c;
    c.tensor = tensor_descriptor::decode(payload + transfer_fields::tensor.offset);
    for (unsigned l = 0; l < stepped_loops; ++l) {
        c.tensor_step[l] = load_le<std::int64_t>(payload + transfer_fields::tensor_step.offset + 8 * l);
        c.local_step[l] = load_le<std::int64_t>(payload + transfer_fields::local_step.offset + 8 * l);
    }
    c.local = load_le<std::uint64_t>(payload + transfer_fields::local.offset);
    c.reserved = load_le<std::uint64_t>(payload + transfer_fields::reserved.offset);
    return c;
}

std::vector<std::uint8_t> signal_command::encode() const
{
    std::vector<std::uint8_t> to(payload_bytes);
    store_le(to.data() + signal_fields::signal.offset, signal);
    return to;
}

signal_command signal_command::decode(const std::uint8_t* payload)
{
    return {load_le<std::uint32_t>(payload + signal_fields::signal.offset)};
}

} // namespace tensorloom::arch
