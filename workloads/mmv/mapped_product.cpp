#include <tensorloom/workloads/mmv/mapped_product.h>
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <regex>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/integers.h>
#include <tensorloom/models/isa/program/shell_commands.h>
#include <tensorloom/workloads/mmv/word_values.h>

namespace tensorloom::workloads {
namespace {

constexpr std::uint64_t together = 4;   // blocks of the array that a LOAD moves beside each other
constexpr std::uint64_t most_ahead = 2; // pieces by which loads come before their products
constexpr std::uint64_t alignment = 64;

std::uint64_t aligned(std::uint64_t bytes) { return base::quotient_up(bytes, alignment) * alignment; }

// ---- reading a loop nest ----

// A level of a mapping: what it holds, and where loops along the array are allowed.
struct level {
    const char* head;
    char along_array;
};
constexpr level levels[] = {{"L3[WIO]", 0}, {"L2[WI]", 'K'}, {"L1[O]", 'C'}, {"L0[W]", 0}};

std::vector<std::string> split(const std::string& text, const std::string& separator)
{
    std::vector<std::string> parts;
    std::size_t first = 0;
    for (std::size_t at; (at = text.find(separator, first)) != std::string::npos; first = at + separator.size()) {
        parts.push_back(text.substr(first, at - first));
    }
    parts.push_back(text.substr(first));
    return parts;
}

class mapping_reader {
public:
    mapping_reader(const mapped_sizes& sizes, std::uint64_t side) : m_sizes(sizes), m_side(side) {}

    product_mapping read(const std::string& text)
    {
        const auto parts = split(text, " - ");
        if (parts.size() != std::size(levels)) {
            base::refuse("mapping", std::to_string(parts.size()) + " levels in " + base::in_quotes(text),
                         "4, separated by ' - '");
        }
        for (std::size_t l = 0; l < std::size(levels); ++l) { read_level(levels[l], parts[l], l == 0); }
        m_found.p = m_tile['P'];
        m_found.q = m_tile['Q'];
        m_found.n = m_tile['N'];
        m_found.depth = m_tile['C'];
        m_found.columns = m_tile['K'];
        require_iterations("K", m_all['K'], m_sizes.columns, "columns");
        require_iterations("C", m_all['C'], m_sizes.depth, "the depth");
        require_iterations("P Q N", m_all['P'] * m_all['Q'] * m_all['N'], m_sizes.rows, "rows");
        return m_found;
    }

private:
    void read_level(const level& of, const std::string& text, bool is_outer)
    {
        static const std::regex loop("([KCPQN])([1-9][0-9]{0,8})(X?)");
        const auto words = split(text, " ");
        if (words.front() != of.head) {
            base::refuse("mapping", base::in_quotes(words.front()), std::string(of.head) + " as this level");
        }
        if (words.size() < 2) { base::refuse("mapping", "no loop at " + words.front(), "at least N1"); }
        for (std::size_t w = 1; w < words.size(); ++w) {
            std::smatch found;
            if (!std::regex_match(words[w], found, loop)) {
                base::refuse("mapping", base::in_quotes(words[w]) + " at " + of.head,
                             "a dimension K, C, P, Q or N, a count, and perhaps X");
            }
            take(of, {found[1].str()[0], std::stoull(found[2])}, found[3].length() != 0, is_outer);
        }
    }

    void take(const level& of, const mapped_loop& loop, bool along_array, bool is_outer)
    {
        const std::string text = loop.dimension + std::to_string(loop.count) + (along_array ? "X" : "");
        if (along_array && (loop.dimension != of.along_array || loop.count > m_side)) {
            base::refuse("mapping", text + " at " + of.head,
                         "along the array K at L2 and C at L1, at most " + std::to_string(m_side));
        }
        m_all[loop.dimension] *= loop.count;
        if (m_all[loop.dimension] > largest) {
            base::refuse("mapping", "more than " + std::to_string(largest) + " iterations of " + loop.dimension,
                         "the sizes of the product");
        }
        if (is_outer) {
            if (loop.count > 1) { m_found.outer.push_back(loop); }
        } else {
            m_tile[loop.dimension] *= loop.count;
        }
        if (along_array) { (loop.dimension == 'K' ? m_found.array_columns : m_found.array_depth) = loop.count; }
    }

    static void require_iterations(const char* dimensions, std::uint64_t found, std::uint64_t expected,
                                   const char* what)
    {
        if (found == expected) { return; }
        base::refuse("mapping", std::to_string(found) + " iterations of " + dimensions,
                     std::to_string(expected) + ", " + what + " of the product");
    }

