#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/byte_layout.h>
#include <tensorloom/models/base/values/element_type.h>

namespace tensorloom::isa {

/// The bytes of a tensor descriptor.
namespace descriptor_fields {

inline constexpr base::layout_field base("base", 0, 8, 1, "address of element (0, 0, ...)", base::field_kind::address);
inline constexpr base::layout_field type("type", 8, 1, 1, "element type");
inline constexpr base::layout_field order("order", 9, 1, 1, "number of modes, 1 to 8");
inline constexpr base::layout_field reserved("reserved", 10, 1, 6, "0", base::field_kind::reserved);
inline constexpr base::layout_field size("size", 16, 4, 8, "elements per mode, at least 1; 0 past the order");
inline constexpr base::layout_field stride("stride", 48, 8, 8,
                                           "distance of neighbours along a mode, signed, in elements; 0 past the order",
                                           base::field_kind::signed_number);
inline constexpr base::layout_field all[] = {base, type, order, reserved, size, stride};

} // namespace descriptor_fields

inline constexpr base::byte_layout descriptor_layout{"descriptor", descriptor_fields::all};
static_assert(descriptor_layout.is_whole(), "a byte of the descriptor has no field, or two");

/// The location of a tensor in memory, as used by a device's DMA. Encoded little-endian as above; all bytes 0 mean "no
/// tensor".
struct tensor_descriptor {
    static constexpr std::size_t encoded_bytes = descriptor_layout.bytes();
    static constexpr unsigned max_order = descriptor_fields::size.count;

    std::uint64_t base = 0;                       ///< address of element (0, 0, ...)
    std::uint8_t type = 0;                        ///< an element_type; 0 only when there is no tensor
    std::uint8_t order = 0;                       ///< number of modes, 1 to 8
    std::array<std::uint32_t, max_order> size{};  ///< elements per mode, at least 1
    std::array<std::int64_t, max_order> stride{}; ///< distance of neighbours along a mode, in elements; may be negative

    std::uint64_t reserved = 0; ///< the six reserved bytes; any value but 0 is malformed

    bool present() const; ///< any byte is not 0
    std::uint64_t elements() const;

    void encode(std::uint8_t* bytes) const;
    static tensor_descriptor decode(const std::uint8_t* bytes);
};

/// A dense tensor in C order at `base`.
tensor_descriptor dense_descriptor(std::uint64_t base, base::element_type type, const std::vector<std::uint32_t>& size);

/// The first error of a descriptor that is present: type, order, reserved bytes, sizes, addresses outside 64 bits.
std::optional<std::string> validate(const tensor_descriptor& descriptor);

/// The contiguous runs of memory that hold a tensor's elements in C order, as long as possible.
class descriptor_runs {
public:
    explicit descriptor_runs(const tensor_descriptor& descriptor);

    std::uint64_t run_elements() const { return m_run; } ///< elements of each run
    std::uint64_t runs() const { return m_runs; }
    std::uint64_t address(std::uint64_t run) const; ///< of the run's first byte

private:
    tensor_descriptor m_descriptor;
    std::uint64_t m_run = 1;
    std::uint64_t m_runs = 1;
    unsigned m_outer = 0; // modes that are not merged into a run
};

} // namespace tensorloom::isa
