#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>
#include <systemc>
#include <tensorloom/models/arch/mmv/limits.h>
#include <tensorloom/models/arch/vector/instruction_set.h>
#include <tensorloom/models/blocks/vector_unit.h>
#include <tensorloom/models/memory/scratchpad.h>
#include <tensorloom/models/mmv/config.h>
#include <tensorloom/models/mmv/matrix_unit.h>
#include <tensorloom/models/mmv/scalar_unit.h>
#include <tensorloom/models/shell/device_shell.h>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/dma_socket.h>

namespace tensorloom::mmv {

/// Row and column of a processing element, from 0.
using element_position = std::pair<unsigned, unsigned>;

/// Which unit executes an instruction.
enum class unit : std::uint8_t { matrix, vector, scalar };
inline constexpr unsigned unit_count = 3;

/// An instruction of the vector unit, or of one of the others.
struct unit_instruction {
    const arch::vector::instruction* vector;
    const arch::mmv::instruction* other;

    const char* name() const { return vector != nullptr ? vector->name : other->name; }
    unit executed_by() const
    {
        return vector != nullptr ? unit::vector : is_scalar(other->code) ? unit::scalar : unit::matrix;
    }
};

/// An MMU/VCU pair: a matrix unit, a vector unit and a scalar unit over one scratchpad, and the shell that every device
/// has (registers, commands, DMA, irq, rst).
///
/// Source: "MMV-RAM" (arXiv 2506.23906), section 2; "(m,l)-TCU" (arXiv 1908.06649), section 2. Program it with the
/// instructions of arch/mmv/opcode.h, for example through arch/mmv/driver.h; LOAD and STORE move tensors between memory
/// and the scratchpad. This is everything but the width of the DMA socket; instantiate device<BUSWIDTH>.
///
/// Instructions run one at a time, as in the papers' machines; each takes the time of its unit (matrix_unit.h,
/// vector_unit.h, scalar_unit.h), in whole cycles. With config.overlap those of different units run at the same time
/// where their operands allow it. A program starts with no weights in the array; the scratchpad keeps what it holds. A
/// reset clears the scratchpad.
///
/// Events     arch/mmv/events.h, on the counter window and per phase in the activity log (phase = mnemonic)
/// Errors     what arch/mmv/limits.h says, when a program is loaded and again before an instruction runs with its
///            addresses; accumulator_overflow, arithmetic_overflow and bad_index end the instruction that has them
/// Not modelled: several DMA channels, the decoding of instructions.
class device_body : public shell::device_shell {
public:
    ~device_body() override;

    /// Elaboration: shows this device in a waveform, and these processing elements of a detailed array (the fast one
    /// has none: SC_ERROR). Positions count from 0 and must lie in the array (otherwise SC_ERROR).
    void trace(sc_core::sc_trace_file& file, const std::vector<element_position>& elements);

    const config& settings() const { return m_config; }

protected:
    device_body(sc_core::sc_module_name name, const config& config, bus::activity_sink* activity);

private:
    // What LOAD and STORE see of the scratchpad.
    class transfer_port : public shell::local_memory {
    public:
        explicit transfer_port(memory::scratchpad_if& scratchpad) : m_scratchpad(scratchpad) {}
        std::uint64_t bytes() const override { return m_scratchpad.size(); }
        void read(std::uint64_t address, unsigned char* to, std::uint64_t bytes) const override;
        void write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes) override;
        std::uint64_t port_cycles(std::uint64_t address, std::uint64_t bytes) const override;

    private:
        memory::scratchpad_if& m_scratchpad;
    };

    // What a waveform shows of a unit.
    struct unit_activity {
        std::uint8_t opcode = 0; // 0: idle
        std::uint32_t command = 0;
    };

    // shell::device_shell
    std::optional<arch::refusal> check_command(const arch::command_header& header, const std::uint8_t* payload,
                                               std::size_t payload_bytes) const override;
    shell::command_outcome execute(const shell::issued_command& command) override;
    shell::access_set footprint(const shell::issued_command& command) const override;
    shell::local_memory* transfer_memory() override { return &m_transfers; }
    void count_transfer(arch::opcode code, const shell::byte_range& moved, std::uint64_t* counts) const override;
    void sync_counters() override {}
    void begin_program() override { m_matrix.forget(); }
    void reset_device() override;

    blocks::unit_outcome run(const unit_instruction& what, const arch::mmv::matmul_command& c);
    blocks::unit_outcome run(const unit_instruction& what, const arch::vector::vector_command& c);
    blocks::unit_outcome run(const unit_instruction& what, const arch::vector::strided_command& c);
    void report_phases(const shell::issued_command& command, const unit_instruction& what,
                       const blocks::unit_outcome& done);

    config m_config;
    arch::mmv::limits m_limits;
    memory::scratchpad m_scratchpad;
    transfer_port m_transfers;
    matrix_unit m_matrix;
    blocks::vector_unit m_vector;
    scalar_unit m_scalar;
    std::array<unit_activity, unit_count> m_activity;
};

/// An MMU/VCU pair with a DMA socket of this width.
///
/// dma     base-protocol initiator socket, LT or AT; naturally aligned bursts of at most burst_bytes
template <unsigned BUSWIDTH = 32> class device : public device_body {
public:
    bus::dma_socket<BUSWIDTH> dma;

    /// A configuration with a complaint (config.h) is an SC_ERROR.
    explicit device(sc_core::sc_module_name name, const config& config = {}, bus::activity_sink* activity = nullptr)
        : device_body(name, config, activity), dma("dma")
    {
        bind_dma(dma);
    }
};

} // namespace tensorloom::mmv
