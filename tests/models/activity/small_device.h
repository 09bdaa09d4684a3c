#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <tensorloom/models/activity/program_log.h>
#include <tensorloom/models/costs/energy.h>
#include "support/scratch_folder.h"

namespace tensorloom::activity::test {

inline constexpr base::event_definition device_definitions[] = {
    {"tick", "", "."}, {"work", "work", "."}, {"send", "wires", "."}};
inline constexpr base::event_table device_events = base::make_event_table(device_definitions);

inline constexpr base::event_definition memory_definitions[] = {{"access", "memory", "."}};
inline constexpr base::event_table memory_events = base::make_event_table(memory_definitions);

/// A device and a memory "top.memory" that report to a log, driven by hand.
struct small_device {
    std::string name;
    program_log log;
    std::array<std::uint64_t, 3> device_total{};
    std::uint64_t memory_accesses = 0;
    std::uint64_t now = 0;

    explicit small_device(log_detail detail = log_detail::every_record, const std::string& own_name = "top.device")
        : name(own_name), log(own_name, detail)
    {
        log.attach("top.memory", memory_events, &memory_accesses);
        log.attach(name, device_events, device_total.data());
    }
    void start(std::uint64_t time_ps = 0)
    {
        now = 0;
        log.started(name, time_ps);
    }
    /// A record that follows the one before, during which the memory counts `accesses`.
    void record(const char* cause, const char* phase, std::uint32_t command, std::uint32_t id, std::uint64_t cycles,
                std::array<std::uint64_t, 3> counts = {}, std::uint64_t accesses = 0)
    {
        memory_accesses += accesses;
        log.log(name, bus::log_record(cause, phase)
                          .of_command(command)
                          .with_id(id)
                          .with_detail(100 + id)
                          .during(now, cycles)
                          .with_counts(counts.data()));
        now += cycles;
    }
    void finish() { log.finished(name, now); }

    /// fetch, load, two stages of `steps` steps, unload, twice.
    void run(std::uint32_t steps)
    {
        start();
        record("fetch", "fetch", 0, 0, 12, {0, 0, 0}, 5);
        for (const std::uint32_t command : {0u, 1u}) {
            record("load", "load", command, 0, 40, {0, 0, 3}, 64);
            for (const char* stage : {"stage_1", "stage_2"}) {
                for (std::uint32_t s = 0; s < steps; ++s) { record("compute", stage, command, s, 3, {1, 64 + s, 8}); }
            }
            record("unload", "unload", command, 0, 41, {0, 0, 1}, 65);
        }
        finish();
    }
};

inline costs::energy_model device_model()
{
    costs::energy_model model;
    model.events = device_events;
    model.costs = {{99, true}, {4.6, false}, {0.1, true}};
    model.leakage = {{"leakage", 0.25, false, "cells"}};
    return model;
}

inline costs::energy_model memory_model()
{
    costs::energy_model model;
    model.events = memory_events;
    model.costs = {{10, false}};
    model.leakage = {{"leakage", 1.5, true, "memory"}};
    return model;
}

using folder_test = tensorloom::test::scratch_folder;

} // namespace tensorloom::activity::test
