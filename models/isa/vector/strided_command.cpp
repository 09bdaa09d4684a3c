#include <tensorloom/models/isa/vector/strided_command.h>

namespace tensorloom::isa::vector {
namespace {

// In the order of strided_fields.
constexpr auto each_member = [](auto& c, auto fields) {
    for (auto* o : {&c.result, &c.a, &c.b}) { fields(o->address, o->stride, o->step); }
    fields(c.size, c.valid, c.cpu_ops, c.immediate, c.reserved);
};

} // namespace

strided_command strided_command::at(const isa::loop_indices& iteration) const
{
    strided_command now = *this;
    for (auto* o : {&now.result, &now.a, &now.b}) { isa::advance(o->address, o->step, iteration); }
    return now;
}

std::vector<std::uint8_t> strided_command::encode() const { return base::encoded(*this, each_member); }

strided_command strided_command::decode(const std::uint8_t* payload)
{
    return base::decoded<strided_command>(payload, each_member);
}

} // namespace tensorloom::isa::vector