    static constexpr std::uint64_t largest = std::uint64_t{1} << 20;
    const mapped_sizes& m_sizes;
    std::uint64_t m_side;
    product_mapping m_found;
    std::map<char, std::uint64_t> m_all{{'K', 1}, {'C', 1}, {'P', 1}, {'Q', 1}, {'N', 1}}, m_tile = m_all;
};

void require_at_least(const char* what, std::uint64_t needed, std::uint64_t there)
{
    if (needed > there) { base::refuse(what, std::to_string(there), "at least " + std::to_string(needed)); }
}

// ---- the program ----

// Rows of Z are no narrower than the array, so that each is written by itself.
std::uint64_t z_pitch(const mapped_sizes& sizes, const mmv::limits& device)
{
    return std::max<std::uint64_t>(sizes.columns, device.side);
}

// Type of the elements of Z: sums of int8 are packed, others stay words.
base::element_type result_type(const mmv::limits& device)
{
    return device.format == base::element_type::int8 ? device.format : base::accumulator_type(device.format);
}
std::uint64_t result_bytes(const mmv::limits& device) { return base::element_bytes(result_type(device)); }

isa::tensor_descriptor box(std::uint64_t base, base::element_type type,
                           std::initializer_list<std::pair<std::uint64_t, std::uint64_t>> modes)
{
    isa::tensor_descriptor d;
    d.base = base;
    d.type = static_cast<std::uint8_t>(type);
    for (const auto& [size, stride] : modes) {
        d.size[d.order] = static_cast<std::uint32_t>(size);
        d.stride[d.order++] = static_cast<std::int64_t>(stride);
    }
    return d;
}

// Blocks of a tile's W, of `depth` x `columns` elements, as a LOAD moves them: a part of the depth (piece) and of the
// columns (group). Steps go through the groups of a piece, then to the next piece.
struct tile_blocks {
    std::uint64_t depth = 0, columns = 0;
    std::uint64_t pieces = 0, groups = 0; // of a tile

    std::uint64_t steps() const { return pieces * groups; }
};

tile_blocks blocks_of(const product_mapping& m, std::uint64_t side)
{
    tile_blocks b;
    b.depth = m.array_depth < side ? std::min(m.array_depth, m.depth) : std::min(together * side, m.depth);
    b.columns = std::min(together * m.array_columns, m.columns);
    b.pieces = base::quotient_up(m.depth, b.depth);
    b.groups = base::quotient_up(m.columns, b.columns);
    return b;
}

// Places in the scratchpad of a device: pieces of A and blocks of W that take turns, sums, packed results.
struct scratchpad_plan {
    std::uint64_t ahead = 0; // steps by which their loads come early
    std::uint64_t a_places = 0, a_bytes = 0;
    std::uint64_t w = 0, w_places = 0, w_bytes = 0;
    std::uint64_t sums = 0;
    std::uint64_t packed = 0, packed_bytes = 0;
    std::uint64_t bytes = 0;
};

scratchpad_plan plan_of(const product_mapping& m, const mapped_memories& memories, const mmv::limits& device)
{
    const std::uint64_t element = base::element_bytes(device.format), word = device.word_bytes();
    const auto blocks = blocks_of(m, device.side);
    const std::uint64_t a = m.rows() * blocks.depth, w = blocks.depth * blocks.columns;
    scratchpad_plan p;
    // As many pieces as fit: those that are free let loads run ahead. Of a tile of one piece, blocks of W take turns.
    const std::uint64_t pieces = std::min(memories.scratchpad_entries / (a + blocks.groups * w), 2 * blocks.pieces);
    if (pieces > 1) {
        p.ahead = std::min(most_ahead, pieces - 1) * blocks.groups;
        p.a_places = pieces;
        p.w_places = pieces * blocks.groups;
    } else {
        p.ahead = blocks.groups > 1 && 2 * a + blocks.groups * w <= memories.scratchpad_entries ? 1 : 0;
        p.a_places = 1 + p.ahead;
        p.w_places = blocks.groups;
    }
    p.a_bytes = aligned(a * element);
    p.w_bytes = aligned(w * element);
    p.w = p.a_places * p.a_bytes;
    p.sums = p.w + p.w_places * p.w_bytes;
    p.packed = p.sums + aligned(m.rows() * m.columns * word);
    p.packed_bytes = result_bytes(device) < word ? aligned(m.rows() * m.columns * element) : 0;
    p.bytes = p.packed + p.packed_bytes;
    return p;
}

class mapped_program {
public:
    mapped_program(mmv_session& session, const product_mapping& mapping, const mapped_sizes& sizes,
                   const scratchpad_plan& plan, unsigned shift)
        : m_session(session), m_map(mapping), m_sizes(sizes), m_plan(plan), m_shift(shift), m_device(session.limits()),
          m_element(base::element_bytes(m_device.format)), m_result(result_bytes(m_device)),
          m_blocks(blocks_of(mapping, m_device.side))
    {
        m_a = session.data_base();
        m_w = m_a + aligned(sizes.rows * sizes.depth * m_element);
        m_z = m_w + aligned(sizes.depth * sizes.columns * m_element);
        // Sums over C stay in the accumulators: its loops are innermost.
        std::stable_partition(m_map.outer.begin(), m_map.outer.end(), [](const auto& l) { return l.dimension != 'C'; });
        for (const auto& l : m_map.outer) { m_totals[l.dimension] *= l.count; }
    }

