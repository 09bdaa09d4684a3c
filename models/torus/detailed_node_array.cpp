#include <tensorloom/models/torus/node_array.h>
#include <complex>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#include <tensorloom/models/blocks/module_rank.h>
#include <tensorloom/models/torus/block_pieces.h>
#include <tensorloom/models/torus/detailed_plane.h>
#include <tensorloom/models/torus/node.h>
#include <tensorloom/models/torus/pointwise_counts.h>

namespace tensorloom::torus {

/// The torus with a module per node and a channel per link, for waveforms and as the reference of the fast array.
///
/// No process: a step has two phases, in each of which all nodes do the same; blocks pass between nodes through links.
/// Modules are named nodes.plane_Q.row_R.node_S for the node at (Q, R, S), and links_{q,r,s}.plane_Q.row_R.link_S for
/// the link from there to its neighbour of the next larger index. A torus of one node has no links. detailed_plane.h
/// has the lines of the plane R = 0.
template <class Element>
class detailed_node_array : public node_array, private node_memory_if, private stage_control_if {
public:
    detailed_node_array(sc_core::sc_module_name name, const config& config);

    void trace_node(sc_core::sc_trace_file& file, const shape3& place, const std::string& prefix) override;
    const char* kind() const override { return "detailed_node_array"; }

private:
    using node_type = node<Element>;
    using link_type = link<Element>;
    template <class Module> using row_of = blocks::module_rank<Module>;
    template <class Module> using plane_of = blocks::module_rank<row_of<Module>>;
    template <class Module> using cube_of = blocks::module_rank<plane_of<Module>>;
    using accumulator = arithmetic::accumulator_of<Element>;
    using real = typename block<Element>::real;

    // node_memory_if
    void lay_out(const array_layout& layout) override;
    void clear(const tensor_place& to) override;
    tensor_place placed(slot in) const override { return {m_placed_as[static_cast<unsigned>(in)], in}; }
    void write(const tensor_place& to, const shape3& sizes, std::uint64_t first, const unsigned char* bytes,
               std::uint64_t elements) override
    {
        write_numbers<Element>(to, sizes, first, bytes, elements, false);
    }
    void write_sums(const tensor_place& to, const shape3& sizes, std::uint64_t first, const unsigned char* bytes,
                    std::uint64_t sums) override
    {
        write_numbers<accumulator>(to, sizes, first, bytes, sums, true);
    }
    std::uint64_t read(const tensor_place& from, const shape3& sizes, std::uint64_t first, unsigned char* bytes,
                       std::uint64_t elements, unsigned shift) const override
    {
        return read_numbers<Element>(from, sizes, first, bytes, elements, shift);
    }
    void read_sums(const tensor_place& from, const shape3& sizes, std::uint64_t first, unsigned char* bytes,
                   std::uint64_t sums, unsigned shift) const override
    {
        read_numbers<accumulator>(from, sizes, first, bytes, sums, shift);
    }
    void resize_matrix(slot which, std::uint32_t rows, std::uint32_t columns) override;
    void write_matrix(slot which, std::uint64_t first, const unsigned char* bytes, std::uint64_t elements) override;
    void read_matrix(slot which, std::uint64_t first, unsigned char* bytes, std::uint64_t elements) const override;

    // stage_control_if
    void begin(const stage_pass& pass) override;
    void compute(counts& counts) override;
    void roll(counts& counts) override;
    void end() override;
    void apply(const pointwise_pass& pass, counts& counts) override;
    void abandon() override { lay_out(m_layout); }

    template <class Make> auto make_cube(const char* name, const char* prefix, const Make& make) const;
    template <class Number>
    void write_numbers(const tensor_place& to, const shape3& sizes, std::uint64_t first, const unsigned char* bytes,
                       std::uint64_t count, bool sums);
    template <class Number>
    std::uint64_t read_numbers(const tensor_place& from, const shape3& sizes, std::uint64_t first, unsigned char* bytes,
                               std::uint64_t count, unsigned shift) const;

