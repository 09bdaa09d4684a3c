#include "conformance/accelerator_bench.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/byte_layout.h>
#include <tensorloom/tlm/simulated_time.h>

namespace tensorloom::test {

std::string name_of(const accelerator_subject& subject)
{
    return subject.device->name() + "_" + std::to_string(subject.width);
}

std::ostream& operator<<(std::ostream& out, const accelerator_subject& subject) { return out << name_of(subject); }

std::vector<accelerator_subject> all_dmas()
{
    std::vector<accelerator_subject> all;
    for (const auto* device : conforming_devices()) {
        for (const unsigned width : device->dma_widths()) { all.push_back({device, width}); }
    }
    return all;
}

std::vector<accelerator_subject> all_banks()
{
    std::vector<accelerator_subject> all;
    for (const auto* device : conforming_devices()) { all.push_back({device, 32}); }
    return all;
}

accelerator_bench::accelerator_bench(sc_core::sc_module_name name, const accelerator_subject& of)
    : sc_core::sc_module(name), subject(of), irq("irq"), rst("rst")
{
    SC_HAS_PROCESS(accelerator_bench);
    SC_THREAD(run);
}

void accelerator_bench::start_of_simulation()
{
    if (before_start) { before_start(*this); }
}

void accelerator_bench::run()
{
    if (program) { program(*this); }
    finished = true;
}

// ---- the job ----

void accelerator_bench::place_job(unsigned largest_burst)
{
    memory->base = memory_at;
    memory->intercept = [this, largest_burst](tlm::tlm_generic_payload& t) { look_at(t, largest_burst); };
    job = subject.device->job(memory_at);
    for (const auto& [at, bytes] : job.data) { write_block(at, bytes.data(), bytes.size()); }
    write_block(job.program_at, job.program.data(), job.program.size());
}

std::vector<unsigned char> accelerator_bench::output()
{
    std::vector<unsigned char> bytes(job.expected_output.size());
    read_block(job.output_at, bytes.data(), bytes.size());
    return bytes;
}

void accelerator_bench::clear_output()
{
    const std::vector<unsigned char> other(job.expected_output.size(), 0xee);
    write_block(job.output_at, other.data(), other.size());
}

isa::program_result accelerator_bench::run_job()
{
    clear_output();
    start();
    const auto result = finish();
    EXPECT_TRUE(result.done);
    EXPECT_EQ(result.error, isa::error_code::none);
    EXPECT_TRUE(output() == job.expected_output);
    return result;
}

void accelerator_bench::phase_log::started(const std::string&, std::uint64_t time_ps)
{
    m_owner.phases.clear();
    m_owner.programs.push_back({time_ps, 0, 0, 0});
}

void accelerator_bench::phase_log::clocked(const std::string&, std::uint64_t period_ps)
{
    m_owner.programs.back().period_ps = period_ps;
}

void accelerator_bench::phase_log::finished(const std::string&, std::uint64_t cycles)
{
    m_owner.programs.back().end_ps = bus::picoseconds(sc_core::sc_time_stamp());
    m_owner.programs.back().cycles = cycles;
}

void accelerator_bench::phase_log::log(const std::string&, const bus::log_record& r)
{
    auto& phases = m_owner.phases;
    if (!phases.empty() && phases.back().phase == r.phase) {
        phases.back().cycles = r.start_cycle + r.cycles - phases.back().start_cycle;
    } else {
        phases.push_back({r.phase, r.start_cycle, r.cycles});
    }
}

void accelerator_bench::look_at(tlm::tlm_generic_payload& t, unsigned largest_burst)
{
    const auto complain = [&](bool wrong, const char* what) {
        if (wrong) { errors.push_back(std::string(what) + " at " + std::to_string(t.get_address())); }
    };
    const unsigned length = t.get_data_length();
    complain(!t.is_read() && !t.is_write(), "neither read nor write");
    complain(t.get_data_ptr() == nullptr, "no data");
    complain(length == 0 || (length & (length - 1)) != 0, "length is not a power of two");
    complain(length > largest_burst, "burst too long");
    complain(length != 0 && t.get_address() % length != 0, "not naturally aligned");
    complain(t.get_streaming_width() != length, "streaming width is not the length");
    complain(t.get_byte_enable_ptr() != nullptr || t.get_byte_enable_length() != 0, "byte enables");
    complain(t.is_dmi_allowed(), "DMI hint");
    complain(t.get_gp_option() != tlm::TLM_MIN_PAYLOAD, "payload option");
    complain(t.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE, "status");
    for (unsigned e = 0; e < tlm::max_num_extensions(); ++e) { complain(t.get_extension(e) != nullptr, "extension"); }
    payloads.insert(&t);
    accesses.push_back({t.get_command(), t.get_address(), length});
    if (answer) { answer(accesses.size() - 1, t); }
}

void accelerator_bench::expect_no_violation()
{
    auto checkers = more_dma_checkers;
    checkers.insert(checkers.end(), {regs_checker, dma_checker});
    for (auto* checker : checkers) {
        checker->report_live();
        EXPECT_EQ(checker->violations() + checker->warnings(), 0u) << name();
        for (const auto& v : checker->kept()) { ADD_FAILURE() << v.text << " at " << v.time; }
    }
    EXPECT_TRUE(errors.empty()) << errors.front();
    EXPECT_TRUE(memory->wrongs.empty()) << memory->wrongs.front();
    EXPECT_EQ(memory->live(), 0u);
    for (const auto* t : payloads) {
        EXPECT_EQ(t->has_mm() ? t->get_ref_count() : 0, 0) << "a payload was not released";
    }
}

// ---- the host ----

std::uint32_t accelerator_bench::read_word(std::uint64_t address)
{
    auto t = reading(address, 4);
    wait(send(t));
    EXPECT_TRUE(t.is_response_ok()) << "read of " << address;
    return base::load_le<std::uint32_t>(t.data.data());
}

void accelerator_bench::write_word(std::uint64_t address, std::uint32_t value)
{
    std::vector<unsigned char> bytes(4);
    base::store_le(bytes.data(), value);
    auto t = writing(address, bytes);
    wait(send(t));
    EXPECT_TRUE(t.is_response_ok()) << "write of " << address;
}

void accelerator_bench::read_block(std::uint64_t address, void* to, std::size_t bytes)
{
    std::copy_n(memory->bytes.data() + (address - memory_at), bytes, static_cast<unsigned char*>(to));
}

void accelerator_bench::write_block(std::uint64_t address, const void* from, std::size_t bytes)
{
    std::copy_n(static_cast<const unsigned char*>(from), bytes, memory->bytes.data() + (address - memory_at));
}

bool accelerator_bench::wait_interrupt(std::uint64_t timeout)
{
    if (!irq.read()) { wait(ns(static_cast<double>(timeout)), irq.posedge_event()); }
    return irq.read();
}

std::uint32_t accelerator_bench::debug_read(std::uint32_t offset)
{
    auto t = reading(offset, 4);
    EXPECT_EQ(regs().transport_dbg(t), 4u);
    return base::load_le<std::uint32_t>(t.data.data());
}

std::unique_ptr<accelerator_bench> make_accelerator_bench(const std::string& name, const accelerator_subject& subject,
                                                          const accelerator_options& options)
{
    return subject.device->make_bench(name, subject, options);
}

} // namespace tensorloom::test
