#include <tensorloom/models/fetta/contraction_engine.h>
#include <algorithm>
#include <tensorloom/models/arithmetic/kernels/kernel_selection.h>
#include <tensorloom/models/arithmetic/kernels/pe_rows.h>
#include <tensorloom/models/fetta/pe_array.h>
#include <tensorloom/tlm/instance_report.h>

namespace tensorloom::fetta {

namespace {

/// The registers at the left edge of an engine that delay element i of a row by i cycles.
///
/// Implemented as a ring of the last rows: advancing it moves every element into its next register.
template <unsigned side> class skew_buffer {
public:
    /// A cycle: a row enters.
    void shift(const float* row)
    {
        m_newest = (m_newest + 1) % side;
        std::copy_n(row, side, m_rows.data() + std::size_t{m_newest} * side);
    }
    /// Element i of the row that entered i cycles before the last one.
    float operator[](unsigned i) const { return m_rows[std::size_t{(m_newest + side - i) % side} * side + i]; }

private:
    std::array<float, std::size_t{side} * side> m_rows{};
    unsigned m_newest = 0;
};

using row_mask = std::uint32_t; // bit r: row r

/// A register of tokens, a bit per row: in every cycle they move down a row, and one may enter at the top.
class token_line {
public:
    /// Rows with a token in this cycle.
    row_mask shift_in(bool token) { return m_at = (m_at << 1) | (token ? 1u : 0u); }
    row_mask rows() const { return m_at; } ///< with a token in the last cycle
    void clear() { m_at = 0; }

private:
    row_mask m_at = 0;
};

template <unsigned side> class pe_array_of : public pe_array {
public:
    explicit pe_array_of(const contraction_engine_config& config)
        : m_enables(config.enables),
          m_multiply(config.psum == base::element_type::bf16
                         ? arithmetic::best_kernel<arithmetic::pe_rows_kernel>().multiply_bf16
                         : arithmetic::best_kernel<arithmetic::pe_rows_kernel>().multiply_f32),
          m_in_flight(config.mac_latency)
    {}

    void configure(engine_dataflow path) override;
    void evaluate(const engine_control& control, const engine_operands& operands) override;
    void commit() override;
    engine_result result() const override
    {
        return {(is_output_stationary() ? m_psum_shadow : leaving().psum)[bottom].data(), m_result_valid};
    }

private:
    static constexpr std::size_t pitch = std::max(side, arithmetic::pe_row_pitch);
    using pe_row = std::array<float, pitch>; // the first `side` mean something
    using registers = std::array<pe_row, side>;

    static constexpr row_mask all_rows = (row_mask{1} << side) - 1;
    static constexpr row_mask drain_stages = static_cast<row_mask>((std::uint64_t{1} << 2 * side) - 1);
    static constexpr unsigned bottom = side - 1;
    static bool has(row_mask rows, unsigned r) { return ((rows >> r) & 1u) != 0; }
    bool is_output_stationary() const { return m_path == engine_dataflow::output_stationary; }

    /// The registers that tokens, operands and sums in flight pass. In a stationary path they move a row down in L
    /// cycles, so those of the cycles c, c + L, c + 2 L, ... share registers with no others: L sets, one for each c.
    struct in_flight {
        token_line steps;
        token_line starts;
        token_line valid_steps;
        token_line loads;
        token_line load_starts; // vertical
        skew_buffer<side> ia_skew;
        skew_buffer<side> ib_skew;    // horizontal
        alignas(64) registers ib{};   // vertical, L > 1: between the shadow registers of two rows
        alignas(64) registers psum{}; // of the multiply-adds that began in its last cycle
        row_mask stepped = 0;         // the rows in which they began
    };
    /// OS: all but the sums move a row down in every cycle.
    in_flight& moves_down() { return m_in_flight[is_output_stationary() ? 0 : m_now]; }
    registers& psum() { return m_in_flight[m_now].psum; }
    /// The set whose multiply-adds end in this cycle.
    const in_flight& leaving() const { return m_in_flight[m_now + 1 == m_in_flight.size() ? 0 : m_now + 1]; }

    pe_row& ib_active(unsigned r) { return m_ib[has(m_active, r) ? 1 : 0][r]; }
    pe_row& ib_shadow(unsigned r) { return m_ib[has(m_active, r) ? 0 : 1][r]; }
    bool has_ib_pipeline() const { return m_in_flight.size() > 1 && !is_output_stationary(); }
    const pe_row& ib_from_above(unsigned r)
    {
        return r == 0 ? m_ib_port : has_ib_pipeline() ? moves_down().ib[r - 1] : ib_shadow(r - 1);
    }

    row_mask drain();
    void multiply(row_mask steps, row_mask starts);
    row_mask load();
    row_mask awaiting(row_mask tokens, row_mask starts);
    void shift_down(row_mask rows);
    void shift_right(row_mask rows);

    const bool m_enables;
    void (*const m_multiply)(const arithmetic::pe_rows&);
    engine_dataflow m_path = engine_dataflow::stationary_vertical;

    // the ports, as evaluate() sampled them
    engine_control m_control;
    std::uint32_t m_valid = 0;
    alignas(64) pe_row m_ia_port{};
    alignas(64) pe_row m_ib_port{};

    // data
    alignas(64) pe_row m_zeros{};       // what the top row adds to
    std::vector<in_flight> m_in_flight; // L of them
    std::size_t m_now = 0;              // that of this cycle
    alignas(64) registers m_psum_shadow{};
    alignas(64) std::array<registers, 2> m_ib{};
    row_mask m_active = 0;                  // which of a row's two IB registers is; a command may begin with either
    std::array<unsigned, side> m_awaited{}; // vertical: rows of IB that a row still takes from the tile being loaded

    // tokens
    token_line m_finishes;         // rows 0 to P-1: the row's sums go to the shadow; P + d: drain cycle d
    row_mask m_wanted = 0;         // OS: which rows of the tile that finishes are valid results
    row_mask m_draining_valid = 0; // travels with the shadow psums
    bool m_result_valid = false;
};

template <unsigned side> void pe_array_of<side>::configure(engine_dataflow path)
{
    m_path = path;
    m_finishes.clear();
    for (in_flight& m : m_in_flight) {
        for (auto* tokens : {&m.steps, &m.starts, &m.valid_steps, &m.loads, &m.load_starts}) { tokens->clear(); }
    }
    m_result_valid = false;
    hold();
}

template <unsigned side>
void pe_array_of<side>::evaluate(const engine_control& control, const engine_operands& operands)
{
    const auto sample = [](pe_row& port, const float* row) {
        if (row != nullptr) {
            std::copy_n(row, side, port.begin());
        } else {
            std::fill_n(port.begin(), side, 0.0f);
        }
    };
    m_control = control;
    m_valid = operands.valid;
    if (control.step) { sample(m_ia_port, operands.ia); }
    if (is_output_stationary() ? control.step : control.load) { sample(m_ib_port, operands.ib); }
}

// Updates all registers from their previous values. Each function below goes from the bottom row to the top, so that a
// row reads the previous value of the row above; for the same reason drain() precedes multiply(), and multiply()
// load().
template <unsigned side> void pe_array_of<side>::commit()
{
    m_now = m_now + 1 == m_in_flight.size() ? 0 : m_now + 1;
    in_flight& now = moves_down();
    const row_mask steps = now.steps.shift_in(m_control.step) & all_rows;
    const row_mask starts = now.starts.shift_in(m_control.start) & all_rows;
    now.valid_steps.shift_in(m_control.step && has(m_valid, 0));
    row_mask drains = 0;
    if (is_output_stationary()) {
        drains = drain();
    } else {
        m_active ^= starts;
        m_result_valid = has(leaving().valid_steps.rows(), bottom);
    }
    m_in_flight[m_now].stepped = steps;
    if (steps != 0) { multiply(steps, starts); }
    row_mask loads = 0;
    if (is_output_stationary()) {
        loads = steps;
        shift_down(steps);
    } else {
        loads = load();
    }
    show(steps, starts, loads, drains, [&](unsigned row, unsigned column, pe_waveform& shown) {
        if (shown.step) { shown.ia = moves_down().ia_skew[row]; }
        shown.ib_active = ib_active(row)[column];
        shown.ib_shadow = ib_shadow(row)[column];
        if (has(leaving().stepped, row)) { shown.psum = leaving().psum[row][column]; }
        shown.psum_shadow = m_psum_shadow[row][column];
    });
}

// Sums of finished rows move to the shadow, which moves down in the P cycles after the bottom row's. A row that has
// passed its last one on holds its value, because it may already belong to the next tile.
template <unsigned side> row_mask pe_array_of<side>::drain()
{
    if (m_control.finish) { m_wanted = m_valid; }
    const row_mask tokens = m_finishes.shift_in(m_control.finish) & drain_stages;
    if (tokens == 0) {
        m_result_valid = false;
        return 0;
    }
    const row_mask finishes = tokens & all_rows;
    const row_mask cycles = tokens >> side; // bit d: drain cycle d
    row_mask moves = cycles == 0 ? 0 : all_rows;
    if (m_enables) {
        const row_mask first = cycles & (~cycles + 1); // bit d: rows d + 1 and below move
        moves &= ~(2 * first - 1);
    }
    moves &= ~finishes;
    for (unsigned r = side; r-- > 0;) {
        if (has(finishes, r)) {
            m_psum_shadow[r] = psum()[r];
        } else if (has(moves, r)) {
            m_psum_shadow[r] = r == 0 ? m_zeros : m_psum_shadow[r - 1];
        }
    }
    m_draining_valid =
        (m_wanted & finishes) | ((m_draining_valid << 1) & moves) | (m_draining_valid & ~moves & ~finishes);
    const bool leaves = ((tokens >> bottom) & all_rows) != 0;
    m_result_valid = leaves && has(m_draining_valid, bottom);
    return finishes | moves;
}

template <unsigned side> void pe_array_of<side>::multiply(row_mask steps, row_mask starts)
{
    registers& sums = psum();
    skew_buffer<side>& skew = moves_down().ia_skew;
    skew.shift(m_ia_port.data());
    float ia[side];
    const float* sum[side];
    const float* ib[side];
    for (unsigned r = 0; r < side; ++r) {
        ia[r] = skew[r];
        if (is_output_stationary()) {
            sum[r] = (has(starts, r) ? m_zeros : sums[r]).data();
            ib[r] = ib_from_above(r).data();
        } else {
            sum[r] = (r == 0 ? m_zeros : sums[r - 1]).data();
            ib[r] = ib_active(r).data();
        }
    }
    m_multiply({steps, side, pitch, sum, ia, ib, sums[0].data()});
    count(std::uint64_t{static_cast<unsigned>(__builtin_popcount(steps))} * side);
}

// The rows whose shadow registers shift.
template <unsigned side> row_mask pe_array_of<side>::load()
{
    in_flight& now = moves_down();
    const row_mask tokens = now.loads.shift_in(m_control.load) & all_rows;
    const bool vertical = m_path == engine_dataflow::stationary_vertical;
    row_mask rows = m_enables ? tokens : (m_control.load ? all_rows : 0);
    if (vertical && m_enables) { rows = awaiting(tokens, now.load_starts.shift_in(m_control.load_start)); }
    if (rows == 0) { return 0; }
    if (vertical) {
        shift_down(rows);
    } else {
        shift_right(rows);
    }
    return rows;
}

// Of the rows with a token of a load, those that take the row of IB: row r takes the first P - r of a tile.
template <unsigned side> row_mask pe_array_of<side>::awaiting(row_mask tokens, row_mask starts)
{
    row_mask rows = 0;
    for (row_mask rest = tokens; rest != 0; rest &= rest - 1) {
        const auto r = static_cast<unsigned>(__builtin_ctz(rest));
        if (has(starts, r)) { m_awaited[r] = side - r; }
        if (m_awaited[r] == 0) { continue; }
        --m_awaited[r];
        rows |= row_mask{1} << r;
    }
    return rows;
}

template <unsigned side> void pe_array_of<side>::shift_down(row_mask rows)
{
    const bool pipelined = has_ib_pipeline();
    for (unsigned r = side; r-- > 0;) {
        if (!has(rows, r)) { continue; }
        ib_shadow(r) = ib_from_above(r);
        if (pipelined) { moves_down().ib[r] = ib_shadow(r); }
    }
}

template <unsigned side> void pe_array_of<side>::shift_right(row_mask rows)
{
    skew_buffer<side>& skew = moves_down().ib_skew;
    skew.shift(m_ib_port.data());
    for (unsigned r = 0; r < side; ++r) {
        if (!has(rows, r)) { continue; }
        pe_row& shadow = ib_shadow(r);
        std::copy_backward(shadow.begin(), shadow.begin() + bottom, shadow.begin() + side);
        shadow[0] = m_enables ? skew[r] : m_ib_port[r];
    }
}

/// nullptr when the side is not 2, 4, 8 or 16, or the latency does not go with the other parameters.
std::unique_ptr<pe_array> make_pe_array(const contraction_engine_config& config)
{
    if (config.model == blocks::fidelity::rtl) { return make_rtl_pe_array(config); }
    if (config.mac_latency == 0 || (config.mac_latency != 1 && !config.enables)) { return nullptr; }
    switch (config.side) {
    case 2: return std::make_unique<pe_array_of<2>>(config);
    case 4: return std::make_unique<pe_array_of<4>>(config);
    case 8: return std::make_unique<pe_array_of<8>>(config);
    case 16: return std::make_unique<pe_array_of<16>>(config);
    default: return nullptr;
    }
}

} // namespace

contraction_engine::contraction_engine(sc_core::sc_module_name name, const contraction_engine_config& config)
    : sc_core::sc_module(name)
{
    if (config.psum == base::element_type::f32 || config.psum == base::element_type::bf16) {
        m_array = make_pe_array(config);
    }
    if (!m_array) {
        bus::report_error(this->name(), "/tensorloom/contraction_engine/config",
                          "side must be 2, 4, 8 or 16, psum f32 or bf16, mac_latency 1 or more, and 1 without enables; "
                          "in Verilog side 4, psum f32, operands as built, mac_latency 1");
    }
}

contraction_engine::~contraction_engine() = default;

void contraction_engine::configure(engine_dataflow path) { m_array->configure(path); }

void contraction_engine::evaluate(const engine_control& control, const engine_operands& operands)
{
    m_array->evaluate(control, operands);
}

void contraction_engine::commit() { m_array->commit(); }

void contraction_engine::hold() { m_array->hold(); }

engine_result contraction_engine::result() const { return m_array->result(); }

std::uint64_t contraction_engine::multiply_adds() const { return m_array->multiply_adds(); }

const engine_waveform& contraction_engine::watch() { return m_array->watch(); }

const pe_waveform& contraction_engine::watch(unsigned row, unsigned column) { return m_array->watch(row, column); }

} // namespace tensorloom::fetta