    mapped_product_result run(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& w)
    {
        write(m_a, a);
        write(m_w, w);
        const std::uint64_t per_tile = m_blocks.steps(), steps = m_map.tiles() * per_tile;
        for (std::uint64_t i = 0; i < std::min(m_plan.ahead, steps); ++i) { load(i); }
        bool waits = false; // a tile that is packed and not yet stored
        std::uint64_t waiting = 0;
        for (std::uint64_t i = 0; i < steps; ++i) {
            if (i + m_plan.ahead < steps) { load(i + m_plan.ahead); }
            multiply(i);
            if (waits) { store(waiting); }
            waits = false;
            const bool is_last = (i + 1) % per_tile == 0;
            if (!is_last || !sums_are_complete(i / per_tile)) { continue; }
            const bool is_long = m_program.size() > long_program;
            waits = packs() && !is_long; // else the sums, or the end of the program, do not wait for the next product
            waiting = i / per_tile;
            if (packs()) { pack(); }
            if (!waits) { store(waiting); }
            if (is_long) { flush(); }
        }
        if (waits) { store(waiting); }
        flush();
        mapped_product_result result;
        result.costs = m_costs;
        std::vector<std::uint8_t> bytes(m_sizes.rows * z_pitch(m_sizes, m_device) * m_result);
        m_session.read(m_z, bytes.data(), bytes.size());
        const auto all = from_bytes<std::int64_t>(bytes.data(), bytes.size() / m_result, result_type(m_device));
        for (std::uint64_t r = 0; r < m_sizes.rows; ++r) {
            const auto row = all.begin() + static_cast<std::ptrdiff_t>(r * z_pitch(m_sizes, m_device));
            result.z.insert(result.z.end(), row, row + static_cast<std::ptrdiff_t>(m_sizes.columns));
        }
        return result;
    }

private:
    static constexpr std::size_t long_program = 4u << 20;

    // First row, column and place in the depth of a tile.
    struct origin {
        std::uint64_t p = 0, q = 0, n = 0, depth = 0, columns = 0;
    };

    origin origin_of(std::uint64_t tile) const
    {
        std::map<char, std::uint64_t> index;
        std::map<char, std::uint64_t> scale{{'K', 1}, {'C', 1}, {'P', 1}, {'Q', 1}, {'N', 1}};
        for (auto l = m_map.outer.rbegin(); l != m_map.outer.rend(); ++l) {
            index[l->dimension] += tile % l->count * scale[l->dimension];
            scale[l->dimension] *= l->count;
            tile /= l->count;
        }
        return {index['P'] * m_map.p, index['Q'] * m_map.q, index['N'] * m_map.n, index['C'] * m_map.depth,
                index['K'] * m_map.columns};
    }

    std::uint64_t tiles_of_sums() const { return m_totals.at('C'); }
    bool sums_are_complete(std::uint64_t tile) const { return (tile + 1) % tiles_of_sums() == 0; }

    // A step: its tile, and in it the piece of A and W and the group of columns.
    struct step {
        std::uint64_t tile, piece, group;
        std::uint64_t a_turn; // of all pieces
    };
    step step_of(std::uint64_t i) const
    {
        const std::uint64_t pieces = i / m_blocks.groups;
        return {pieces / m_blocks.pieces, pieces % m_blocks.pieces, i % m_blocks.groups, pieces};
    }
    std::uint64_t depth_of(const step& s) const
    {
        return std::min(m_blocks.depth, m_map.depth - s.piece * m_blocks.depth);
    }
    std::uint64_t columns_of(std::uint64_t group) const
    {
        return std::min(m_blocks.columns, m_map.columns - group * m_blocks.columns);
    }
    std::uint64_t a_place(const step& s) const { return s.a_turn % m_plan.a_places * m_plan.a_bytes; }
    std::uint64_t w_place(std::uint64_t i) const { return m_plan.w + i % m_plan.w_places * m_plan.w_bytes; }
    // Sums and results of a group begin after those of the groups before it, row by row.
    std::uint64_t elements_before(std::uint64_t group) const { return m_map.rows() * group * m_blocks.columns; }

