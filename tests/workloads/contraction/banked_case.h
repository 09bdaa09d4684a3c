#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/workloads/contraction/banked_form.h>
#include <tensorloom/workloads/contraction/mapping_search.h>
#include <tensorloom/workloads/contraction/program_writer.h>
#include <tensorloom/workloads/fetta/session.h>

namespace tensorloom::test {

/// A CONTRACT of linear operands, and the same with those banked that may be.
struct banked_case {
    fetta::contract_command linear, banked;
    std::array<std::uint64_t, 3> elements{}; ///< that the operands and the result span
    unsigned forms = 0, transposed = 0;      ///< of the three, banked; of these, through a transpose layer

    bool all_banked() const { return forms == 3; }
};

inline constexpr std::uint64_t place_bytes = 128u << 10; ///< of each of the three in the unified memory

/// Modes of random sizes in random orders, the ones along rows mostly fastest and padded to whole rows, so that many
/// operands have a banked form.
inline banked_case random_banked_case(std::mt19937& random, const fetta::device_limits& g, bool transpose_layer)
{
    using fetta::contract_command;
    using fetta::operand_role;
    static constexpr std::uint32_t sizes[] = {1, 2, 3, 4, 5, 8, 16, 20};
    std::array<std::vector<std::uint32_t>, 4> modes; // by mask: batch, contracted, IA's free, IB's free
    std::array<std::uint32_t, 4> extent{};
    for (unsigned x = 0; x < 4; ++x) {
        extent[x] = 1;
        for (unsigned m = 0; m < 1 + random() % 2; ++m) {
            modes[x].push_back(sizes[random() % (x == 0 ? 4 : 8)]);
            extent[x] *= modes[x].back();
        }
    }
    banked_case result;
    contract_command& c = result.linear;
    c.mapping = static_cast<std::uint32_t>(random() % 6);
    c.batch = extent[0];
    c.contracted = extent[1];
    c.ia_free = extent[2];
    c.ib_free = extent[3];
    std::uint32_t* const masks[] = {&c.mask_batch, &c.mask_contracted, &c.mask_ia, &c.mask_ib};
    for (std::uint32_t bit = 1; bit < g.engines; bit *= 2) { *masks[random() % 4] |= bit; }
    c.flags =
        contract_command::flag_linear_ia | contract_command::flag_linear_ib | contract_command::flag_linear_result;
    const bool os = is_output_stationary(c.mapped()), horizontal = is_horizontal(c.mapped());
    const struct {
        fetta::contract_operand* operand;
        std::array<unsigned, 3> groups;
        unsigned along; // of the groups
    } roles[] = {
        {&c.ia, {0, 1, 2}, os ? 2u : 1u}, {&c.ib, {0, 1, 3}, horizontal ? 1u : 2u}, {&c.result, {0, 2, 3}, 2u}};
    for (unsigned role = 0; role < 3; ++role) {
        auto& o = *roles[role].operand;
        std::vector<unsigned> order;
        unsigned count = 0;
        for (unsigned i = 0; i < 3; ++i) {
            for (const auto size : modes[roles[role].groups[i]]) {
                order.push_back(count);
                o.mode[count++].size = size;
                ++o.modes[i];
            }
        }
        std::shuffle(order.begin(), order.end(), random);
        if (random() % 8 != 0) { // the fastest mode of the index along rows comes first
            unsigned fastest = 0;
            for (unsigned i = 0; i <= roles[role].along; ++i) { fastest += o.modes[i]; }
            std::iter_swap(order.begin(), std::find(order.begin(), order.end(), fastest - 1));
        }
        std::int64_t stride = 1;
        for (const unsigned m : order) {
            o.mode[m].stride = static_cast<std::int32_t>(stride);
            stride *= o.mode[m].size;
            if (m == order.front()) { stride = (stride + g.side - 1) / g.side * g.side; }
        }
        result.elements[role] = static_cast<std::uint64_t>(stride);
        o.base = static_cast<std::uint32_t>(role * place_bytes / (role == 2 ? 4 : 2));
    }
    result.banked = c;
    fetta::contract_operand* const banked[] = {&result.banked.ia, &result.banked.ib, &result.banked.result};
    static constexpr std::uint16_t linear_flags[] = {contract_command::flag_linear_ia, contract_command::flag_linear_ib,
                                                     contract_command::flag_linear_result};
    static constexpr std::uint16_t layer_flags[] = {contract_command::flag_transpose_ia,
                                                    contract_command::flag_transpose_ib,
                                                    contract_command::flag_transpose_result};
    for (unsigned role = 0; role < 3; ++role) {
        const auto form = workloads::banked_form_of(c, static_cast<operand_role>(role), g, transpose_layer);
        if (!form) { continue; }
        *banked[role] = form->operand;
        result.banked.flags &= static_cast<std::uint16_t>(~linear_flags[role]);
        result.banked.flags |= form->transposed ? layer_flags[role] : std::uint16_t{0};
        ++result.forms;
        result.transposed += form->transposed ? 1 : 0;
    }
    return result;
}

/// Whether a device takes it and its parts of the memory hold it.
inline bool fits(const banked_case& c)
{
    return c.elements[0] <= place_bytes / 2 && c.elements[1] <= place_bytes / 2 && c.elements[2] <= place_bytes / 4 &&
           c.elements[0] + c.elements[1] + c.elements[2] < 20000;
}

/// Loads numbers of bf16 that depend on the elements alone, contracts, and returns what the result's place holds then.
inline std::vector<float> run_banked_case(workloads::fetta_session& machine, const banked_case& which,
                                          const fetta::contract_command& command,
                                          workloads::program_outcome<fetta::counts>* outcome = nullptr)
{
    using base::element_type;
    workloads::program_writer writer(workloads::program_phase::contract, machine.limits(),
                                     isa::program_header::max_bytes);
    std::uint64_t address = machine.data_base();
    for (unsigned role = 0; role < 2; ++role) {
        std::vector<std::uint16_t> operand(which.elements[role]);
        for (std::size_t e = 0; e < operand.size(); ++e) { // of 1 to 2, of both signs
            operand[e] = static_cast<std::uint16_t>(0x3f80u | (e * 29 + role * 7) % 0x80u | (e * 13 % 2) << 15);
        }
        machine.write(address, operand.data(), operand.size() * 2);
        writer.load(workloads::descriptor_of(address, element_type::bf16, {{operand.size(), 1}}), role * place_bytes,
                    "load");
        address += (operand.size() * 2 + 63) / 64 * 64;
    }
    std::vector<float> result(which.elements[2]);
    machine.write(address, result.data(), result.size() * 4);
    const auto place = workloads::descriptor_of(address, element_type::f32, {{result.size(), 1}});
    writer.load(place, 2 * place_bytes, "load");
    writer.contract(command, "contract");
    writer.store(place, 2 * place_bytes, "store");
    const auto ran = machine.run(writer.programs().front().bytes);
    if (outcome != nullptr) { *outcome = ran; }
    machine.read(address, result.data(), result.size() * 4);
    return result;
}

} // namespace tensorloom::test
