#include <tensorloom/models/mmv/isa/matmul_command.h>

namespace tensorloom::mmv {
namespace {

// In the order of matmul_fields.
constexpr auto each_member = [](auto& c, auto fields) {
    for (auto* o : {&c.result, &c.left, &c.weights}) { fields(o->address, o->row_stride, o->step); }
    fields(c.words, c.left_columns, c.result_columns, c.reserved);
};

} // namespace

matmul_command matmul_command::at(const isa::loop_indices& iteration) const
{
    matmul_command now = *this;
    for (auto* o : {&now.result, &now.left, &now.weights}) { isa::advance(o->address, o->step, iteration); }
    return now;
}

std::vector<std::uint8_t> matmul_command::encode() const { return base::encoded(*this, each_member); }

matmul_command matmul_command::decode(const std::uint8_t* payload)
{
    return base::decoded<matmul_command>(payload, each_member);
}

} // namespace tensorloom::mmv
