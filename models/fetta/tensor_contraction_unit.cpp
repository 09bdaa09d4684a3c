#include <tensorloom/models/fetta/tensor_contraction_unit.h>
#include <cstring>
#include <tensorloom/models/fetta/detailed_contraction_unit.h>
#include <tensorloom/models/fetta/fast_contraction_unit.h>
#include <tensorloom/tlm/instance_report.h>

namespace tensorloom::fetta {

tensor_contraction_unit::tensor_contraction_unit(sc_core::sc_module_name name, const config& config,
                                                 const bus::clock_source& clock, const bus::stop_request& stop)
    : sc_core::sc_module(name), ia("ia"), ib("ib"), result("result"), m_config(config), m_clock(clock), m_stop(stop),
      m_accumulators("accumulation_unit", config.limits, config.fidelity)
{}

contract_outcome tensor_contraction_unit::execute(const contract_command& command)
{
    m_is_busy = true;
    contract_outcome done = run(command);
    if (done.stopped) { done.counts = {}; }
    m_is_busy = false;
    return done;
}

const base::bank_counts& tensor_contraction_unit::count_banks()
{
    m_banks.emplace(m_config.limits.engines);
    count_parts(*m_banks);
    return *m_banks;
}

void tensor_contraction_unit::clear_accumulators()
{
    m_accumulators.reset();
    m_kept = {};
}

shell::debug_memory tensor_contraction_unit::accumulator_memory()
{
    auto* const sums = reinterpret_cast<unsigned char*>(m_accumulators.row(0, 0));
    return {"accumulators", m_accumulators.sums() * sizeof(float),
            [sums](std::uint64_t address, unsigned char* to, std::uint64_t bytes) {
                std::memcpy(to, sums + address, bytes);
            },
            [sums](std::uint64_t address, const unsigned char* from, std::uint64_t bytes) {
                std::memcpy(sums + address, from, bytes);
            }};
}

void tensor_contraction_unit::trace(sc_core::sc_trace_file& file, const contraction_trace& what)
{
    if (what.processing_elements && what.engines.empty()) {
        bus::report_error(name(), "/tensorloom/fetta/trace", "processing elements are asked for without an engine");
    }
    if (what.array) { sc_core::sc_trace(&file, m_is_busy, std::string(name()) + ".busy"); }
    if (!trace_parts(file, what)) {
        bus::report_error(name(), "/tensorloom/fetta/trace",
                          "no such engine, or engines and networks are not detailed");
    }
}

contract_outcome tensor_contraction_unit::after(std::uint64_t passed, const contract_cycles& ideal)
{
    contract_outcome done;
    const auto take = [&](std::uint64_t planned) {
        const std::uint64_t taken = std::min(planned, passed);
        passed -= taken;
        return taken;
    };
    done.cycles.fill = take(ideal.fill);
    done.cycles.compute = take(ideal.compute);
    done.cycles.reload = take(ideal.reload);
    done.cycles.psum = take(ideal.psum);
    done.conflict_cycles = passed;
    return done;
}

std::unique_ptr<tensor_contraction_unit> make_tensor_contraction_unit(sc_core::sc_module_name name,
                                                                      const config& config,
                                                                      const bus::clock_source& clock,
                                                                      const bus::stop_request& stop)
{
    if (config.fidelity == blocks::fidelity::fast) {
        return std::make_unique<fast_contraction_unit>(name, config, clock, stop);
    }
    return std::make_unique<detailed_contraction_unit>(name, config, clock, stop);
}

} // namespace tensorloom::fetta
