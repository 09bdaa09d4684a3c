#include <tensorloom/models/rtl/systolic/systolic_registers.h>
#include <vector>
#include <tensorloom/models/rtl/pins.h>
#include <verilated_formats.h>

namespace tensorloom::rtl {
namespace {

/// All elements in one module.
template <class Modules> class whole_array : public systolic_registers {
public:
    whole_array() { start_cycle(); }

    void operand(unsigned row, std::uint64_t element) override
    {
        put(m_array.valid_in, row, 1, 1);
        put(m_array.left, std::size_t{row} * element_bits, element_bits, element);
    }
    void end_of_tile(unsigned row) override { put(m_array.end_in, row, 1, 1); }
    void load(unsigned column, unsigned tile_row, std::uint64_t element) override
    {
        put(m_array.load, column, 1, 1);
        put(m_array.load_row, std::size_t{column} * row_bits, row_bits, tile_row);
        put(m_array.weight_in, std::size_t{column} * element_bits, element_bits, element);
    }
    void load_directly(unsigned column, std::uint64_t element) override
    {
        load(column, 0, element);
        m_array.direct = 1;
    }
    void clear() override { m_array.clear = 1; }

    unsigned tick() override
    {
        m_array.clock = 1;
        m_array.eval();
        start_cycle();
        return static_cast<unsigned>(__builtin_popcountll(m_array.overflow));
    }

    systolic_element_registers element(unsigned row, unsigned column) const override
    {
        const std::size_t at = std::size_t{row} * side + column;
        return {get(m_array.valid, at, 1) != 0,
                get(m_array.ends, at, 1) != 0,
                get(m_array.right, at * element_bits, element_bits),
                get(m_array.below, at * sum_bits, sum_bits),
                get(m_array.weight, at * element_bits, element_bits),
                get(m_array.shadow, at * element_bits, element_bits)};
    }
    bool ends(unsigned row, unsigned column) const override
    {
        return get(m_array.ends, std::size_t{row} * side + column, 1) != 0;
    }
    bool result_is_valid(unsigned column) const override { return get(m_array.valid, last_row + column, 1) != 0; }
    std::uint64_t result(unsigned column) const override
    {
        return get(m_array.below, (last_row + column) * sum_bits, sum_bits);
    }

private:
    static constexpr unsigned side = 4, row_bits = 2, last_row = side * (side - 1);
    static constexpr unsigned element_bits = Modules::element_bits, sum_bits = Modules::sum_bits;

    void start_cycle()
    {
        m_array.clock = 0;
        m_array.valid_in = m_array.end_in = m_array.load = m_array.direct = m_array.clear = 0;
        m_array.eval();
    }

    VerilatedContext m_context;
    typename Modules::systolic_array m_array{&m_context, "systolic_array"};
};

/// Verilated elements, wired as in systolic_array.v.
template <class Modules> class wired_array : public systolic_registers {
public:
    explicit wired_array(unsigned side) : m_side(side), m_edges(side), m_columns(side)
    {
        for (unsigned i = 0; i < side * side; ++i) {
            m_elements.push_back(std::make_unique<element_module>(&m_context, "systolic_element"));
            auto& e = *m_elements.back();
            set(e.depth, i / side);
            e.eval();
        }
    }

    void operand(unsigned row, std::uint64_t element) override
    {
        m_edges[row].valid = true;
        m_edges[row].left = element;
    }
    void end_of_tile(unsigned row) override { m_edges[row].ends = true; }
    void load(unsigned column, unsigned tile_row, std::uint64_t element) override
    {
        m_columns[column] = {true, tile_row, element};
    }
    void load_directly(unsigned column, std::uint64_t element) override
    {
        load(column, 0, element);
        m_direct = true;
    }
    void clear() override { m_clear = true; }

    unsigned tick() override
    {
        if (m_direct) { // what weight_out is depends on it
            for (auto& e : m_elements) {
                e->direct = 1;
                e->eval();
            }
        }
        connect();
        unsigned overflows = 0;
        for (auto* e : m_active) {
            e->clock = 1;
            e->eval();
            overflows += e->overflow;
        }
        for (auto* e : m_active) {
            e->clock = e->direct = 0;
            e->eval();
        }
        m_edges.assign(m_side, {});
        m_columns.assign(m_side, {});
        m_direct = m_clear = false;
        return overflows;
    }

    systolic_element_registers element(unsigned row, unsigned column) const override
    {
        const auto& e = at(row, column);
        return {e.valid != 0, e.ends != 0, e.right, e.below, e.weight, e.weight_out};
    }
    bool ends(unsigned row, unsigned column) const override { return at(row, column).ends != 0; }
    bool result_is_valid(unsigned column) const override { return at(m_side - 1, column).valid != 0; }
    std::uint64_t result(unsigned column) const override { return at(m_side - 1, column).below; }

private:
    using element_module = typename Modules::systolic_element;
    struct edge {
        bool valid = false;
        bool ends = false;
        std::uint64_t left = 0;
    };
    struct arriving_weight {
        bool there = false;
        unsigned tile_row = 0;
        std::uint64_t element = 0;
    };

    const element_module& at(unsigned row, unsigned column) const { return *m_elements[row * m_side + column]; }

    // Inputs of all elements, from the registers before the edge. An element in which nothing changes has no edge.
    void connect()
    {
        m_active.clear();
        for (unsigned i = 0; i < m_side; ++i) {
            for (unsigned j = 0; j < m_side; ++j) {
                auto& e = *m_elements[i * m_side + j];
                const edge from =
                    j == 0 ? m_edges[i] : edge{at(i, j - 1).valid != 0, at(i, j - 1).ends != 0, at(i, j - 1).right};
                const auto& weight = m_columns[j];
                if (!from.valid && !from.ends && !weight.there && !m_clear && !e.valid && !e.ends) { continue; }
                set(e.valid_in, from.valid);
                set(e.end_in, from.ends);
                set(e.left, from.left);
                set(e.above, i == 0 ? 0 : at(i - 1, j).below);
                set(e.load, weight.there);
                set(e.load_row, weight.tile_row);
                set(e.clear, m_clear);
                set(e.weight_in, i == 0 ? weight.element : at(i - 1, j).weight_out);
                m_active.push_back(&e);
            }
        }
    }

    VerilatedContext m_context;
    unsigned m_side;
    std::vector<std::unique_ptr<element_module>> m_elements; // row by row
    std::vector<element_module*> m_active;
    std::vector<edge> m_edges;              // by row
    std::vector<arriving_weight> m_columns; // by column
    bool m_direct = false, m_clear = false;
};

} // namespace

std::unique_ptr<systolic_registers> make_systolic_registers(base::element_type format, unsigned side)
{
    using result = std::unique_ptr<systolic_registers>;
    return with_format<result>(format, [&](auto modules) -> result {
        using modules_type = decltype(modules);
        if (side == 4) { return std::make_unique<whole_array<modules_type>>(); }
        return std::make_unique<wired_array<modules_type>>(side);
    });
}

} // namespace tensorloom::rtl
