#include <tensorloom/models/arch/mmv/matmul_command.h>

namespace tensorloom::arch::mmv {
namespace {

// In the order of matmul_fields.
template <class Command, class Fields> void each_member(Command& c, Fields fields)
{
    for (auto* o : {&c.result, &c.left, &c.weights}) { fields(o->address, o->row_stride, o->step); }
    fields(c.words, c.left_columns, c.result_columns, c.reserved);
}

} // namespace

matmul_command matmul_command::at(const loop_indices& iteration) const
{
    matmul_command now = *this;
    for (auto* o : {&now.result, &now.left, &now.weights}) { advance(o->address, o->step, iteration); }
    return now;
}

std::vector<std::uint8_t> matmul_command::encode() const
{
    std::vector<std::uint8_t> to(payload_bytes);
    each_member(*this, field_writer(to.data()));
    return to;
}

matmul_command matmul_command::decode(const std::uint8_t* payload)
{
    matmul_command c;
    each_member(c, field_reader(payload));
    return c;
}

} // namespace tensorloom::arch::mmv
