#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <systemc>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/blocks/fidelity.h>
#include <tensorloom/models/shell/debug_memory.h>
#include "tlm/payload.h"

namespace tensorloom::test {

// Suites over device kinds: what a debugger sees of a device, and how one goes on that was saved and restored.

using byte_string = std::vector<unsigned char>;

template <class Module> std::string saved(const Module& module)
{
    std::ostringstream to;
    module.save(to);
    return to.str();
}
template <class Module> void restore(Module& module, const std::string& state)
{
    std::istringstream from(state);
    module.restore(from);
    EXPECT_EQ(from.peek(), std::istringstream::traits_type::eof());
}
/// What a refusal says; "": it was taken.
template <class Module> std::string refusal(Module& module, const std::string& state)
{
    std::istringstream from(state);
    try {
        module.restore(from);
    } catch (const base::input_error& error) {
        return error.what();
    }
    return "";
}

/// All bytes of all memories of a device.
template <class Device> std::vector<byte_string> debug_bytes(Device& device)
{
    std::vector<byte_string> all;
    for (const auto& memory : device.debug_memories()) {
        all.emplace_back(memory.bytes);
        EXPECT_EQ(memory.read(0, all.back().data(), memory.bytes), memory.bytes);
    }
    return all;
}

/// Something that a host does with a device, and what that leaves behind.
template <class Bench> using host_step = std::function<typename Bench::outcome_type(Bench&)>;
template <class Bench> struct state_after {
    typename Bench::outcome_type outcome;
    std::string device;
    std::string memory;
    std::vector<byte_string> debugged; // when somebody asked for it
};
template <class Bench> using states = std::vector<state_after<Bench>>;

template <class Bench> state_after<Bench> take_step(Bench& bench, const host_step<Bench>& step, bool debug)
{
    auto outcome = step(bench);
    return {outcome, saved(bench.device()), saved(bench.memory()),
            debug ? debug_bytes(bench.device()) : std::vector<byte_string>{}};
}

template <class Bench> void expect_same_ends(const state_after<Bench>& found, const state_after<Bench>& expected)
{
    EXPECT_EQ(found.outcome.result.error, expected.outcome.result.error);
    EXPECT_EQ(found.outcome.result.cycles, expected.outcome.result.cycles);
    EXPECT_TRUE(found.outcome.window == expected.outcome.window);
    EXPECT_TRUE(found.outcome.rows == expected.outcome.rows);
}

/// The programs of a case of random programs (random_programs.h), a dump of what the device holds behind each: the
/// first on the case's data, the next on what it left behind.
template <class Case> std::vector<host_step<typename Case::bench>> programs_of(const Case& c)
{
    using bench = typename Case::bench;
    std::vector<host_step<bench>> steps;
    for (const auto& program : c.programs) {
        const bool first = steps.empty();
        steps.emplace_back([&c, &program, first](bench& b) {
            if (first) { b.cpu().preload(bench::data_at, c.data.data(), c.data.size()); }
            return b.run(program);
        });
        steps.emplace_back([&c](bench& b) { return b.run(c.dump()); });
    }
    return steps;
}

/// In both fidelities: a device takes all steps; another one, later, gets the state in which the first was behind the
/// first step, with its memory, and takes the rest. Both end each step alike: results, counters, cycles, log, and all
/// that is saved. Between steps memories hold the same in both fidelities, whether a debugger looks from the start on
/// or (`debug_late`) at the end for the first time.
template <class Bench, class Config>
void expect_that_it_goes_on_when_restored(Config config, const std::vector<host_step<Bench>>& steps, bool debug_late)
{
    struct pair_of_benches {
        states<Bench> saved_one, restored_one;
        sc_core::sc_event saved;
        std::unique_ptr<Bench> first, second;
    };
    const auto looks = [&](std::size_t step) { return !debug_late || step + 1 == steps.size(); };
    std::vector<std::unique_ptr<pair_of_benches>> pairs;
    for (const auto fidelity : {blocks::fidelity::fast, blocks::fidelity::detailed}) {
        config.fidelity = fidelity;
        const auto number = std::to_string(pairs.size());
        auto& p = *pairs.emplace_back(std::make_unique<pair_of_benches>());
        p.first = std::make_unique<Bench>("first_" + number, config, [&](auto& bench) {
            if (!debug_late) { bench.device().debug_memories(); }
            for (std::size_t s = 0; s < steps.size(); ++s) {
                p.saved_one.push_back(take_step<Bench>(static_cast<Bench&>(bench), steps[s], looks(s)));
            }
            p.saved.notify();
        });
        p.second = std::make_unique<Bench>("second_" + number, config, [&](auto& bench) {
            sc_core::wait(p.saved);
            sc_core::wait(ns(123.4));
            restore(bench.device(), p.saved_one.front().device);
            restore(bench.memory(), p.saved_one.front().memory);
            if (!debug_late) { bench.device().debug_memories(); }
            p.restored_one.push_back({{}, saved(bench.device()), saved(bench.memory()), {}});
            for (std::size_t s = 1; s < steps.size(); ++s) {
                p.restored_one.push_back(take_step<Bench>(static_cast<Bench&>(bench), steps[s], looks(s)));
            }
        });
    }
    sc_core::sc_start();
    for (const auto& p : pairs) {
        ASSERT_TRUE(p->first->finished() && p->second->finished());
        for (std::size_t s = 0; s < steps.size(); ++s) {
            SCOPED_TRACE("step " + std::to_string(s));
            const auto& one = p->saved_one[s];
            const auto& other = p->restored_one[s];
            if (s > 0) { expect_same_ends(other, one); }
            EXPECT_TRUE(other.device == one.device);
            EXPECT_TRUE(other.memory == one.memory);
            EXPECT_TRUE(one.debugged == pairs.front()->saved_one[s].debugged) << "fast and detailed";
            if (s > 0) { EXPECT_TRUE(one.debugged == other.debugged); }
        }
    }
}

/// What debug transport to the register socket moves at an offset, and how it is answered.
template <class Device> struct debug_port {
    Device& device;
    tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;

    unsigned send(payload& p)
    {
        const unsigned moved = device.regs.get_base_export()->transport_dbg(p);
        status = p.get_response_status();
        return moved;
    }
    byte_string read(std::uint64_t offset, std::size_t bytes)
    {
        payload p = reading(offset, bytes);
        p.data.resize(send(p));
        return p.data;
    }
    unsigned write(std::uint64_t offset, const byte_string& bytes)
    {
        payload p = writing(offset, bytes);
        return send(p);
    }
};

/// Between programs the memories of these names answer the same bytes to a debugger over the bus and in C++, take bytes
/// at odd places, and end where they end; nothing but them changes. Of each at least the first 32 bytes can be written.
template <class Bench> void expect_debug_access(Bench& bench, const std::vector<std::string>& names)
{
    auto& device = bench.device();
    const auto& memories = device.debug_memories();
    debug_port<typename Bench::traits::body> port{device};
    const auto before = saved(device);
    const auto begin = sc_core::sc_time_stamp();
    ASSERT_EQ(memories.size(), names.size());
    EXPECT_EQ(memories.front().offset, shell::debug_window);
    for (std::size_t m = 0; m < memories.size(); ++m) {
        const auto& memory = memories[m];
        SCOPED_TRACE(memory.name);
        EXPECT_EQ(memory.name, names[m]);
        EXPECT_EQ(memory.offset % shell::debug_alignment, 0u);
        byte_string all(memory.bytes);
        EXPECT_EQ(memory.read(0, all.data(), all.size() + 100), all.size());
        EXPECT_TRUE(port.read(memory.offset, all.size()) == all);
        EXPECT_EQ(port.status, tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(port.read(memory.offset + memory.bytes - 3, 8), byte_string(all.end() - 3, all.end()));
        EXPECT_EQ(memory.read(memory.bytes, all.data(), 1), 0u);
        EXPECT_EQ(memory.read(UINT64_MAX, all.data(), 1), 0u);

        auto p = reading(memory.offset, 4);
        sc_core::sc_time delay;
        device.regs.get_base_export()->b_transport(p, delay);
        EXPECT_EQ(p.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
    EXPECT_TRUE(saved(device) == before) << "reads changed something";

    for (const auto& memory : memories) {
        SCOPED_TRACE(memory.name);
        byte_string piece(13), found(32), expected(32);
        for (std::size_t i = 0; i < piece.size(); ++i) { piece[i] = static_cast<unsigned char>(0x31 + 7 * i); }
        memory.read(0, expected.data(), expected.size());
        std::copy(piece.begin(), piece.end(), expected.begin() + 5);
        EXPECT_EQ(port.write(memory.offset + 5, piece), piece.size());
        EXPECT_EQ(port.status, tlm::TLM_OK_RESPONSE);
        memory.read(0, found.data(), found.size());
        EXPECT_EQ(found, expected);
        EXPECT_EQ(memory.write(7, piece.data(), 1), 1u);
        EXPECT_EQ(port.read(memory.offset + 7, 1), byte_string(1, piece[0]));
        EXPECT_EQ(memory.write(memory.bytes - 1, piece.data(), 5), 1u);
    }
    const auto& last = memories.back();
    const std::uint64_t behind = last.offset + last.bytes;
    EXPECT_EQ(port.write(behind, {1}), 0u);
    EXPECT_EQ(port.status, tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_TRUE(port.read(behind, 4).empty());
    EXPECT_TRUE(port.read(shell::debug_window - 4, 4).empty());
    EXPECT_EQ(sc_core::sc_time_stamp(), begin);
}

/// While a program runs a debugger reads everything; only the first `open` memories can be written; nothing can be
/// saved or restored. The program ends as ever.
template <class Bench> void expect_what_a_busy_device_allows(Bench& bench, const byte_string& program, unsigned open)
{
    auto& device = bench.device();
    const auto idle = saved(device);
    auto driver = bench.driver();
    bench.cpu().preload(Bench::program_at, program.data(), program.size());
    driver.start(Bench::program_at);
    sc_core::wait(ns(25));
    ASSERT_TRUE(device.busy());
    debug_port<typename Bench::traits::body> port{device};
    for (std::size_t m = 0; m < device.debug_memories().size(); ++m) {
        const auto& memory = device.debug_memories()[m];
        SCOPED_TRACE(memory.name);
        unsigned char byte = 0;
        EXPECT_EQ(memory.read(1, &byte, 1), 1u);
        EXPECT_EQ(port.read(memory.offset, 4).size(), 4u);
        EXPECT_EQ(memory.write(1, &byte, 1), m < open ? 1u : 0u);
        EXPECT_EQ(port.write(memory.offset + 1, {byte}), m < open ? 1u : 0u);
        EXPECT_EQ(port.status, m < open ? tlm::TLM_OK_RESPONSE : tlm::TLM_COMMAND_ERROR_RESPONSE);
    }
    EXPECT_EQ(refusal(device, idle), std::string(device.name()) + ": it is busy, expected an idle device to restore");
    try {
        saved(device);
        ADD_FAILURE() << "a busy device was saved";
    } catch (const base::input_error& error) {
        EXPECT_EQ(error.what(), std::string(device.name()) + ": it is busy, expected an idle device to save");
    }
    EXPECT_TRUE(driver.finish(Bench::timeout_ns).done);
}

} // namespace tensorloom::test