    /// Calls visit(node) for the nodes that have this block at home: one, of a matrix P.
    template <class Visit> void for_each_home(slot which, const block_label& label, const Visit& visit) const
    {
        const auto& homes = m_homes[static_cast<unsigned>(which)];
        const std::size_t copies = homes.size() / blocks_of(which);
        const std::size_t first = number_of(label) * copies;
        for (std::size_t i = first; i < first + copies; ++i) { visit(*homes[i]); }
    }
    std::size_t blocks_of(slot which) const
    {
        return std::size_t{m_side} * m_side * (is_coefficient(which) ? 1 : m_side);
    }
    std::size_t index_of(const place& at) const { return (std::size_t{at[0]} * m_side + at[1]) * m_side + at[2]; }
    place place_of(std::size_t index) const
    {
        return {static_cast<std::uint32_t>(index / m_side / m_side),
                static_cast<std::uint32_t>(index / m_side % m_side), static_cast<std::uint32_t>(index % m_side)};
    }
    std::size_t number_of(const block_label& label) const
    {
        return (std::size_t{label[2]} * m_side + label[0]) * m_side + label[1];
    }
    std::uint32_t matrix_columns(slot which) const { return m_matrix_sizes[static_cast<unsigned>(which)][1]; }
    void show();

    struct watched_node {
        const node_type* watched;
        node_waveform shown;
    };

    const std::uint32_t m_side;
    const bool m_is_complex, m_shares; // sums
    counts m_counts;                   // of the running step
    counts m_begun;                    // of the start of the running stage
    typename node_type::multiplier m_unit;
    std::unique_ptr<cube_of<node_type>> m_cube;
    std::vector<std::unique_ptr<cube_of<link_type>>> m_links; // by axis
    std::vector<node_type*> m_nodes;                          // by Q, R, S
    std::vector<std::unique_ptr<watched_node>> m_watched;
    std::optional<detailed_plane<Element>> m_plane;

