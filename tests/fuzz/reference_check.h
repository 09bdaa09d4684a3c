#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/program/shell_commands.h>
#include <tensorloom/models/isa/vector/instruction_set.h>
#include <tensorloom/models/isa/vector/limits.h>
#include <tensorloom/models/isa/vector/signature.h>
#include "fuzz/fuzzed_device.h"
#include "fuzz/program_twin.h"
#include "models/hostile_programs.h"

namespace tensorloom::test {

/// A device whose results a reference interpreter predicts: a program that runs to its end, or to an error in its data,
/// has the results, counts and cycles of the reference. No program is accepted that the checks refuse.
///
/// Case: as the suites over device kinds have it (models/hostile_programs.h).
template <class Case> class reference_check : public program_check, twin<typename Case::bench> {
    using bench = typename Case::bench;
    using base = twin<bench>;

public:
    reference_check(const std::string& name, Case c)
        : base(name, c.config(blocks::fidelity::fast, false), c.config(blocks::fidelity::detailed, false)),
          m_case(std::move(c)), m_fill(m_case.maker.program(0))
    {}

    void run(const program_bytes& program) override
    {
        if (!asked(program, runs_of_transfer).is_small() || works_long(program)) { return; }
        const auto found = base::run([&](bench& b, auto& r) {
            b.cpu().preload(bench::data_at, m_case.data.data(), m_case.data.size());
            b.driver().reset();
            expect(b.run(m_fill).result.done, "the device cannot be filled");
            run_patiently(b, program, r);
            if (r.timed_out) { return; }
            expect(b.run(m_case.dump()).result.done, "the device cannot be emptied");
            r.memory = b.read(bench::data_at, m_case.memory_bytes());
        });
        if (found) { compare(program, *found); }
    }

private:
    // Nothing after the first that is not whole.
    std::vector<placed_command> whole_commands(const program_bytes& program) const
    {
        std::vector<placed_command> all;
        if (program.size() < isa::program_header::encoded_bytes) { return all; }
        for (const auto& c : isa::program_commands(program)) {
            const auto* const layout = Case::layout_of(c.header);
            if (!c.is_whole() || (layout != nullptr && c.payload_bytes() < layout->bytes())) { break; }
            all.push_back({static_cast<std::size_t>(c.payload - program.data()) - isa::command_header::encoded_bytes,
                           c.index, c.header});
        }
        return all;
    }

    bool works_long(const program_bytes& program) const
    {
        for (const auto& c : whole_commands(program)) {
            if (Case::layout_of(c.header) != nullptr && !m_case.check_error_of(program, c, std::nullopt) &&
                m_case.works_long(program, c)) {
                return true;
            }
        }
        return false;
    }

    bool is_refused(const program_bytes& program) const
    {
        for (const auto& c : whole_commands(program)) {
            if (Case::layout_of(c.header) != nullptr && m_case.check_error_of(program, c, std::nullopt)) {
                return true;
            }
        }
        return false;
    }

    void compare(const program_bytes& program, const typename base::run_type& found) const
    {
        const auto& result = found.outcome.result;
        switch (result.error) {
        case error_code::none:
        case error_code::bad_index:
        case error_code::accumulator_overflow:
        case error_code::arithmetic_overflow:
        case error_code::never_signalled: break;
        default: return; // refused, by checks that suites of their own look at; or outside of memory
        }
        expect(!is_refused(program), "a program was accepted that the checks refuse");
        const auto reference = m_case.make_reference();
        reference->run(m_fill);
        const auto end = run_on_reference(m_case, *reference, program);
        if (end.error == error_code::bus_error) { return; } // the reference has less memory
        expect(end.error == result.error && (result.done || end.command == result.error_command),
               "the reference ends otherwise: " + std::string(isa::error_text(end.error)) + " of command " +
                   std::to_string(end.command) + ", the device: " + base::text(result));
        const auto counts = difference<Case>(Case::counted_by_both(found.outcome.counts), end.counts);
        expect(counts.empty(), "other counts than the reference: " + counts);
        expect(Case::cycles_of(found.outcome) == end.cycles, "other cycles than the reference");
        const auto memory = difference(found.memory, end.memory);
        expect(memory.empty(), "other results than the reference: " + memory);
    }

    Case m_case;
    program_bytes m_fill;
};

/// Random programs that a variant accepts.
template <class Case, class Which>
void offer_random_programs(seed_sink& seeds, const std::string& variant, const Which& which)
{
    const Case c(which, 400);
    for (const auto& program : c.programs) { seeds.offer(variant, program); }
}

/// An instruction of the vector unit on words of float32, with numbers that it takes.
inline isa::vector::vector_command vector_operation(isa::vector::opcode code, const isa::vector::limits& limits)
{
    const auto has = isa::vector::vector_signature_of(code);
    std::mt19937 random(1);
    const auto up_to = [&](std::uint32_t n) { return static_cast<std::uint32_t>(1 + random() % n); };
    isa::vector::vector_command v;
    do {
        v.length = up_to(8);
        if (has.block || has.packed_rows) { v.block = 2 * up_to(3); }
        if (has.table || has.packed_rows) { v.table = up_to(12); }
        if (has.bits != isa::vector::bits_use::none) { v.bits = up_to(8); }
        const auto lengths = lengths_of(code, v);
        v.result.address = lengths.result == 0 ? 0 : 0x400;
        v.a.address = lengths.a == 0 ? 0 : 0x100;
        v.b.address = lengths.b == 0 ? 0 : 0x200;
        v.c.address = lengths.c == 0 ? 0 : 0x300;
    } while (check(code, v, limits));
    return v;
}

/// Every instruction on words of float32, as the devices with a vector unit have them; some devices refuse a few.
inline void offer_float32_words(seed_sink& seeds, const std::string& variant)
{
    const isa::vector::limits limits{base::element_type::f32, 8192, isa::vector::all_functional_blocks};
    isa::transfer_command words;
    words.tensor = isa::dense_descriptor(seed_data_at, base::element_type::f32, {512});
    for (const auto& i : isa::vector::instructions) {
        if (!limits.offers(i.code)) { continue; }
        isa::program_builder program;
        program.add(isa::opcode::load, 0, 0, words.encode());
        if (i.payload == isa::vector::payload_kind::vector) {
            program.add(i.code, 0, 0, vector_operation(i.code, limits).encode());
        } else {
            isa::vector::strided_command s;
            s.size = {1, 2, 3};
            s.result = {0x400, {6, 3, 1}, {}};
            s.a = {0x100, {6, 3, 1}, {}};
            program.add(i.code, 0, 0, s.encode());
        }
        program.add(isa::opcode::store, 0, 0, words.encode());
        seeds.offer(variant, program.bytes());
    }
}

} // namespace tensorloom::test
