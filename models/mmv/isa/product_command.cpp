#include <tensorloom/models/mmv/isa/product_command.h>

namespace tensorloom::mmv {
namespace {

// In the order of product_fields.
constexpr auto each_member = [](auto& c, auto fields) {
    for (auto* o : {&c.result, &c.left, &c.weights}) { fields(o->address, o->row_stride, o->step); }
    fields(c.rows, c.depth, c.columns, c.call_rows, c.tile_columns);
};

} // namespace

product_command product_command::at(const isa::loop_indices& iteration) const
{
    product_command now = *this;
    for (auto* o : {&now.result, &now.left, &now.weights}) { isa::advance(o->address, o->step, iteration); }
    return now;
}

std::vector<std::uint8_t> product_command::encode() const { return base::encoded(*this, each_member); }

product_command product_command::decode(const std::uint8_t* payload)
{
    return base::decoded<product_command>(payload, each_member);
}

} // namespace tensorloom::mmv
