#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <systemc>
#include <tensorloom/models/mmv/isa/matmul_command.h>
#include <tensorloom/models/mmv/isa/product_command.h>
#include <tensorloom/models/mmv/isa/events.h>
#include <tensorloom/models/blocks/scratchpad_unit.h>
#include <tensorloom/models/blocks/systolic_array.h>
#include <tensorloom/models/memory/scratchpad.h>
#include <tensorloom/models/mmv/config.h>
#include <tensorloom/tlm/device_clock.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::mmv {

/// Outcome of an instruction of the matrix or the scalar unit.
using unit_outcome = blocks::unit_outcome<mmv::counts>;

/// The matrix unit: a weight-stationary systolic array between the ports of the scratchpad. Source: "MMV-RAM" (arXiv
/// 2506.23906), section 2; "(m,l)-TCU" (arXiv 1908.06649), section 2.
///
/// pad      the scratchpad: left operands, weights, results
///
/// A MATMUL takes these cycles in sequence, r = ceil(words / s) rows:
///
///     weights   max(s, ceil(s s / in_words))                                        unless R is in the array
///     compute   r
///     port      max(r, ceil(r s / in_words), ceil(r s / out_words)) - r
///     drain     2s - 2
///     latency   call_latency
///     conflict  extra cycles when a row exceeds the scratchpad's banks: a row takes ceil(w / banks) cycles
///
/// w is the number of scratchpad words of a row of s elements: s for streamed rows, whose results are words in every
/// format; for weights s, and ceil(s / 4) with int8. (An int8 row that does not start at a word occupies one more word;
/// it takes no longer.)
///
/// R stays in the array. It is reloaded when its address, row stride or columns differ from those of the previous call,
/// or when it has been overwritten since; never because of its values.
///
/// A PRODUCT runs a tile for every s x s block of R, with these cycles, n rows in calls of c:
///
///     weights   of the first tile as above; of each other one, without `streaming`, likewise; with `streaming` what is
///               left of max(s, load) after the rows of the tile before have entered
///     compute   n per tile
///     port      per tile, as above, each call anew
///     latency   per tile what calls of less than call_interval cycles wait; at the end call_latency
///     drain     2s - 2, once with `streaming`, else per tile
///     conflict  as above
///
/// Events    matmul_call, matmul_row, mac, weight_load, weight_write, sum_added, mac_overflowed; scratchpad_read
///           and scratchpad_write: per row the scratchpad words of its existing elements, for int8 up to four elements
///           a word
/// Errors    accumulator_overflow  a sum left its word's range; the call completes and writes wrapped sums
///           aborted               outputs so far are written; no events
/// Not modelled: see systolic_array.h.
///
/// Example
///
///     memory::scratchpad words("scratchpad", 1 << 20, 8, 64); // 64 banks, 8 bytes wide
///     mmv::matrix_unit matrix("matrix_unit", mmv::config(), sc_core::sc_time(1, sc_core::SC_NS), stop);
///     matrix.pad.bind(words.port);
///     const mmv::matmul_command product; // to be filled in, and checked (mmv/isa/limits.h)
///     matrix.execute(product);           // in a thread
class matrix_unit : public sc_core::sc_module, public shell::command_unit {
public:
    sc_core::sc_port<memory::scratchpad_if> pad;

    matrix_unit(sc_core::sc_module_name name, const config& config, const bus::clock_source& clock,
                const bus::stop_request& stop);
    ~matrix_unit() override;

    /// Executes a command of this iteration, which has passed check() (mmv/isa/limits.h), in the calling thread from a
    /// cycle boundary on.
    unit_outcome execute(const matmul_command& command);
    unit_outcome execute(const product_command& command, bool accumulate);

    /// Removes the weights from the array: at the start of a program and after a reset.
    void forget();

    // shell::command_unit
    bool executes(std::uint8_t opcode) const override;
    std::optional<isa::check_error> check(const isa::command_header& header,
                                          const std::uint8_t* payload) const override;
    shell::access_set accesses(const shell::issued_command& command) const override;
    shell::command_outcome execute(shell::running_command& running) override;
    void trace_command(sc_core::sc_trace_file& file) override { m_activity.trace(file, name()); }
    void trace(sc_core::sc_trace_file& file) override;
    using sc_core::sc_module::trace;
    void begin_program() override { forget(); }
    void reset() override { forget(); }

    /// Elaboration: traces a processing element; SC_ERROR when there is none.
    void trace_element(sc_core::sc_trace_file& file, unsigned row, unsigned column);
    /// For waveforms.
    blocks::systolic_array& array() { return *m_array; }
    const char* kind() const override { return "matrix_unit"; }

private:
    void end_of_elaboration() override;
    bool holds(const matmul_command& command) const;
    bool load(const matmul_command& command, unit_outcome& report);
    bool stream(const matmul_command& command, unit_outcome& report);
    bool pass_latency(unit_outcome& report);
    blocks::array_product product_of(const product_command& command, bool accumulate);
    unit_outcome planned(const product_command& command, const blocks::array_product& product) const;
    void count(const product_command& command, bool accumulate, unit_outcome& report) const;
    std::array<memory::byte_rows, 2> existing(const matrix_operand& matrix, std::uint64_t words, std::uint64_t columns,
                                              std::size_t bytes) const;
    std::uint64_t row_cycles(std::size_t bytes) const;
    void count_waits(std::uint64_t cycles);

    config m_config;
    bus::clock_source m_clock;
    const bus::stop_request& m_stop;
    std::unique_ptr<blocks::systolic_array> m_array;
    matmul_command m_held;       // command whose weights are in the array
    memory::write_watch m_watch; // detects writes to these weights
    shell::unit_activity m_activity;
};

} // namespace tensorloom::mmv
