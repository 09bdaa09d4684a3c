#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/triada/isa/gemt_tiles.h>
#include <tensorloom/models/triada/isa/driver.h>
#include "models/device_bench.h"
#include "models/memory_places.h"
#include "models/triada/gemt_case.h"
#include "platform/triada/triada_testbed.h"

namespace tensorloom::test {

using triada_row = log_row<triada::counts>;

/// What one product left behind.
template <class T> struct gemt_outcome : bench_outcome<triada::counts> {
    std::vector<T> y;            // as elements, or else
    std::vector<sum_of<T>> sums; // as sums
};

/// A TriADA device between protocol checkers, whose host places and runs products.
class triada_bench : public device_bench<triada::traits> {
public:
    using program_type = std::function<void(triada_bench&)>;

    static constexpr std::uint64_t data_at = testbench::memory_base + 0x8000;

    triada_bench(const std::string& name, const triada::config& config, program_type program)
        : device_bench(name, config, [this, run = std::move(program)](device_bench&) { run(*this); })
    {}

    /// Writes a case into memory, over all that was placed before; the command to run it.
    template <class T> triada::gemt_command place(const gemt_case<T>& g)
    {
        restart();
        return place_next(g);
    }
    /// After all that was placed before.
    template <class T> triada::gemt_command place_next(const gemt_case<T>& g)
    {
        const auto type = base::element_type_of<T>;
        const auto sums = base::element_type_of<sum_of<T>>;
        const std::vector<std::uint32_t> shape(g.shape.begin(), g.shape.end());
        const std::vector<std::uint32_t> out(g.result_shape().begin(), g.result_shape().end());
        triada::gemt_command c;
        c.flags =
            static_cast<std::uint16_t>((g.esop ? triada::gemt_command::flag_esop : 0) |
                                       (g.initial.empty() ? 0 : triada::gemt_command::flag_accumulate) |
                                       (g.double_buffer ? triada::gemt_command::flag_double_buffer : 0) | g.layouts);
        c.partials = static_cast<std::uint8_t>(g.partials);
        c.stage_mask = static_cast<std::uint8_t>(g.mask);
        c.zero_threshold = g.threshold;
        for (unsigned s = 0; s < 3; ++s) {
            c.order[s] = static_cast<std::uint8_t>(g.order[s]);
            c.shifts[s] = static_cast<std::uint8_t>(g.shifts[s]);
        }
        c.x = isa::dense_descriptor(store(c.x_tiles() ? in_tiles(g.x, g.shape) : g.x), type, shape);
        if (!g.initial.empty()) {
            const auto initial = c.y_tiles() ? in_tiles(g.initial, g.result_shape()) : g.initial;
            c.initial_y = isa::dense_descriptor(store(initial), sums, out);
        }
        for (unsigned m = 0; m < 3; ++m) {
            if (!c.sums(m)) { continue; }
            c.matrix[m] = isa::dense_descriptor(store(g.matrices[m]), type, {shape[m], out[m]});
            if (!g.row_orders[m].empty()) { c.row_order_address[m] = store(g.row_orders[m]); }
        }
        const std::uint64_t y_bytes = g.result_volume() * (g.sums_wanted ? sizeof(sum_of<T>) : sizeof(T));
        c.y = isa::dense_descriptor(reserve(y_bytes), g.sums_wanted ? sums : type, out);
        const auto workspace = triada::gemt_workspace_elements(c, device().settings().mesh);
        if (workspace > 0) {
            const auto at = reserve(workspace * sizeof(T));
            c.workspace = isa::dense_descriptor(at, type, {static_cast<std::uint32_t>(workspace)});
        }
        return c;
    }

    using device_bench::run;
    outcome_type run(const std::vector<triada::gemt_command>& commands)
    {
        return run(triada::driver::program(commands));
    }
    /// Places and runs one case.
    template <class T> gemt_outcome<T> run(const gemt_case<T>& g)
    {
        const auto command = place(g);
        gemt_outcome<T> outcome;
        static_cast<outcome_type&>(outcome) = run({command});
        if (g.sums_wanted) {
            fetch(command, outcome.sums, g.result_volume());
            if (command.y_tiles()) { outcome.sums = in_rows(outcome.sums, g.result_shape()); }
        } else {
            fetch(command, outcome.y, g.result_volume());
            if (command.y_tiles()) { outcome.y = in_rows(outcome.y, g.result_shape()); }
        }
        return outcome;
    }

    template <class V> void fetch(const triada::gemt_command& command, std::vector<V>& values, std::size_t count)
    {
        values.resize(count);
        cpu().read_block(command.y.base, values.data(), count * sizeof(V));
    }

    /// The next place is the first again.
    void restart() { m_places.restart(); }
    template <class V> std::uint64_t store(const std::vector<V>& values) { return m_places.store(cpu(), values); }
    std::uint64_t reserve(std::uint64_t bytes) { return m_places.reserve(bytes); }

private:
    // Calls visit(index in rows) for each element of a tensor in tiles of the mesh's sizes, in the order in which they
    // lie in memory.
    template <class Visit> void for_each_in_tiles(const shape3& shape, const Visit& visit)
    {
        const auto& tile = device().settings().mesh;
        shape3 at{};
        for (at[0] = 0; at[0] < shape[0]; at[0] += tile[0]) {
            for (at[1] = 0; at[1] < shape[1]; at[1] += tile[1]) {
                for (at[2] = 0; at[2] < shape[2]; at[2] += tile[2]) {
                    for (std::uint32_t i = at[0]; i < std::min(at[0] + tile[0], shape[0]); ++i) {
                        for (std::uint32_t j = at[1]; j < std::min(at[1] + tile[1], shape[1]); ++j) {
                            for (std::uint32_t k = at[2]; k < std::min(at[2] + tile[2], shape[2]); ++k) {
                                visit((std::size_t{i} * shape[1] + j) * shape[2] + k);
                            }
                        }
                    }
                }
            }
        }
    }
    template <class V> std::vector<V> in_tiles(const std::vector<V>& rows, const shape3& shape)
    {
        std::vector<V> tiles;
        for_each_in_tiles(shape, [&](std::size_t at) { tiles.push_back(rows[at]); });
        return tiles;
    }
    template <class V> std::vector<V> in_rows(const std::vector<V>& tiles, const shape3& shape)
    {
        std::vector<V> rows(tiles.size());
        std::size_t next = 0;
        for_each_in_tiles(shape, [&](std::size_t at) { rows[at] = tiles[next++]; });
        return rows;
    }

    memory_places m_places{data_at};
};

} // namespace tensorloom::test
