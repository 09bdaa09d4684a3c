// The C driver and a real device on a real bus: the same bits, cycles and counters as by the C++ driver; and the
// example of the page.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>
#include <gmock/gmock.h>
#include "models/isa/firmware/cube_example.h"
#include "models/isa/firmware/gemt_for_c.h"
#include "models/isa/firmware/host_port_for_c.h"
#include "models/triada/triada_bench.h"
#include "models/triada/random_case.h"
#include "support/sim_test.h"

// firmware_example.c, and what its board has.
extern "C" {
extern const tl_port machine;
int interrupt_is_high(void);
uint64_t now_ns(void);
}

namespace {

std::uint64_t timer = 0;
std::uint64_t interrupt_at = UINT64_MAX;

} // namespace

int interrupt_is_high(void) { return timer >= interrupt_at ? 1 : 0; }
uint64_t now_ns(void) { return timer += 10; }

namespace tensorloom::test {
namespace {

triada::config small_config()
{
    triada::config c;
    c.mesh = {4, 5, 6};
    return c;
}

class c_driver_on_a_platform : public sim_test {
protected:
    /// Runs `program` on a bench of its own, to the end.
    void run(triada_bench::program_type program)
    {
        triada_bench bench("bench", small_config(), std::move(program));
        sc_core::sc_start();
        EXPECT_TRUE(bench.finished());
    }
    static tl_device probed(const tl_port& port)
    {
        tl_device device;
        EXPECT_EQ(tl_probe(&device, &port, testbench::device_base, TL_TRIADA_ID), tl_ok);
        return device;
    }
    static std::vector<std::uint8_t> program_in_c(const std::vector<triada::gemt_command>& commands)
    {
        std::vector<std::uint8_t> bytes(triada::driver::program_bytes(commands.size()));
        tl_program program;
        tl_program_begin(&program, bytes.data(), bytes.size());
        std::uint32_t token = 0;
        for (const auto& command : commands) {
            const auto gemt = gemt_for_c(command);
            tl_program_gemt(&program, &gemt, ++token);
        }
        tl_program_halt(&program, 0);
        std::size_t used = 0;
        EXPECT_EQ(tl_program_end(&program, &used), tl_ok);
        EXPECT_EQ(used, bytes.size());
        return bytes;
    }
};

TEST_F(c_driver_on_a_platform, job_has_the_bits_cycles_and_counters_of_the_cpp_driver)
{
    const auto g = case_maker(7).make<double>({4, 5, 6}, case_maker::specials::zeros);
    gemt_outcome<double> cpp;
    triada_bench first("first", small_config(), [&](triada_bench& b) { cpp = b.run(g); });

    std::vector<double> y(g.volume());
    std::vector<std::uint64_t> window;
    tl_result result{};
    std::uint64_t token_at_completion = 0;
    triada_bench second("second", small_config(), [&](triada_bench& b) {
        const auto command = b.place(g);
        const auto port = port_for_c(b.cpu());
        auto device = probed(port);
        const auto program = program_in_c({command});
        EXPECT_EQ(tl_run(&device, program.data(), program.size(), triada_bench::program_at, triada_bench::timeout_ns,
                         &result),
                  tl_ok);
        EXPECT_EQ(port.read_block(port.context, command.y.base, y.data(), y.size() * sizeof(double)), 0);
        for (std::uint32_t e = 0; e < TL_TRIADA_EVENTS; ++e) {
            window.push_back(0);
            EXPECT_EQ(tl_read_counter(&device, e, &window.back()), tl_ok);
        }
        token_at_completion = result.token;
        EXPECT_EQ(device.caps & TL_CAPS_FORMAT_MASK, TL_TYPE_F64);
        EXPECT_THAT(device.size, testing::ElementsAre(4, 5, 6));
    });
    sc_core::sc_start();
    ASSERT_TRUE(first.finished());
    ASSERT_TRUE(second.finished());

    EXPECT_TRUE(same_bits(y, oracle_result(g)));
    EXPECT_TRUE(same_bits(y, cpp.y));
    EXPECT_EQ(result.cycles, cpp.result.cycles);
    EXPECT_GT(result.cycles, 0u);
    EXPECT_TRUE(std::equal(window.begin(), window.end(), cpp.window.data()));
    EXPECT_EQ(rows_of<triada::counts>(second.log()), cpp.rows);
    EXPECT_EQ(result.commands_done, 2u);
    EXPECT_EQ(token_at_completion, 0u); // of HALT
}

TEST_F(c_driver_on_a_platform, interrupt_that_is_late_is_a_timeout_and_the_program_goes_on)
{
    run([](triada_bench& b) {
        const auto command = b.place(case_maker(7).make<double>({4, 5, 6}, case_maker::specials::none));
        const auto port = port_for_c(b.cpu());
        auto device = probed(port);
        const auto program = program_in_c({command});
        tl_result result;
        EXPECT_EQ(tl_run(&device, program.data(), program.size(), triada_bench::program_at, 10, &result), tl_timeout);
        EXPECT_EQ(result.status, TL_STATUS_BUSY_MASK);
        EXPECT_EQ(tl_start(&device, triada_bench::program_at), tl_busy);
        EXPECT_EQ(tl_finish(&device, triada_bench::timeout_ns, &result), tl_ok);
        EXPECT_EQ(result.status, TL_STATUS_DONE_MASK);
    });
}

TEST_F(c_driver_on_a_platform, refused_program_gives_the_device_s_code_and_command)
{
    run([](triada_bench& b) {
        auto command = b.place(case_maker(7).make<double>({4, 5, 6}, case_maker::specials::none));
        auto wrong = command;
        wrong.flags = 0;
        wrong.initial_y = {};
        wrong.x.size[0] = 1;
        wrong.y.size[0] = (1u << 20) + 1; // an actuator holds 2^20 elements
        wrong.matrix[0] = isa::dense_descriptor(wrong.matrix[0].base, base::element_type::f64, {1, (1u << 20) + 1});
        const auto port = port_for_c(b.cpu());
        auto device = probed(port);
        const auto program = program_in_c({command, wrong});
        tl_result result;
        EXPECT_EQ(tl_run(&device, program.data(), program.size(), triada_bench::program_at, triada_bench::timeout_ns,
                         &result),
                  tl_program_error);
        EXPECT_EQ(result.error, TL_ERROR_CODE_CODE_TOO_LARGE);
        EXPECT_EQ(result.error_command, 1u);
        EXPECT_EQ(result.commands_done, 0u);
        EXPECT_STREQ(tl_error_text(result.error), "problem larger than the device");
    });
}

TEST_F(c_driver_on_a_platform, bus_error_of_the_device_gives_its_address_and_response)
{
    run([](triada_bench& b) {
        auto command = b.place(case_maker(7).make<double>({4, 5, 6}, case_maker::specials::none));
        command.x.base = 0x1'0000'0000;
        const auto port = port_for_c(b.cpu());
        auto device = probed(port);
        const auto program = program_in_c({command});
        tl_result result;
        EXPECT_EQ(tl_run(&device, program.data(), program.size(), triada_bench::program_at, triada_bench::timeout_ns,
                         &result),
                  tl_program_error);
        EXPECT_EQ(result.error, TL_ERROR_CODE_CODE_BUS_ERROR);
        EXPECT_EQ(result.error_address, 0x1'0000'0000u);
        EXPECT_EQ(result.error_response, TL_ERROR_RESPONSE_RESPONSE_ADDRESS_ERROR);
    });
}

TEST_F(c_driver_on_a_platform, bus_error_of_the_host_is_a_status)
{
    run([](triada_bench& b) {
        const auto port = port_for_c(b.cpu());
        tl_device device;
        EXPECT_EQ(tl_probe(&device, &port, 0x1000, TL_TRIADA_ID), tl_bus_error); // nothing is mapped there
        device = probed(port);
        const char program[16] = {};
        EXPECT_EQ(tl_run(&device, program, sizeof program, 0x1000, 1, nullptr), tl_bus_error);
    });
}

TEST_F(c_driver_on_a_platform, memory_in_place_of_a_device_is_no_device)
{
    run([](triada_bench& b) {
        const auto port = port_for_c(b.cpu());
        tl_device device;
        EXPECT_EQ(tl_probe(&device, &port, triada_bench::data_at, TL_TRIADA_ID), tl_no_device);
    });
}

TEST_F(c_driver_on_a_platform, abort_and_reset_end_a_program)
{
    run([](triada_bench& b) {
        const auto g = case_maker(7).make<double>({4, 5, 6}, case_maker::specials::none);
        const auto command = b.place(g);
        const auto port = port_for_c(b.cpu());
        auto device = probed(port);
        const auto program = program_in_c({command});
        ASSERT_EQ(port.write_block(port.context, triada_bench::program_at, program.data(), program.size()), 0);
        tl_result result;
        EXPECT_EQ(tl_start(&device, triada_bench::program_at), tl_ok);
        EXPECT_EQ(tl_abort(&device), tl_ok);
        EXPECT_EQ(tl_finish(&device, triada_bench::timeout_ns, &result), tl_aborted);
        EXPECT_EQ(result.error, TL_ERROR_CODE_CODE_ABORTED);
        EXPECT_EQ(tl_start(&device, triada_bench::program_at), tl_ok);
        EXPECT_EQ(tl_reset(&device, 1000000), tl_ok);
        EXPECT_EQ(b.run(g).result.done, true);
    });
}

TEST_F(c_driver_on_a_platform, example_of_the_page_computes_the_product)
{
    cube_example cube;
    run([&](triada_bench& b) {
        const auto port = port_for_c(b.cpu());
        std::uint64_t cycles = 0;
        EXPECT_EQ(transform_cube(&port, testbench::device_base, triada_bench::data_at, cube.n, cube.x.data(),
                                 cube.matrices().data(), cube.y.data(), &cycles),
                  tl_ok);
        EXPECT_GT(cycles, 3u * 3u * 3u);
        std::vector<double> large(5 * 5 * 5);
        const double* const large_matrices[3] = {large.data(), large.data(), large.data()};
        EXPECT_EQ(transform_cube(&port, testbench::device_base, triada_bench::data_at, 5, large.data(), large_matrices,
                                 large.data(), &cycles),
                  tl_program_error); // the mesh is 4 x 5 x 6
    });
    EXPECT_EQ(cube.y, cube.expected());
}

TEST(firmware_example, machine_moves_words_and_blocks_and_keeps_its_timeout)
{
    std::uint32_t words[4] = {1, 2, 3, 4};
    const auto at = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(words));
    std::uint32_t value = 0;
    EXPECT_EQ(machine.read_word(nullptr, at + 8, &value), 0);
    EXPECT_EQ(value, 3u);
    EXPECT_EQ(machine.write_word(nullptr, at + 4, 0x12345678), 0);
    EXPECT_EQ(words[1], 0x12345678u);
    const std::uint32_t block[2] = {9, 8};
    std::uint32_t copy[2] = {};
    EXPECT_EQ(machine.write_block(nullptr, at + 8, block, sizeof block), 0);
    EXPECT_EQ(machine.read_block(nullptr, at + 8, copy, sizeof copy), 0);
    EXPECT_EQ(copy[0], 9u);
    EXPECT_EQ(copy[1], 8u);
    EXPECT_EQ(machine.fence(nullptr), 0);

    interrupt_at = timer + 500;
    EXPECT_EQ(machine.wait_interrupt(nullptr, 100), tl_port_timeout);
    EXPECT_EQ(machine.wait_interrupt(nullptr, 1000), 0);
    EXPECT_LT(timer, interrupt_at + 20);
}

TEST(firmware_example, stands_on_the_page)
{
    const auto text = [](const std::string& path) {
        std::ifstream file(path);
        EXPECT_TRUE(file) << path;
        return std::string{std::istreambuf_iterator<char>(file), {}};
    };
    EXPECT_THAT(
        text(TENSORLOOM_ROOT "/docs/firmware.md"),
        testing::HasSubstr("```c\n" + text(TENSORLOOM_ROOT "/tests/models/isa/firmware/firmware_example.c") + "```\n"));
}

} // namespace
} // namespace tensorloom::test
