#include <tensorloom/models/isa/vector/vector_command.h>

namespace tensorloom::isa::vector {
namespace {

// In the order of vector_fields; the shift of the result is a reserved field.
constexpr auto each_member = [](auto& v, auto fields) {
    for (auto* o : {&v.result, &v.a, &v.b, &v.c}) { fields(o->address, o->shift, o->step); }
    fields(v.length, v.table, v.block, v.bits);
};

} // namespace

vector_command vector_command::at(const isa::loop_indices& iteration) const
{
    vector_command now = *this;
    for (auto* o : {&now.result, &now.a, &now.b, &now.c}) { isa::advance(o->address, o->step, iteration); }
    return now;
}

std::vector<std::uint8_t> vector_command::encode() const { return base::encoded(*this, each_member); }

vector_command vector_command::decode(std::uint16_t flags, const std::uint8_t* payload)
{
    vector_command c = base::decoded<vector_command>(payload, each_member);
    c.flags = flags;
    return c;
}

} // namespace tensorloom::isa::vector
