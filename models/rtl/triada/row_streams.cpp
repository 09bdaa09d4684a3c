#include <tensorloom/models/rtl/triada/row_streams.h>
#include <verilated_formats.h>
#include <tensorloom/models/rtl/pins.h>

namespace tensorloom::rtl {
namespace {

template <class Modules> class verilated_streams : public row_streams {
public:
    verilated_streams() { m_pins.eval(); }

    void write(unsigned mode, std::uint32_t row, const std::vector<std::uint64_t>& elements, std::uint32_t tag) override
    {
        set(m_pins.write, 1u << mode);
        set(m_pins.write_row, row);
        set(m_pins.write_tags, 1u << tag);
        for (std::uint32_t k = 0; k < most; ++k) {
            put(m_pins.write_elements, std::size_t{k} * element_bits, element_bits,
                k < elements.size() ? elements[k] : 0);
        }
        tick();
        m_pins.write = 0;
    }

    void start(const std::vector<streamed_stage>& stages, bool esop) override
    {
        set(m_pins.stages, stages.size());
        set(m_pins.start_esop, esop);
        m_pins.write_order = 1;
        for (unsigned s = 0; s < stages.size(); ++s) {
            const auto& stage = stages[s];
            put(m_pins.modes, 2 * s, 2, stage.mode);
            put(m_pins.rows, size_bits * s, size_bits, stage.order.size());
            put(m_pins.lengths, size_bits * s, size_bits, stage.length);
            set(m_pins.write_stage, s);
            for (std::uint32_t p = 0; p < stage.order.size(); ++p) {
                set(m_pins.write_position, p);
                set(m_pins.write_row, stage.order[p]);
                tick();
            }
        }
        m_pins.write_order = 0;
        m_pins.start = 1;
        tick();
        m_pins.start = 0;
        tick(); // fetches the first row
    }

    void tick() override
    {
        m_pins.clock = 1;
        m_pins.eval();
        m_pins.clock = 0;
        m_pins.eval();
    }

    clock phase() const override
    {
        if (m_pins.x_phase != 0) { return clock::x_lines; }
        if (m_pins.y_phase != 0) { return clock::y_lines; }
        return m_pins.mac_phase != 0 ? clock::multiply_add : clock::idle;
    }
    bool done() const override { return m_pins.done != 0; }
    unsigned streaming() const override { return m_pins.streaming; }
    unsigned stage() const override { return m_pins.stage; }
    std::uint32_t position() const override { return m_pins.position; }
    std::uint32_t skipped(unsigned stage) const override
    {
        return static_cast<std::uint32_t>(get(m_pins.skipped, std::size_t{stage} * most, most));
    }
    std::uint32_t lines() const override { return m_pins.row_valid; }
    std::uint32_t tags() const override { return m_pins.row_tag; }
    std::uint64_t element(std::uint32_t k) const override
    {
        return get(m_pins.row_elements, std::size_t{k} * element_bits, element_bits);
    }

private:
    static constexpr unsigned element_bits = Modules::element_bits, size_bits = 4;

    VerilatedContext m_context;
    typename Modules::streams m_pins{&m_context, "streams"};
};

} // namespace

std::unique_ptr<row_streams> make_row_streams(base::element_type format)
{
    using result = std::unique_ptr<row_streams>;
    return with_format<result>(
        format, [](auto modules) -> result { return std::make_unique<verilated_streams<decltype(modules)>>(); });
}

} // namespace tensorloom::rtl
