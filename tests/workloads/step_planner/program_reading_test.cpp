// What is wrong with a program or with what it left is seen: programs that were tampered with, on the interpreter.
#include <cstring>
#include <functional>
#include <optional>
#include <gtest/gtest.h>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/vector/vector_command.h>
#include <tensorloom/workloads/contraction_search/fixed_sequences.h>
#include "support/fetta_reference.h"
#include "workloads/step_planner/planned_step.h"
#include "workloads/step_planner/random_network.h"

namespace tensorloom::test {
namespace {

using fetta::contract_command;

// A command of a program whose payload may be changed.
struct open_command {
    isa::command_header header;
    std::vector<std::uint8_t> payload;
    std::string what; // "contract X.G2"
};

class read_programs : public testing::Test {
protected:
    read_programs() : m_machine(device_limits())
    {
        const workloads::tensorized_layer layer{workloads::layer_format::ttm, {3, 4}, {4, 3}, {2}, 6};
        const auto tree = *workloads::fixed_tree(workloads::forward_network(layer), "descending");
        workloads::step_settings settings;
        settings.block = 2;
        settings.residency = workloads::step_residency::batch_blocked;
        settings.between = workloads::between_passes::store;
        m_step.definition = define_step(whole_network(layer), tree, true, true);
        m_step.plan = workloads::plan_step(workloads::step_graph(layer, tree, true), device_limits(), settings);
        m_program = workloads::write_step(m_step.plan, m_machine.data_base(), m_machine.data_bytes());
        std::mt19937 random(3);
        m_given = real_numbers(random, m_step.definition);
    }

    static fetta::device_limits device_limits()
    {
        fetta::device_limits g;
        g.engines = 4;
        return g;
    }

    // Of the program, with this change to the first command that takes it.
    std::string fault_after(const std::function<bool(open_command&)>& change)
    {
        auto program = m_program;
        isa::program_builder builder;
        bool is_changed = false;
        std::size_t command = 0;
        for (std::size_t at = isa::program_header::encoded_bytes; at < program.bytes.size(); ++command) {
            open_command c{isa::command_header::decode(program.bytes.data() + at), {}, program.commands[command].what};
            const std::uint8_t* const begin = program.bytes.data() + at;
            c.payload.assign(begin + isa::command_header::encoded_bytes, begin + c.header.length);
            at += c.header.length;
            is_changed = is_changed || change(c);
            builder.add(static_cast<isa::opcode>(c.header.opcode), c.header.flags, c.header.token, c.payload);
        }
        EXPECT_TRUE(is_changed);
        program.bytes = builder.bytes();
        const auto run = workloads::run_step(m_machine, m_step.plan, program, in_numbers(m_step, m_given), rate);
        return fault_of(m_step, program, m_given, by_name(m_step, run.values), rate);
    }

    // A change to the CONTRACT of these operands.
    static std::function<bool(open_command&)> in_contract(const std::string& operands,
                                                          const std::function<bool(contract_command&)>& change)
    {
        return [=](open_command& c) {
            if (c.what != "contract " + operands) { return false; }
            auto contract = contract_command::decode(c.header.flags, c.payload.data());
            if (!change(contract)) { return false; }
            c.header.flags = contract.flags;
            c.payload = contract.encode();
            return true;
        };
    }

    static std::function<bool(open_command&)> in_transfer(const std::string& what,
                                                          const std::function<void(isa::transfer_command&)>& change)
    {
        return [=](open_command& c) {
            if (c.what != what) { return false; }
            auto transfer = isa::transfer_command::decode(c.payload.data());
            change(transfer);
            c.payload = transfer.encode();
            return true;
        };
    }