    // Rows of the whole product along P and Q.
    std::uint64_t all_p() const { return m_totals.at('P') * m_map.p; }
    std::uint64_t all_q() const { return m_totals.at('Q') * m_map.q; }
    std::uint64_t row_of(const origin& o) const { return (o.n * all_q() + o.q) * all_p() + o.p; }

    // The tile's rows of a matrix with so many columns, some of these.
    isa::tensor_descriptor rows_of(std::uint64_t base, const origin& o, std::uint64_t pitch, std::uint64_t column,
                                   std::uint64_t columns, base::element_type type) const
    {
        const std::uint64_t bytes = base::element_bytes(type);
        return box(base + (row_of(o) * pitch + column) * bytes, type,
                   {{m_map.n, all_q() * all_p() * pitch}, {m_map.q, all_p() * pitch}, {m_map.p, pitch}, {columns, 1}});
    }

    void transfer(isa::opcode code, const isa::tensor_descriptor& tensor, std::uint64_t local)
    {
        isa::transfer_command c;
        c.tensor = tensor;
        c.local = local;
        m_program.add(code, 0, 0, c.encode());
    }

    void load(std::uint64_t i)
    {
        const auto s = step_of(i);
        const auto o = origin_of(s.tile);
        const std::uint64_t depth = o.depth + s.piece * m_blocks.depth, some = depth_of(s);
        if (s.group == 0) {
            transfer(isa::opcode::load, rows_of(m_a, o, m_sizes.depth, depth, some, m_device.format), a_place(s));
        }
        const std::uint64_t column = o.columns + s.group * m_blocks.columns;
        const auto weights = box(m_w + (depth * m_sizes.columns + column) * m_element, m_device.format,
                                 {{some, m_sizes.columns}, {columns_of(s.group), 1}});
        transfer(isa::opcode::load, weights, w_place(i));
    }

    void multiply(std::uint64_t i)
    {
        const auto s = step_of(i);
        const bool is_first = s.piece == 0 && s.tile % tiles_of_sums() == 0;
        const auto set = [](mmv::matrix_operand& operand, std::uint64_t address, std::uint64_t stride) {
            operand.address = static_cast<std::uint32_t>(address);
            operand.row_stride = static_cast<std::int32_t>(stride);
        };
        mmv::product_command c;
        set(c.left, a_place(s), depth_of(s));
        set(c.weights, w_place(i), columns_of(s.group));
        set(c.result, m_plan.sums + elements_before(s.group) * m_device.word_bytes(), columns_of(s.group));
        c.rows = static_cast<std::uint32_t>(m_map.rows());
        c.depth = static_cast<std::uint32_t>(depth_of(s));
        c.columns = static_cast<std::uint32_t>(columns_of(s.group));
        c.call_rows = static_cast<std::uint16_t>(std::min<std::uint64_t>(m_map.p, m_device.side));
        c.tile_columns = static_cast<std::uint16_t>(std::min<std::uint64_t>(m_map.array_columns, columns_of(s.group)));
        m_program.add(static_cast<isa::opcode>(mmv::opcode::product),
                      is_first ? std::uint16_t{0} : mmv::product_command::flag_accumulate, 0, c.encode());
    }

    bool packs() const { return m_plan.packed_bytes != 0; }

    void pack()
    {
        isa::vector::vector_command c;
        c.result.address = static_cast<std::uint32_t>(m_plan.packed);
        c.a.address = static_cast<std::uint32_t>(m_plan.sums);
        c.length = static_cast<std::uint32_t>(m_map.rows() * m_map.columns);
        c.bits = m_shift;
        m_program.add(static_cast<isa::opcode>(isa::vector::opcode::pack_int8), 0, 0, c.encode());
    }

    void store(std::uint64_t tile)
    {
        const auto o = origin_of(tile);
        for (std::uint64_t g = 0; g < m_blocks.groups; ++g) {
            const std::uint64_t from = (packs() ? m_plan.packed : m_plan.sums) + elements_before(g) * m_result;
            transfer(isa::opcode::store,
                     rows_of(m_z, o, z_pitch(m_sizes, m_device), o.columns + g * m_blocks.columns, columns_of(g),
                             result_type(m_device)),
                     from);
        }
    }

