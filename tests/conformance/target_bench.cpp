#include "conformance/target_bench.h"
#include <stdexcept>
#include <gtest/gtest.h>

namespace tensorloom::test {

std::string name_of(const target_subject& subject)
{
    const char* kind = "";
    switch (subject.kind) {
    case target_kind::sram: kind = "sram"; break;
    case target_kind::dram: kind = "dram"; break;
    case target_kind::router_sram: kind = "router_sram"; break;
    case target_kind::router_dram: kind = "router_dram"; break;
    }
    return std::string(kind) + "_" + std::to_string(subject.width);
}

std::ostream& operator<<(std::ostream& out, const target_subject& subject) { return out << name_of(subject); }

std::vector<target_subject> all_targets()
{
    std::vector<target_subject> all;
    for (auto kind : {target_kind::sram, target_kind::dram, target_kind::router_sram, target_kind::router_dram}) {
        for (unsigned width : {32u, 64u, 128u, 256u, 512u}) { all.push_back({kind, width}); }
    }
    return all;
}

namespace {

template <class Predicate> std::vector<target_subject> targets_that(Predicate match)
{
    std::vector<target_subject> found;
    for (const auto& subject : all_targets()) {
        if (match(subject)) { found.push_back(subject); }
    }
    return found;
}

} // namespace

std::vector<target_subject> all_srams()
{
    return targets_that([](const target_subject& s) { return !s.is_dram(); });
}

std::vector<target_subject> all_routed()
{
    return targets_that([](const target_subject& s) { return s.is_routed(); });
}

target_bench::target_bench(sc_core::sc_module_name name, const target_subject& of)
    : sc_core::sc_module(name), subject(of), base(of.is_routed() ? 0x1'0000'0000 : 0), rst("rst")
{
    SC_HAS_PROCESS(target_bench);
    SC_THREAD(run);
}

void target_bench::start_of_simulation()
{
    if (before_start) { before_start(*this); }
}

void target_bench::run()
{
    if (program) { program(*this); }
    finished = true;
}

std::vector<unsigned char> target_bench::contents(std::uint64_t offset, std::size_t size)
{
    auto read = reading(base + offset, size);
    EXPECT_EQ(target().transport_dbg(read), size);
    return read.data;
}

void target_bench::preload(const std::vector<unsigned char>& all)
{
    auto write = writing(base, all);
    EXPECT_EQ(target().transport_dbg(write), all.size());
}

void target_bench::tolerate(bus::protocol_rule rule)
{
    for (auto* checker : checkers) { checker->tolerate(rule); }
}

void target_bench::expect_no_violation()
{
    for (std::size_t i = 0; i < checkers.size(); ++i) {
        checkers[i]->report_live();
        EXPECT_EQ(checkers[i]->violations() + checkers[i]->warnings(), 0u) << name() << ": checker " << i;
        for (const auto& v : checkers[i]->kept()) { ADD_FAILURE() << v.text << " at " << v.time; }
    }
}

std::unique_ptr<target_bench> make_target_bench(const std::string& name, const target_subject& subject,
                                                const target_options& options)
{
    switch (subject.width) {
    case 32: return make_target_bench_of<32>(name, subject, options);
    case 64: return make_target_bench_of<64>(name, subject, options);
    case 128: return make_target_bench_of<128>(name, subject, options);
    case 256: return make_target_bench_of<256>(name, subject, options);
    case 512: return make_target_bench_of<512>(name, subject, options);
    }
    throw std::invalid_argument("no bench of this width");
}

std::vector<unsigned char> pattern(std::size_t size, unsigned seed)
{
    std::vector<unsigned char> bytes(size);
    for (std::size_t i = 0; i < size; ++i) {
        bytes[i] = static_cast<unsigned char>((i * 73 + (i >> 8) * 31 + (i >> 16) * 17 + seed * 101 + 1) & 0xff);
    }
    return bytes;
}

} // namespace tensorloom::test