    static constexpr float rate = -0.5f;
    fetta_reference m_machine;
    planned_step m_step;
    workloads::step_program m_program;
    values_by_name<float> m_given;
};

TEST_F(read_programs, nothing_is_wrong_with_the_plan_s_own)
{
    EXPECT_EQ(fault_after([](open_command& c) { return c.what == "gather X"; }), "");
}

TEST_F(read_programs, contracted_modes_in_two_orders)
{
    EXPECT_NE(fault_after([](open_command& c) {
                  if (c.what.compare(0, 9, "contract ") != 0) { return false; }
                  auto contract = contract_command::decode(c.header.flags, c.payload.data());
                  if (contract.ib.modes[1] != 2) { return false; }
                  std::swap(contract.ib.mode[contract.ib.modes[0]], contract.ib.mode[contract.ib.modes[0] + 1]);
                  c.payload = contract.encode();
                  return true;
              }).find("contracted modes in two orders"),
              std::string::npos);
}

TEST_F(read_programs, operand_from_another_place)
{
    EXPECT_NE(
        fault_after(in_contract("X.G2", [](contract_command& c) { return ++c.ia.base != 0; })).find("nobody has put"),
        std::string::npos);
}

TEST_F(read_programs, result_that_is_not_rounded)
{
    EXPECT_NE(fault_after(in_contract("X.G2",
                                      [](contract_command& c) {
                                          c.flags &= static_cast<std::uint16_t>(~contract_command::flag_store_bf16);
                                          return true;
                                      }))
                  .find("T1 has another type"),
              std::string::npos);
}

TEST_F(read_programs, sums_that_do_not_go_on)
{
    EXPECT_NE(fault_after([](open_command& c) {
                  constexpr auto goes_on = contract_command::flag_accumulate, keeps = contract_command::flag_keep;
                  const bool last = c.what.compare(0, 9, "contract ") == 0 && (c.header.flags & goes_on) != 0 &&
                                    (c.header.flags & keeps) == 0;
                  if (last) { c.header.flags &= static_cast<std::uint16_t>(~goes_on); }
                  return last;
              }),
              "");
}

TEST_F(read_programs, block_that_is_stored_where_another_one_belongs)
{
    const auto to_next = [this](isa::transfer_command& c) {
        for (std::size_t t = 0; t < m_step.plan.graph.tensors.size(); ++t) {
            if (m_step.plan.graph.tensors[t].name == "Y") { c.tensor.base += m_program.addresses.block_bytes[t]; }
        }
    };
    EXPECT_NE(fault_after(in_transfer("store Y", to_next)).find("Y is stored where Y belongs"), std::string::npos);
}

TEST_F(read_programs, samples_of_another_block)
{
    EXPECT_NE(fault_after([](open_command& c) {
                  if (c.what != "gather dY") { return false; }
                  auto gather = isa::gather_command::decode(c.payload.data());
                  gather.list += 2 * sizeof(std::uint32_t); // a block has two samples
                  c.payload = gather.encode();
                  return true;
              }).find("of two blocks"),
              std::string::npos);
}

TEST_F(read_programs, update_by_other_gradients)
{
    EXPECT_NE(fault_after([](open_command& c) {
                  using isa::vector::vector_command;
                  if (c.what != "update the masters") { return false; }
                  auto update = vector_command::decode(c.header.flags, c.payload.data());
                  std::swap(update.a.address, update.b.address);
                  c.payload = update.encode();
                  return true;
              }),
              "");
}

TEST_F(read_programs, master_that_is_not_rounded_again)
{
    EXPECT_NE(fault_after([](open_command& c) {
                  if (c.what != "round the masters") { return false; }
                  c.header = {};
                  c.payload.clear(); // NOP
                  return true;
              }),
              "");
}

// A bit of a value, wherever it is.
TEST_F(read_programs, every_wrong_bit_is_seen)
{
    const auto run = workloads::run_step(m_machine, m_step.plan, m_program, in_numbers(m_step, m_given), rate);
    const auto right = by_name(m_step, run.values);
    for (const char* name : {"Y", "dX", "G1", "master of G2"}) {
        auto wrong = right;
        auto& value = wrong.at(name).back();
        std::uint32_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        bits ^= 0x10000;
        std::memcpy(&value, &bits, sizeof bits);
        EXPECT_NE(fault_of(m_step, m_program, m_given, wrong, rate).find(name), std::string::npos);
        wrong.erase(name);
        EXPECT_EQ(fault_of(m_step, m_program, m_given, wrong, rate), std::string(name) + " is missing");
    }
}

} // namespace
} // namespace tensorloom::test
