#pragma once
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/workloads/contraction/permutation.h>
#include <tensorloom/workloads/fetta/session.h>

namespace tensorloom::test {

/// A permutation of a dense tensor: sizes in C order, and which of its modes come first, second, ... behind it.
struct permuted_tensor {
    std::vector<std::uint64_t> sizes;
    std::vector<std::size_t> order;

    std::uint64_t elements() const
    {
        std::uint64_t n = 1;
        for (const auto s : sizes) { n *= s; }
        return n;
    }

    std::vector<workloads::permuted_mode> modes() const
    {
        std::vector<workloads::permuted_mode> all(sizes.size());
        std::int64_t from = 1, to = 1;
        for (std::size_t m = sizes.size(); m-- > 0; from *= static_cast<std::int64_t>(sizes[m])) {
            all[m].size = sizes[m];
            all[m].from = from;
        }
        for (std::size_t m = order.size(); m-- > 0; to *= static_cast<std::int64_t>(sizes[order[m]])) {
            all[order[m]].to = to;
        }
        return all;
    }

    /// Element by element.
    template <class T> std::vector<T> naive(const std::vector<T>& from) const
    {
        std::vector<T> to(from.size());
        std::vector<std::uint64_t> digit(sizes.size());
        for (const T& element : from) {
            std::uint64_t at = 0;
            for (const auto m : order) { at = at * sizes[m] + digit[m]; }
            to[at] = element;
            for (std::size_t m = sizes.size(); m-- > 0 && ++digit[m] == sizes[m];) { digit[m] = 0; }
        }
        return to;
    }
};

inline permuted_tensor random_permutation(std::mt19937& random, std::size_t most_modes, std::uint64_t most_elements)
{
    permuted_tensor p;
    p.sizes.resize(1 + random() % most_modes);
    do {
        for (auto& s : p.sizes) { s = 1 + random() % (p.sizes.size() < 3 ? 300 : 13); }
    } while (p.elements() > most_elements);
    for (std::size_t m = 0; m < p.sizes.size(); ++m) { p.order.push_back(m); }
    std::shuffle(p.order.begin(), p.order.end(), random);
    return p;
}

/// Runs it: elements to data_base(), the permuted ones behind them. Elements of T have the type's size.
template <class T>
std::vector<T> run_permutation(workloads::fetta_session& machine, const workloads::permutation_plan& plan,
                               base::element_type type, const std::vector<T>& from,
                               workloads::program_outcome<fetta::counts>* outcome = nullptr)
{
    const std::uint64_t bytes = from.size() * sizeof(T), source = machine.data_base();
    const std::uint64_t target = source + (bytes + 4095) / 4096 * 4096;
    machine.write(source, from.data(), bytes);
    workloads::program_writer writer(workloads::program_phase::order_operands, machine.limits(),
                                     isa::program_header::max_bytes);
    write_permutation(writer, machine.limits(), plan, type, source, target, "x");
    for (const auto& program : writer.programs()) {
        const auto ran = machine.run(program.bytes);
        if (outcome != nullptr) {
            outcome->cycles += ran.cycles;
            outcome->counts += ran.counts;
        }
    }
    std::vector<T> to(from.size());
    machine.read(target, to.data(), bytes);
    return to;
}

} // namespace tensorloom::test
