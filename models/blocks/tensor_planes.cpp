#include <tensorloom/models/blocks/tensor_planes.h>
#include <type_traits>

namespace tensorloom::blocks {
namespace {

std::uint64_t volume_of(const shape3& shape) { return std::uint64_t{shape[0]} * shape[1] * shape[2]; }

} // namespace

template <class Element>
typename tensor_planes<Element>::accumulator tensor_planes<Element>::at(const shape3& position) const
{
    const bool inside = position[0] < m_shape[0] && position[1] < m_shape[1] && position[2] < m_shape[2];
    return inside && index_of(position) < m_stored ? sum(m_plane.values.get() + index_of(position), volume_of(m_shape))
                                                   : accumulator{};
}

template <class Element> void tensor_planes<Element>::clear(const shape3& shape)
{
    m_pool.give(std::move(m_plane));
    m_plane = {};
    m_shape = shape;
    m_stored = 0;
}

// The elements before this one exist: +0 where nothing was stored.
template <class Element> void tensor_planes<Element>::store_up_to(std::uint64_t element)
{
    const std::uint64_t volume = volume_of(m_shape);
    if (m_plane.values == nullptr) { m_plane = m_pool.take(volume * parts); }
    if (element <= m_stored) { return; }
    for (unsigned p = 0; p < parts; ++p) {
        real* plane = m_plane.values.get() + p * volume;
        std::fill(plane + m_stored, plane + element, real(0));
    }
    m_stored = element;
}

template <class Element> typename tensor_planes<Element>::real* tensor_planes<Element>::values()
{
    store_up_to(volume_of(m_shape));
    return m_plane.values.get();
}

template <class Element> typename tensor_planes<Element>::real* tensor_planes<Element>::overwritten(const shape3& shape)
{
    if (m_plane.size < volume_of(shape) * parts) {
        m_pool.give(std::move(m_plane));
        m_plane = m_pool.take(volume_of(shape) * parts);
    }
    m_shape = shape;
    m_stored = volume_of(shape);
    return m_plane.values.get();
}

template <class Element> std::uint64_t tensor_planes<Element>::round_to_elements([[maybe_unused]] unsigned shift)
{
    std::uint64_t saturated = 0;
    if constexpr (!std::is_same_v<Element, accumulator>) {
        real* const sums = m_plane.values.get();
        for (std::uint64_t e = 0; e < m_stored; ++e) {
            const auto rounded = arithmetic::narrowed<Element>(sums[e], shift);
            saturated += rounded.saturated ? 1 : 0;
            sums[e] = arithmetic::widened(rounded.value);
        }
    }
    return saturated;
}

template <class Element> void tensor_planes<Element>::reshape(const shape3& shape)
{
    if (shape == m_shape) { return; }
    if (is_zero()) { return clear(shape); }
    tensor_planes old(m_pool);
    std::swap(old.m_plane, m_plane);
    old.m_shape = std::exchange(m_shape, shape);
    old.m_stored = std::exchange(m_stored, 0);
    copy_corner(old);
    old.clear({});
}

template <class Element> void tensor_planes<Element>::copy_corner(tensor_planes& other)
{
    const real* const from = other.values();
    real* const to = values();
    const std::uint64_t from_volume = volume_of(other.m_shape);
    const std::uint64_t to_volume = volume_of(m_shape);
    const shape3 both{std::min(m_shape[0], other.m_shape[0]), std::min(m_shape[1], other.m_shape[1]),
                      std::min(m_shape[2], other.m_shape[2])};
    for_each_row_piece(both, 0, volume_of(both), [&](const shape3& at, std::uint64_t count, std::uint64_t) {
        for (unsigned p = 0; p < parts; ++p) {
            std::copy_n(from + p * from_volume + other.index_of(at), count, to + p * to_volume + index_of(at));
        }
    });
}

// ---- bytes ----

template <class Element>
template <class Value>
void tensor_planes<Element>::load(const shape3& given, std::uint64_t first, const unsigned char* bytes,
                                  std::uint64_t count)
{
    if (given == m_shape) { return load_piece<Value>(first, bytes, count); }
    for_each_row_piece(given, first, count, [&](const shape3& at, std::uint64_t length, std::uint64_t done) {
        load_piece<Value>(index_of(at), bytes + done * sizeof(Value), length);
    });
}

template <class Element>
template <class Value>
void tensor_planes<Element>::load_piece(std::uint64_t first, const unsigned char* bytes, std::uint64_t count)
{
    store_up_to(first);
    const std::uint64_t volume = volume_of(m_shape);
    real* const to = m_plane.values.get() + first;
    if constexpr (std::is_same_v<Value, real>) {
        std::memcpy(to, bytes, count * sizeof(real));
    } else {
        for (std::uint64_t e = 0; e < count; ++e, bytes += sizeof(Value)) {
            Value value;
            std::memcpy(&value, bytes, sizeof value);
            if constexpr (parts == 1) {
                to[e] = arithmetic::widened(value);
            } else {
                to[e] = value.real();
                to[volume + e] = value.imag();
            }
        }
    }
    m_stored = std::max(m_stored, first + count);
}

template <class Element>
void tensor_planes<Element>::write(const shape3& given, std::uint64_t first, const unsigned char* bytes,
                                   std::uint64_t elements)
{
    load<Element>(given, first, bytes, elements);
}

template <class Element>
void tensor_planes<Element>::write_sums(const shape3& given, std::uint64_t first, const unsigned char* bytes,
                                        std::uint64_t sums)
{
    load<accumulator>(given, first, bytes, sums);
}

// Pieces of rows of the requested shape, or all of it at once when it is the stored one. Elements that are not stored
// are
// 0, which is zero bytes in every format.
template <class Element>
template <class Value, class Convert>
void tensor_planes<Element>::unload(const shape3& shape, std::uint64_t first, unsigned char* bytes, std::uint64_t count,
                                    const Convert& convert) const
{
    const std::uint64_t volume = volume_of(m_shape);
    unsigned char* to = bytes;
    const auto piece = [&](std::uint64_t index, std::uint64_t held, std::uint64_t length) {
        const real* const from = held > 0 ? m_plane.values.get() + index : nullptr; // there may be no plane
        unsigned char* const out = to;
        if constexpr (std::is_same_v<Value, real> && !std::numeric_limits<real>::is_integer) {
            if (held > 0) { std::memcpy(out, from, held * sizeof(real)); }
        } else {
            for (std::uint64_t e = 0; e < held; ++e) {
                const Value value = convert(sum(from + e, volume));
                std::memcpy(out + e * sizeof value, &value, sizeof value);
            }
        }
        std::memset(out + held * sizeof(Value), 0, (length - held) * sizeof(Value));
        to = out + length * sizeof(Value);
    };
    const auto stored_from = [&](std::uint64_t index) { return index < m_stored ? m_stored - index : 0; };
    if (shape == m_shape) { return piece(first, std::min(count, stored_from(first)), count); }
    for_each_row_piece(shape, first, count, [&](const shape3& at, std::uint64_t length, std::uint64_t) {
        const bool inside = at[0] < m_shape[0] && at[1] < m_shape[1] && at[2] < m_shape[2];
        const std::uint64_t index = inside ? index_of(at) : 0;
        const std::uint64_t row = inside ? std::min<std::uint64_t>(length, m_shape[2] - at[2]) : 0;
        piece(index, std::min(row, stored_from(index)), length);
    });
}

template <class Element>
std::uint64_t tensor_planes<Element>::read(const shape3& shape, std::uint64_t first, unsigned char* bytes,
                                           std::uint64_t elements, unsigned shift) const
{
    std::uint64_t saturated = 0;
    unload<Element>(shape, first, bytes, elements, [&](const accumulator& s) {
        const auto element = arithmetic::narrowed<Element>(s, shift);
        saturated += element.saturated ? 1 : 0;
        return element.value;
    });
    return saturated;
}

template <class Element>
void tensor_planes<Element>::read_sums(const shape3& shape, std::uint64_t first, unsigned char* bytes,
                                       std::uint64_t sums, unsigned shift) const
{
    unload<accumulator>(shape, first, bytes, sums,
                        [shift](const accumulator& s) { return arithmetic::shifted_sum<Element>(s, shift); });
}

template class tensor_planes<double>;
template class tensor_planes<float>;
template class tensor_planes<std::complex<double>>;
template class tensor_planes<std::complex<float>>;
template class tensor_planes<arithmetic::bfloat16>;
template class tensor_planes<std::int8_t>;

} // namespace tensorloom::blocks
