#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <systemc>
#include <tensorloom/models/triada/actuator.h>
#include <tensorloom/models/triada/tensor_core.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::triada {

/// One row of the log of a stream: a time-step, or a row that was skipped (no time).
struct step_row {
    unsigned stage;     ///< 0, 1, 2
    std::uint32_t step; ///< within the stage
    std::uint32_t tag;  ///< position of the tag
    bool skipped;
    sc_core::sc_time start; ///< when it began; of a skipped row: when the step after it began
    arch::triada::counts counts;
};

/// Puts executed steps and skipped rows into one order, that of the stream, whatever burst they came in.
///
/// A skipped row is passed on together with the next step that was executed, or when the stream is complete. After an
/// abort the rows skipped behind the last executed step are forgotten.
class step_log : public step_observer, public row_observer {
public:
    explicit step_log(std::function<void(const step_row&)> sink) : m_sink(std::move(sink)) {}

    /// A stream begins; a skipped row counts `dense_macs` skipped multiply-adds.
    void begin(std::uint64_t dense_macs);
    /// It is complete (false: it was stopped).
    void end(bool complete, const sc_core::sc_time& now);
    /// A multiply-add of a step of this stream overflowed.
    bool overflowed() const { return m_overflowed; }

    void row_skipped(unsigned stage, std::uint32_t step, std::uint32_t tag) override;
    void step_done(unsigned stage, std::uint32_t step, std::uint32_t tag, const sc_core::sc_time& start,
                   const arch::triada::counts& counts) override;

private:
    struct skipped_row {
        unsigned stage;
        std::uint32_t step;
        std::uint32_t tag;
    };
    void pass_skipped_before(unsigned stage, std::uint32_t step, const sc_core::sc_time& now);

    std::function<void(const step_row&)> m_sink;
    std::deque<skipped_row> m_skipped;
    std::uint64_t m_dense_macs = 0;
    bool m_overflowed = false;
};

} // namespace tensorloom::triada
