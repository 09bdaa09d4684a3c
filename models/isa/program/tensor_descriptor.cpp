#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include <algorithm>

namespace tensorloom::isa {

std::uint64_t tensor_descriptor::elements() const
{
    std::uint64_t n = 1;
    for (unsigned m = 0; m < order; ++m) { n *= size[m]; }
    return n;
}

bool tensor_descriptor::present() const
{
    const tensor_descriptor none;
    return base != 0 || type != 0 || order != 0 || reserved != 0 || size != none.size || stride != none.stride;
}

void tensor_descriptor::encode(std::uint8_t* bytes) const
{
    base::store_le(bytes + descriptor_fields::base.offset, base);
    bytes[descriptor_fields::type.offset] = type;
    bytes[descriptor_fields::order.offset] = order;
    for (unsigned i = 0; i < descriptor_fields::reserved.count; ++i) {
        bytes[descriptor_fields::reserved.offset + i] = static_cast<std::uint8_t>(reserved >> (8 * i));
    }
    for (unsigned m = 0; m < max_order; ++m) {
        base::store_le(bytes + descriptor_fields::size.offset + descriptor_fields::size.bytes * m, size[m]);
        base::store_le(bytes + descriptor_fields::stride.offset + descriptor_fields::stride.bytes * m, stride[m]);
    }
}

tensor_descriptor tensor_descriptor::decode(const std::uint8_t* bytes)
{
    tensor_descriptor d;
    d.base = base::load_le<std::uint64_t>(bytes + descriptor_fields::base.offset);
    d.type = bytes[descriptor_fields::type.offset];
    d.order = bytes[descriptor_fields::order.offset];
    for (unsigned i = 0; i < descriptor_fields::reserved.count; ++i) {
        d.reserved |= std::uint64_t{bytes[descriptor_fields::reserved.offset + i]} << (8 * i);
    }
    for (unsigned m = 0; m < max_order; ++m) {
        d.size[m] =
            base::load_le<std::uint32_t>(bytes + descriptor_fields::size.offset + descriptor_fields::size.bytes * m);
        d.stride[m] =
            base::load_le<std::int64_t>(bytes + descriptor_fields::stride.offset + descriptor_fields::stride.bytes * m);
    }
    return d;
}

tensor_descriptor dense_descriptor(std::uint64_t base, base::element_type type, const std::vector<std::uint32_t>& size)
{
    tensor_descriptor d;
    d.base = base;
    d.type = static_cast<std::uint8_t>(type);
    d.order = static_cast<std::uint8_t>(std::min<std::size_t>(size.size(), UINT8_MAX));
    std::uint64_t stride = 1; // unsigned: may wrap for a tensor that is too large; validate() refuses it
    for (std::size_t m = std::min<std::size_t>(size.size(), tensor_descriptor::max_order); m-- > 0;) {
        d.size[m] = size[m];
        d.stride[m] = static_cast<std::int64_t>(stride);
        stride *= size[m];
    }
    return d;
}

std::optional<std::string> validate(const tensor_descriptor& d)
{
    if (!base::is_element_type(d.type)) { return "element type " + std::to_string(d.type) + " is unknown"; }
    if (d.order < 1 || d.order > tensor_descriptor::max_order) {
        return "order " + std::to_string(d.order) + " is not 1 to 8";
    }
    if (d.reserved != 0) { return "reserved bytes are not 0"; }
    for (unsigned m = d.order; m < tensor_descriptor::max_order; ++m) {
        if (d.size[m] != 0 || d.stride[m] != 0) {
            return "size or stride of mode " + std::to_string(m + 1) + " past the order is not 0";
        }
    }
    // The lowest and highest byte, in 128 bits to avoid wrapping.
    __extension__ using wide = __int128;
    const wide bytes = static_cast<wide>(base::element_bytes(static_cast<base::element_type>(d.type)));
    wide lowest = d.base;
    wide highest = d.base;
    std::uint64_t elements = 1;
    for (unsigned m = 0; m < d.order; ++m) {
        if (d.size[m] == 0) { return "size of mode " + std::to_string(m + 1) + " is 0"; }
        if (elements > UINT64_MAX / d.size[m]) { return "more than 2^64 elements"; }
        elements *= d.size[m];
        const wide reach = static_cast<wide>(d.stride[m]) * (d.size[m] - 1) * bytes;
        (reach < 0 ? lowest : highest) += reach;
    }
    highest += bytes - 1;
    if (lowest < 0 || highest > static_cast<wide>(UINT64_MAX)) { return "addresses outside of 64 bits"; }
    return std::nullopt;
}

descriptor_runs::descriptor_runs(const tensor_descriptor& descriptor)
    : m_descriptor(descriptor), m_outer(descriptor.order)
{
    while (m_outer > 0) {
        const unsigned mode = m_outer - 1;
        const bool merges =
            m_descriptor.size[mode] == 1 || m_descriptor.stride[mode] == static_cast<std::int64_t>(m_run);
        if (!merges) { break; }
        m_run *= m_descriptor.size[mode];
        m_outer = mode;
    }
    for (unsigned m = 0; m < m_outer; ++m) { m_runs *= m_descriptor.size[m]; }
}

std::uint64_t descriptor_runs::address(std::uint64_t run) const
{
    // Unsigned, modulo 2^64: offsets of up to 2^64 bytes in either direction do not fit a signed type.
    std::uint64_t offset = 0;
    for (unsigned m = m_outer; m-- > 0;) {
        offset += (run % m_descriptor.size[m]) * static_cast<std::uint64_t>(m_descriptor.stride[m]);
        run /= m_descriptor.size[m];
    }
    return m_descriptor.base + offset * base::element_bytes(static_cast<base::element_type>(m_descriptor.type));
}

} // namespace tensorloom::isa
