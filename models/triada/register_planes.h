#pragma once
#include <cstddef>
#include <cstdint>
#include <tensorloom/models/arithmetic/number_format.h>
#include <tensorloom/models/triada/cell_memory.h>
#include <tensorloom/models/triada/plane_pool.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::triada {

/// One register of all cells, as arrays: the sums of a corner 0 <= i < shape of the mesh in C order, the parts of
/// complex ones in planes of their own. The cells outside of it hold +0, and so does all of it until something is
/// stored.
///
/// Nothing is allocated before it is needed.
template <class Element> class register_planes {
public:
    using accumulator = arithmetic::accumulator_of<Element>;
    using real = typename arithmetic::number_format<Element>::real;
    static constexpr unsigned parts = arithmetic::number_format<Element>::parts;

    explicit register_planes(plane_pool<real>& pool) : m_pool(pool) {}

    const shape3& shape() const { return m_shape; }
    bool is_zero() const { return m_stored == 0; } ///< +0 in every cell
    accumulator at(const shape3& position) const;  ///< of any cell

    /// +0 in every cell; this shape, no memory.
    void clear(const shape3& shape);
    /// Another shape; what lies in both stays.
    void reshape(const shape3& shape);
    /// What lies in both shapes becomes what the other register holds there.
    void copy_corner(register_planes& other);
    /// The arrays: part p of element e at p x volume + e.
    real* values();
    /// The arrays in a new shape; the caller writes every element.
    real* overwritten(const shape3& shape);

    // As in cell_memory_if.
    void write(std::uint64_t first, const unsigned char* bytes, std::uint64_t elements);
    void write_sums(std::uint64_t first, const unsigned char* bytes, std::uint64_t sums);
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
    template <class Value> void load(std::uint64_t first, const unsigned char* bytes, std::uint64_t count);
    template <class Value, class Convert>
    void unload(const shape3& shape, std::uint64_t first, unsigned char* bytes, std::uint64_t count,
                const Convert& convert) const;

    plane_pool<real>& m_pool;
    shape3 m_shape{};
    std::uint64_t m_stored = 0; // elements from here on are +0, whatever the arrays hold
    typename plane_pool<real>::plane m_plane;
};

} // namespace tensorloom::triada
