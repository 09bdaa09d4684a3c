#pragma once
#include <cstdint>
#include <memory>
#include <vector>
#include <tensorloom/models/base/values/element_type.h>

namespace tensorloom::rtl {

/// A stage of a product: the mode of its actuator, and the rows of its store in the sequence in which they are due.
struct streamed_stage {
    unsigned mode = 0;
    std::uint32_t length = 0; ///< elements of a row that drive lines
    std::vector<std::uint32_t> order;
};

/// TriADA's actuators and their stage control in Verilog (triada/streams.v), by their pins. Stores have `most` rows of
/// `most` elements.
///
/// Example
///
///     auto streams = rtl::make_row_streams(base::element_type::f32);
///     streams->write(2, 0, {0x3f80'0000, 0}, 0); // mode 2, row 0: 1 with the tag, 0
///     streams->start({{2, 2, {0}}}, true);
///     for (unsigned clock = 0; clock < 3; ++clock) { streams->tick(); } // the time-step of row 0
class row_streams {
public:
    static constexpr std::uint32_t most = 8;

    virtual ~row_streams() = default;

    /// A row of the store of an actuator, with the place of its tag; elements that are not given are zero.
    virtual void write(unsigned mode, std::uint32_t row, const std::vector<std::uint64_t>& elements,
                       std::uint32_t tag) = 0;
    /// Begins a product of one to three stages, and fetches the first row.
    virtual void start(const std::vector<streamed_stage>& stages, bool esop) = 0;
    /// A clock. After three the next row is there.
    virtual void tick() = 0;

    enum class clock { idle, x_lines, y_lines, multiply_add };
    virtual clock phase() const = 0; ///< of the time-step
    virtual bool done() const = 0;
    virtual unsigned streaming() const = 0; ///< actuators that drive the face, by bit: one, or none when done
    virtual unsigned stage() const = 0;
    virtual std::uint32_t position() const = 0; ///< in the order of its stage
    /// Positions of a stage that the look-ahead passed over before this time-step, by bit.
    virtual std::uint32_t skipped(unsigned stage) const = 0;

    // the face
    virtual std::uint32_t lines() const = 0; ///< elements that are driven, by bit
    virtual std::uint32_t tags() const = 0;
    virtual std::uint64_t element(std::uint32_t k) const = 0;
};

/// The streams of a format that has() says was built.
std::unique_ptr<row_streams> make_row_streams(base::element_type format);

} // namespace tensorloom::rtl
