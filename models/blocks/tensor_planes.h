#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>
#include <tensorloom/models/arithmetic/cache_line.h>
#include <tensorloom/models/arithmetic/number_format.h>

namespace tensorloom::blocks {

using shape3 = std::array<std::uint32_t, 3>;

/// Iterates over the elements first <= e < first + elements of the corner 0 <= i < shape, in C order. Calls visit(at,
/// count, done) for pieces of rows along mode 3: position of the piece's first element, its length, elements before it.
template <class Visit>
void for_each_row_piece(const shape3& shape, std::uint64_t first, std::uint64_t elements, const Visit& visit)
{
    if (elements == 0) { return; }
    const std::uint64_t row = first / shape[2];
    shape3 at{static_cast<std::uint32_t>(row / shape[1]), static_cast<std::uint32_t>(row % shape[1]),
              static_cast<std::uint32_t>(first % shape[2])};
    for (std::uint64_t done = 0; done < elements;) {
        const std::uint64_t count = std::min<std::uint64_t>(elements - done, shape[2] - at[2]);
        visit(at, count, done);
        done += count;
        at[2] = 0;
        if (++at[1] == shape[1]) {
            at[1] = 0;
            ++at[0];
        }
    }
}

/// Memory for the tensors of a fast fidelity: not initialised, aligned to cache lines, and reused from tensor to
/// tensor, so that a product needs no more memory than its live tensors.
template <class R> class plane_pool {
    static constexpr std::align_val_t line{arithmetic::cache_line};
    struct release {
        void operator()(R* values) const { ::operator delete[](values, line); }
    };

public:
    struct plane {
        std::unique_ptr<R[], release> values;
        std::size_t size = 0;
    };

    /// The smallest free plane that is large enough; otherwise a new one in place of one that is too small.
    plane take(std::size_t size)
    {
        const auto fits = std::lower_bound(m_free.begin(), m_free.end(), size,
                                           [](const plane& p, std::size_t least) { return p.size < least; });
        if (fits != m_free.end()) {
            plane found = std::move(*fits);
            m_free.erase(fits);
            return found;
        }
        if (!m_free.empty()) { m_free.pop_back(); }
        return {std::unique_ptr<R[], release>(new (line) R[size]), size};
    }
    void give(plane&& p)
    {
        if (p.values == nullptr) { return; }
        const auto place = std::lower_bound(m_free.begin(), m_free.end(), p.size,
                                            [](const plane& f, std::size_t size) { return f.size < size; });
        m_free.insert(place, std::move(p));
    }

private:
    std::vector<plane> m_free; // by size
};

/// A tensor distributed over cells or nodes, as arrays: the sums of a corner 0 <= i < shape in C order, real and
/// imaginary parts in separate planes. Everything outside is +0, and the whole tensor is +0 until the first store.
///
/// Memory is allocated on first use.
template <class Element> class tensor_planes {
public:
    using accumulator = arithmetic::accumulator_of<Element>;
    using real = typename arithmetic::number_format<Element>::real;
    static constexpr unsigned parts = arithmetic::number_format<Element>::parts;

    explicit tensor_planes(plane_pool<real>& pool) : m_pool(pool) {}

    const shape3& shape() const { return m_shape; }
    bool is_zero() const { return m_stored == 0; } ///< +0 everywhere
    accumulator at(const shape3& position) const;  ///< at any position

    /// +0 everywhere; this shape, no memory.
    void clear(const shape3& shape);
    /// Sets another shape; elements in both shapes keep their values.
    void reshape(const shape3& shape);
    /// Elements in both shapes take the values of the other tensor.
    void copy_corner(tensor_planes& other);
    /// The arrays: part p of element e at p x volume + e.
    real* values();
    /// Rounds sums to elements, as for operands; returns the number of saturated ones (int8).
    std::uint64_t round_to_elements(unsigned shift = 0);
    /// The arrays in a new shape; the caller writes every element.
    real* overwritten(const shape3& shape);

    // Transfers use C order of a corner of any shape, from element `first` on, with elements or with sums in the
    // accumulator's format. `given` lies within the shape. `shift` as in arithmetic/number_format.h.
    void write(const shape3& given, std::uint64_t first, const unsigned char* bytes, std::uint64_t elements);
    void write_sums(const shape3& given, std::uint64_t first, const unsigned char* bytes, std::uint64_t sums);
    /// Returns the number of saturated elements.
    std::uint64_t read(const shape3& shape, std::uint64_t first, unsigned char* bytes, std::uint64_t elements,
                       unsigned shift) const;
    void read_sums(const shape3& shape, std::uint64_t first, unsigned char* bytes, std::uint64_t sums,
                   unsigned shift) const;

private:
    static accumulator sum(const real* value, [[maybe_unused]] std::uint64_t volume)
    {
        if constexpr (parts == 1) {
            return *value;
        } else {
            return {value[0], value[volume]};
        }
    }
    std::uint64_t index_of(const shape3& at) const
    {
        return (std::uint64_t{at[0]} * m_shape[1] + at[1]) * m_shape[2] + at[2];
    }
    void store_up_to(std::uint64_t element);
    template <class Value>
    void load(const shape3& given, std::uint64_t first, const unsigned char* bytes, std::uint64_t count);
    template <class Value> void load_piece(std::uint64_t first, const unsigned char* bytes, std::uint64_t count);
    template <class Value, class Convert>
    void unload(const shape3& shape, std::uint64_t first, unsigned char* bytes, std::uint64_t count,
                const Convert& convert) const;

    plane_pool<real>& m_pool;
    shape3 m_shape{};
    std::uint64_t m_stored = 0; // elements from here on are +0, whatever the arrays contain
    typename plane_pool<real>::plane m_plane;
};

} // namespace tensorloom::blocks
