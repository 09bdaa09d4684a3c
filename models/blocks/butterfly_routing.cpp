#include <tensorloom/models/blocks/butterfly_routing.h>
#include <optional>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/blocks/butterfly_switches.h>

namespace tensorloom::blocks {
namespace {

constexpr unsigned max_ports = 1u << butterfly::max_levels;

/// The paths of a request: for every port of the request (near end) the other end of its path (far end).
struct request {
    const butterfly& shape;
    const std::vector<unsigned>& far_end; // by near end
    bool reduces;                         // near ends are inputs, otherwise outputs
};

/// Rows that have reached one level of ports.
struct layer {
    std::uint64_t used = 0;
    std::array<std::uint8_t, max_ports> owner{}; // of a used port: the first of the request's ports that it belongs to
};

// Sets the controls of a request's paths, or returns where two of them meet.
std::optional<butterfly_blockage::meeting> solve(const request& asked, butterfly_controls& controls)
{
    const butterfly& shape = asked.shape;
    std::uint64_t done = 0;
    for (unsigned level = 0; level < shape.levels; ++level) {
        const unsigned q = shape.bit(level);
        done |= 1u << q;
        layer behind;
        std::uint64_t before = 0;
        for (unsigned near_end = 0; near_end < asked.far_end.size(); ++near_end) {
            if (asked.far_end[near_end] == no_port) { continue; }
            const unsigned wired = asked.far_end[near_end];
            const unsigned far_end = controls.transpose ? shape.transposed(wired) : wired;
            const auto from = asked.reduces ? near_end : far_end;
            const auto to = asked.reduces ? far_end : near_end;
            const auto port = static_cast<unsigned>((to & done) | (from & ~done));
            const std::uint64_t bit = std::uint64_t{1} << port;
            if ((behind.used & bit) == 0) {
                behind.used |= bit;
                behind.owner[port] = static_cast<std::uint8_t>(near_end);
            } else if (asked.far_end[behind.owner[port]] != wired) {
                return butterfly_blockage::meeting{level, 1u << q, port, {behind.owner[port], near_end}};
            }
            const std::uint64_t crosses = (from ^ to) >> q & 1;
            const unsigned came_from = port ^ static_cast<unsigned>(crosses << q);
            before |= std::uint64_t{1} << came_from;
            controls.diagonal[q] |= crosses << (asked.reduces ? came_from : port);
        }
        // A switch with one wanted input passes or swaps.
        if (asked.reduces) { controls.diagonal[q] |= along_diagonals(controls.diagonal[q], q) & ~before; }
    }
    return std::nullopt;
}

void check(const request& asked)
{
    const auto text = [](std::size_t n) { return std::to_string(n); };
    const unsigned ports = asked.shape.ports();
    if (asked.far_end.size() != ports) {
        throw base::input_error("butterfly: a request for " + text(asked.far_end.size()) + " ports, not " +
                                text(ports));
    }
    for (const unsigned port : asked.far_end) {
        if (port >= ports && port != no_port) {
            throw base::input_error("butterfly: port " + text(port) + " requested, not below " + text(ports));
        }
    }
}

butterfly_route route(const request& asked)
{
    check(asked);
    butterfly_blockage blocked;
    blocked.reduces = asked.reduces;
    butterfly_controls controls;
    const auto plain = solve(asked, controls);
    if (!plain) { return controls; }
    blocked.plain = *plain;
    if (asked.shape.has_transpose()) {
        controls = {};
        controls.transpose = true;
        const auto transposed = solve(asked, controls);
        if (!transposed) { return controls; }
        blocked.has_transposed = true;
        blocked.transposed = *transposed;
    }
    return blocked;
}

} // namespace

std::string butterfly_blockage::text() const
{
    const auto place = [&](const meeting& m) {
        const std::string ports = std::to_string(m.between[0]) + " and " + std::to_string(m.between[1]);
        return (reduces ? "inputs " + ports + ", of different sums, meet"
                        : "outputs " + ports + " need different rows") +
               " at port " + std::to_string(m.port) + " after level " + std::to_string(m.level) + " (distance " +
               std::to_string(m.distance) + ")";
    };
    return "no route: " + place(plain) + (has_transposed ? "; transposed, " + place(transposed) : "");
}

butterfly_route route_distribution(const butterfly& shape, const std::vector<unsigned>& from)
{
    return route({shape, from, false});
}

butterfly_route route_reduction(const butterfly& shape, const std::vector<unsigned>& to)
{
    return route({shape, to, true});
}

} // namespace tensorloom::blocks
