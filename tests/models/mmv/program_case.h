#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>
#include "models/mmv/mmv_bench.h"
#include "models/mmv/random_device.h"
#include "models/mmv/random_program.h"
#include "models/random_programs.h"
#include "support/mmv_reference.h"

namespace tensorloom::test {

/// A pair that a seed stands for, with random programs for it: a case of the suites over device kinds.
struct mmv_case {
    using bench = mmv_bench;
    using counts = mmv::counts;
    using reference = mmv_reference;
    using error = workloads::program_error;
    static constexpr bool fails_on_data = true;
    static constexpr auto overlapped_cycle = mmv::event::overlapped_cycle;
    static constexpr const auto& events() { return mmv::events; }

    mmv_case(std::uint64_t seed, std::uint64_t programs_seed, unsigned count, unsigned instructions)
        : settings(random_device(seed)), limits(mmv::limits_of(settings)),
          maker(programs_seed, limits, mmv_bench::data_at), data(maker.data())
    {
        for (unsigned p = 0; p < count; ++p) { programs.push_back(maker.program(instructions)); }
    }

    mmv::config config(blocks::fidelity model, bool overlap) const
    {
        mmv::config c = settings;
        c.fidelity = model;
        c.overlap = overlap;
        return c;
    }
    std::uint64_t memory_bytes() const { return maker.memory().bytes(); }
    program_bytes dump() const { return maker.dump(); }
    std::unique_ptr<mmv_reference> make_reference() const
    {
        auto made = std::make_unique<mmv_reference>(
            limits, mmv_reference::settings{mmv_bench::data_at, memory_bytes(), settings.word_bits});
        made->write(mmv_bench::data_at, data.data(), data.size());
        return made;
    }
    static counts counted_by_both(counts all)
    {
        using mmv::event;
        for (auto e : {event::scratchpad_read, event::scratchpad_write, event::overlapped_cycle}) { all[e] = 0; }
        return all;
    }
    // The reference knows no time.
    static cycles_by_cause cycles_of(const mmv_reference&) { return {}; }
    static cycles_by_cause cycles_of(const mmv_outcome&) { return {}; }

    mmv::config settings;
    mmv::limits limits;
    program_maker maker;
    program_bytes data;
    std::vector<program_bytes> programs;
};

} // namespace tensorloom::test