    array_layout m_layout;
    std::array<slot, 4> m_placed_as{};                  // by memory
    std::array<std::vector<node_type*>, slots> m_homes; // by label
    std::array<std::array<std::uint32_t, 2>, slots> m_matrix_sizes{};
};

template <class Element>
template <class Make>
auto detailed_node_array<Element>::make_cube(const char* name, const char* prefix, const Make& make) const
{
    using module = std::remove_pointer_t<decltype(make(name, place{}))>;
    place at{};
    const auto make_module = [&](const char* n, std::size_t s) {
        at[2] = static_cast<std::uint32_t>(s);
        return make(n, at);
    };
    const auto make_row = [&](const char* n, std::size_t r) {
        at[1] = static_cast<std::uint32_t>(r);
        return new row_of<module>(n, prefix, m_side, make_module);
    };
    const auto make_plane = [&](const char* n, std::size_t q) {
        at[0] = static_cast<std::uint32_t>(q);
        return new plane_of<module>(n, "row", m_side, make_row);
    };
    return std::make_unique<cube_of<module>>(name, "plane", m_side, make_plane);
}

template <class Element>
detailed_node_array<Element>::detailed_node_array(sc_core::sc_module_name name, const config& config)
    : node_array(name), m_side(config.side), m_is_complex(base::is_complex(config.format)),
      m_shares(config.overlap == overlap_kind::shared)
{
    memory.bind(*this);
    control.bind(*this);
    m_cube = make_cube("nodes", "node", [&](const char* n, const place&) {
        m_nodes.push_back(new node_type(n, m_unit, m_counts));
        return m_nodes.back();
    });
    static constexpr const char* set_names[] = {"links_q", "links_r", "links_s"};
    for (unsigned a = 0; m_side > 1 && a < axes; ++a) {
        m_links.push_back(make_cube(set_names[a], "link", [&](const char* n, const place& from) {
            const auto along = static_cast<axis>(a);
            auto* const made = new link_type(n, route_of(along, from[a], m_side, config.folded), m_counts);
            place to = from;
            to[a] = (from[a] + 1) % m_side;
            m_nodes[index_of(from)]->port_to(along, 1).bind(made->first());
            m_nodes[index_of(to)]->port_to(along, -1).bind(made->second());
            return made;
        }));
    }
    std::vector<node_type*> nodes_of_plane;
    for (std::uint32_t q = 0; q < m_side; ++q) {
        for (std::uint32_t s = 0; s < m_side; ++s) { nodes_of_plane.push_back(m_nodes[index_of({q, 0, s})]); }
    }
    m_plane.emplace(std::move(nodes_of_plane), static_cast<node_memory_if&>(*this), m_counts, m_shares,
                    [this] { show(); });
    plane.bind(*m_plane);
    lay_out({});
}

template <class Element> void detailed_node_array<Element>::lay_out(const array_layout& layout)
{
    m_layout = layout;
    m_matrix_sizes = {};
    for (auto* n : m_nodes) { n->lay_out(layout.sizes); }
    for (unsigned s = 0; s < slots; ++s) {
        const auto which = static_cast<slot>(s);
        if (!is_coefficient(which)) { m_placed_as[s] = which; }
        auto& homes = m_homes[s];
        homes.assign(m_nodes.size(), nullptr);
        const std::size_t copies = homes.size() / blocks_of(which);
        for (std::size_t i = 0; i < m_nodes.size(); ++i) {
            std::size_t home = number_of(home_label(which, place_of(i), layout.vector, m_side)) * copies;
            while (homes[home] != nullptr) { ++home; }
            homes[home] = m_nodes[i];
        }
    }
    show();
}

template <class Element> void detailed_node_array<Element>::clear(const tensor_place& to)
{
    m_placed_as[static_cast<unsigned>(to.in)] = to.as;
    for (auto* n : m_nodes) { n->clear(to.in, to.as); }
}

template <class Element>
template <class Number>
void detailed_node_array<Element>::write_numbers(const tensor_place& to, const shape3& sizes, std::uint64_t first,
                                                 const unsigned char* bytes, std::uint64_t count, bool sums)
{
    for_each_piece(to.as, m_layout, sizes, first, count, [&](const block_piece& piece) {
        for_each_home(to.as, piece.label, [&](node_type& n) {
            auto& block = n.held(to.in);
            block.holds_sums |= sums;
            store<Number>(block, piece, bytes + piece.done * sizeof(Number));
        });
    });
}

template <class Element>
template <class Number>
std::uint64_t detailed_node_array<Element>::read_numbers(const tensor_place& from, const shape3& sizes,
                                                         std::uint64_t first, unsigned char* bytes, std::uint64_t count,
                                                         unsigned shift) const
{
    std::uint64_t saturated = 0;
    for_each_piece(from.as, m_layout, sizes, first, count, [&](const block_piece& piece) {
        for_each_home(from.as, piece.label, [&](const node_type& n) {
            saturated += fetch<Number>(n.held(from.in), piece, bytes + piece.done * sizeof(Number), shift);
        });
    });
    return saturated;
}

template <class Element>
void detailed_node_array<Element>::resize_matrix(slot which, std::uint32_t rows, std::uint32_t columns)
{
    m_matrix_sizes[static_cast<unsigned>(which)] = {rows, columns};
    const auto windows = windows_of(which, m_layout, m_side, rows, columns);
    for (auto* n : m_nodes) { n->resize_matrix(which, windows[0] * windows[1]); }
}

template <class Element>
void detailed_node_array<Element>::write_matrix(slot which, std::uint64_t first, const unsigned char* bytes,
                                                std::uint64_t elements)
{
    for_each_matrix_piece(
        which, m_layout, m_side, matrix_columns(which), first, elements, [&](const block_piece& piece) {
            for_each_home(which, piece.label, [&](node_type& n) {
                store<Element>(n.held(which, piece.window), piece, bytes + piece.done * sizeof(Element));
            });
        });
}

template <class Element>
void detailed_node_array<Element>::read_matrix(slot which, std::uint64_t first, unsigned char* bytes,
                                               std::uint64_t elements) const
{
    for_each_matrix_piece(
        which, m_layout, m_side, matrix_columns(which), first, elements, [&](const block_piece& piece) {
            for_each_home(which, piece.label, [&](const node_type& n) {
                fetch<Element>(n.held(which, piece.window), piece, bytes + piece.done * sizeof(Element));
            });
        });
}

template <class Element> void detailed_node_array<Element>::begin(const stage_pass& pass)
{
    const auto coefficient = pass.stage.coefficient;
    const auto size = m_matrix_sizes[static_cast<unsigned>(coefficient)];
    const std::uint32_t columns = windows_of(coefficient, m_layout, m_side, size[0], size[1])[1];
    const auto operand = pass.operand(), sums = pass.sums();
    if (pass.opens && placed(sums.in).as != sums.as) { clear(sums); }
    const node_program program{
        pass.stage, pass.window[0] * columns + pass.window[1], pass.opens, pass.shift, m_shares, operand.in, sums.in};
    m_counts = {};
    for (auto* n : m_nodes) { n->load(program); }
    m_begun = m_counts;
}

template <class Element> void detailed_node_array<Element>::compute(counts& counted)
{
    m_counts = std::exchange(m_begun, {});
    m_counts[event::step] += 1;
    for (auto* n : m_nodes) { n->compute(); }
    counted += m_counts;
    show();
}

template <class Element> void detailed_node_array<Element>::roll(counts& counted)
{
    m_counts = {};
    for (auto* n : m_nodes) { n->send(); }
    for (auto* n : m_nodes) { n->receive(); }
    counted += m_counts;
}

template <class Element> void detailed_node_array<Element>::end()
{
    for (auto* n : m_nodes) { n->unload(); }
    show();
}

template <class Element> void detailed_node_array<Element>::apply(const pointwise_pass& pass, counts& counted)
{
    const auto step = step_of<Element>(pass);
    arithmetic::pointwise_counts found;
    std::uint64_t elements = 0;
    for (auto* n : m_nodes) {
        const auto of_node = n->apply(step, pass.x.in, pass.operand ? std::optional(pass.operand->in) : std::nullopt);
        found.macs += of_node.macs;
        found.saturated += of_node.saturated;
        elements += n->held(pass.x.in).numbers();
    }
    count_pointwise<Element>(pass, elements, found, counted);
}

template <class Element> void detailed_node_array<Element>::show()
{
    for (const auto& w : m_watched) { w->watched->show(w->shown); }
}

template <class Element>
void detailed_node_array<Element>::trace_node(sc_core::sc_trace_file& file, const shape3& at, const std::string& prefix)
{
    m_watched.push_back(std::make_unique<watched_node>(watched_node{m_nodes[index_of(at)], {}}));
    const node_waveform& w = m_watched.back()->shown;
    const auto trace_number = [&](const arithmetic::traced_element& number, const std::string& name) {
        sc_core::sc_trace(&file, number.re, name);
        if (m_is_complex) { sc_core::sc_trace(&file, number.im, name + "_im"); }
    };
    sc_core::sc_trace(&file, w.step, prefix + ".step");
    sc_core::sc_trace(&file, w.accumulator_slot, prefix + ".accumulator_slot");
    sc_core::sc_trace(&file, w.operand_slot, prefix + ".operand_slot");
    sc_core::sc_trace(&file, w.coefficient_slot, prefix + ".coefficient_slot");
    trace_number(w.accumulator, prefix + ".accumulator");
    trace_number(w.operand, prefix + ".operand");
    trace_number(w.coefficient, prefix + ".coefficient");
    static constexpr const char* link_names[] = {"q_plus", "q_minus", "r_plus", "r_minus", "s_plus", "s_minus"};
    for (unsigned i = 0; m_side > 1 && i < node_type::ports; ++i) {
        const std::string name = prefix + "." + link_names[i];
        sc_core::sc_trace(&file, w.links[i].valid, name + ".valid");
        sc_core::sc_trace(&file, w.links[i].words, name + ".words");
        trace_number(w.links[i].first, name + ".first");
    }
}

std::unique_ptr<node_array> make_detailed_node_array(sc_core::sc_module_name name, const config& config)
{
    return base::with_element<double, float, std::complex<double>, std::complex<float>, arithmetic::bfloat16,
                              std::int8_t>(config.format, [&](auto element) -> std::unique_ptr<node_array> {
        return std::make_unique<detailed_node_array<decltype(element)>>(name, config);
    });
}

} // namespace tensorloom::torus
