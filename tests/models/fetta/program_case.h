#pragma once
#include <cstdint>
#include <memory>
#include <vector>
#include "models/fetta/fetta_bench.h"
#include "models/fetta/random_contraction.h"
#include "models/random_programs.h"
#include "support/fetta_reference.h"

namespace tensorloom::test {

/// A FETTA that a seed stands for, with random programs for it: a case of the suites over device kinds.
struct fetta_case {
    using bench = fetta_bench;
    using counts = fetta::counts;
    using reference = fetta_reference;
    using error = workloads::program_error;
    static constexpr bool fails_on_data = false;
    static constexpr auto overlapped_cycle = fetta::event::overlapped_cycle;
    static constexpr const auto& events() { return fetta::events; }

    fetta_case(std::uint64_t seed, std::uint64_t programs_seed, unsigned count, unsigned contractions)
        : fetta_case(random_limits(seed), programs_seed, count, contractions)
    {}
    fetta_case(const fetta::device_limits& g, std::uint64_t programs_seed, unsigned count, unsigned contractions)
        : limits(g), maker(programs_seed, limits, fetta_bench::data_at), data(maker.data())
    {
        for (unsigned p = 0; p < count; ++p) { programs.push_back(maker.program(contractions)); }
    }

    fetta::config config(blocks::fidelity model, bool overlap) const
    {
        fetta::config c;
        c.limits = limits;
        c.fidelity = model;
        c.overlap = overlap;
        return c;
    }
    std::uint64_t memory_bytes() const { return maker.memory_bytes(); }
    program_bytes dump() const { return maker.dump(); }
    std::unique_ptr<fetta_reference> make_reference() const
    {
        auto made =
            std::make_unique<fetta_reference>(limits, fetta_reference::settings{fetta_bench::data_at, memory_bytes()});
        made->write(fetta_bench::data_at, data.data(), data.size());
        return made;
    }
    static counts counted_by_both(counts all)
    {
        all[fetta::event::vector_word_read] = all[fetta::event::vector_word_write] = 0;
        return all;
    }
    static cycles_by_cause cycles_of(const fetta_reference& r)
    {
        const auto& c = r.cycles();
        return {
            {"fill", c.fill}, {"compute", c.compute}, {"reload", c.reload}, {"psum", c.psum}, {"conflict", c.conflict}};
    }
    static cycles_by_cause cycles_of(const fetta_outcome& o)
    {
        cycles_by_cause found;
        for (const char* cause : {"fill", "compute", "reload", "psum"}) { found[cause] = o.cycles_of(cause); }
        auto& conflicts = found["conflict"]; // those of the vector unit aside
        for (const auto& r : o.rows) { conflicts += r.phase == "contract" && r.cause == "conflict" ? r.cycles : 0; }
        return found;
    }

    fetta::device_limits limits;
    contraction_maker maker;
    program_bytes data;
    std::vector<program_bytes> programs;
};

} // namespace tensorloom::test