    void flush()
    {
        if (m_program.size() == isa::program_header::encoded_bytes) { return; }
        const auto ran = m_session.run(m_program.bytes());
        m_program = {};
        m_costs.counts += ran.counts;
        m_costs.cycles += ran.cycles;
        ++m_costs.programs;
        m_costs.scratchpad_bytes = m_plan.bytes;
    }

    void write(std::uint64_t address, const std::vector<std::int64_t>& values)
    {
        const auto bytes = to_bytes(values, m_device.format);
        m_session.write(address, bytes.data(), bytes.size());
    }

    mmv_session& m_session;
    product_mapping m_map;
    mapped_sizes m_sizes;
    const scratchpad_plan& m_plan;
    unsigned m_shift;
    const mmv::limits& m_device;
    std::uint64_t m_element, m_result; // bytes of an element of A and W, and of Z
    tile_blocks m_blocks;
    std::uint64_t m_a = 0, m_w = 0, m_z = 0;                                                  // in memory on the bus
    std::map<char, std::uint64_t> m_totals{{'K', 1}, {'C', 1}, {'P', 1}, {'Q', 1}, {'N', 1}}; // of the outer loops
    isa::program_builder m_program;
    session_costs m_costs;
};

} // namespace

std::uint64_t product_mapping::tiles() const
{
    std::uint64_t all = 1;
    for (const auto& l : outer) { all *= l.count; }
    return all;
}

product_mapping parse_product_mapping(const std::string& text, const mapped_sizes& sizes, std::uint64_t side)
{
    return mapping_reader(sizes, side).read(text);
}

mapped_product_result mapped_product(mmv_session& session, const product_mapping& mapping, const mapped_sizes& sizes,
                                     const mapped_memories& memories, const std::vector<std::int64_t>& a,
                                     const std::vector<std::int64_t>& w, unsigned shift)
{
    const auto& device = session.limits();
    require_room(mapping, memories, device.side);
    const auto plan = plan_of(mapping, memories, device);
    require_at_least("scratchpad bytes", plan.bytes, device.scratchpad_bytes);
    require_at_least("bytes of memory for data", mapped_data_bytes(sizes, device), session.data_bytes());
    return mapped_program(session, mapping, sizes, plan, shift).run(a, w);
}

std::vector<std::int64_t> mapped_reference(const mapped_sizes& sizes, const std::vector<std::int64_t>& a,
                                           const std::vector<std::int64_t>& w, std::optional<unsigned> shift)
{
    std::vector<std::int64_t> z(sizes.rows * sizes.columns);
    for (std::uint64_t r = 0; r < sizes.rows; ++r) {
        auto* const row = z.data() + r * sizes.columns;
        for (std::uint64_t k = 0; k < sizes.depth; ++k) {
            const std::int64_t x = a[r * sizes.depth + k];
            const auto* const weights = w.data() + k * sizes.columns;
            for (std::uint64_t c = 0; c < sizes.columns; ++c) { row[c] += x * weights[c]; }
        }
    }
    if (!shift) { return z; }
    for (auto& value : z) {
        const std::int64_t unit = std::int64_t{1} << *shift, below = value >> *shift, rest = value - below * unit;
        const bool up = 2 * rest > unit || (2 * rest == unit && below % 2 != 0);
        value = std::clamp<std::int64_t>(below + (up ? 1 : 0), -128, 127);
    }
    return z;
}

void require_room(const product_mapping& mapping, const mapped_memories& memories, std::uint64_t side)
{
    require_at_least("scratchpad entries", mapping.scratchpad_entries(), memories.scratchpad_entries);
    require_at_least("accumulator entries", mapping.accumulator_entries(side), memories.accumulator_entries);
}

std::uint64_t mapped_scratchpad_bytes(const product_mapping& mapping, const mapped_memories& memories,
                                      const mmv::limits& device)
{
    return plan_of(mapping, memories, device).bytes;
}

std::uint64_t mapped_data_bytes(const mapped_sizes& sizes, const mmv::limits& device)
{
    const std::uint64_t element = base::element_bytes(device.format);
    return aligned(sizes.rows * sizes.depth * element) + aligned(sizes.depth * sizes.columns * element) +
           aligned(sizes.rows * z_pitch(sizes, device) * result_bytes(device));
}

} // namespace tensorloom::workloads
