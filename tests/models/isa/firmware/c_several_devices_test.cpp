// Firmware that drives all devices: one interrupt line for three of them, and a program of the assembler in two memory
// maps. Both examples stand on pages.
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>
#include <gmock/gmock.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/fetta/device.h>
#include <tensorloom/models/memory/sram.h>
#include <tensorloom/models/mmv/device.h>
#include <tensorloom/models/triada/device.h>
#include <tensorloom/tlm/host_thread.h>
#include <tensorloom/tlm/router.h>
#include "models/isa/firmware/host_port_for_c.h"
#include "support/sim_test.h"

// interrupt_example.c and bound_example.c, and what their board has.
extern "C" {
void device_interrupt(void);
tl_status run_three_products(const tl_port* port, const uint64_t registers[3], const uint64_t data[3],
                             uint64_t programs, uint32_t n);
tl_status run_product(tl_device* fetta, void* bytes, size_t size, uint64_t program_at, uint64_t a, uint64_t b,
                      uint64_t c, tl_result* result);
void sleep_until_interrupt(void);
void mask_interrupts(void);
void unmask_interrupts(void);
}

namespace {

/// The processor's interrupt, whose handler runs where the board lets it.
struct interrupted_processor {
    tensorloom::bus::host_thread& cpu;
    bool masked = false;
    bool handled = false; // since the last sleep
    unsigned handlers = 0;

    bool take(std::uint64_t within_ns)
    {
        EXPECT_FALSE(masked);
        if (!cpu.wait_interrupt(within_ns)) { return false; }
        device_interrupt();
        EXPECT_FALSE(cpu.wait_interrupt(1)); // the handler has cleared all that was pending
        ++handlers;
        handled = true;
        return true;
    }
};

interrupted_processor* processor = nullptr;

} // namespace

void sleep_until_interrupt(void)
{
    EXPECT_TRUE(processor->handled || processor->take(1'000'000));
    processor->handled = false;
}
void mask_interrupts(void) { processor->masked = true; }
void unmask_interrupts(void)
{
    processor->masked = false;
    processor->take(1);
}

namespace tensorloom::test {
namespace {

constexpr std::uint64_t memory_at = 0x8000'0000;
constexpr std::uint64_t registers_at[3] = {0x4000'0000, 0x4000'1000, 0x4000'2000};

/// High while one of its inputs is.
struct shared_line : sc_core::sc_module {
    sc_core::sc_in<bool> in[3];
    sc_core::sc_out<bool> out;

    explicit shared_line(sc_core::sc_module_name name) : sc_core::sc_module(name)
    {
        SC_METHOD(join);
        for (auto& i : in) { sensitive << i; }
    }
    SC_HAS_PROCESS(shared_line);

private:
    void join() { out.write(in[0].read() || in[1].read() || in[2].read()); }
};

/// A host, a memory and one device of each kind on a bus.
struct three_devices {
    bus::host_thread cpu;
    bus::router<32> router{"router", {}};
    memory::sram<32> memory{"memory", {}};
    triada::device<32> triada{"triada"};
    mmv::device<32> mmv{"mmv", {}};
    fetta::device<32> fetta{"fetta", {}};
    sc_core::sc_signal<bool> interrupts[3];
    sc_core::sc_signal<bool> interrupt;
    shared_line line{"line"};

    explicit three_devices(bus::host_thread::program_type program) : cpu("cpu", std::move(program))
    {
        cpu.bus.bind(router.in);
        add(triada, 0);
        add(mmv, 1);
        add(fetta, 2);
        router.out.bind(memory.in);
        router.map(memory_at, memory_at + 0xf'ffff, 3);
        line.out.bind(interrupt);
        cpu.irq.bind(interrupt);
    }

private:
    template <class Device> void add(Device& device, unsigned number)
    {
        device.dma.bind(router.in);
        router.out.bind(device.regs);
        router.map(registers_at[number], registers_at[number] + 0xfff, number);
        device.irq.bind(interrupts[number]);
        line.in[number].bind(interrupts[number]);
    }
};

template <class T> void put(bus::host_thread& cpu, std::uint64_t at, const std::vector<T>& values)
{
    cpu.write_block(at, values.data(), values.size() * sizeof(T));
}

template <class T> std::vector<T> get(bus::host_thread& cpu, std::uint64_t at, std::size_t count)
{
    std::vector<T> values(count);
    cpu.read_block(at, values.data(), count * sizeof(T));
    return values;
}

// Small integers: exact in every format.
int element(unsigned i, unsigned salt) { return static_cast<int>((7 * i + 5 * salt + i * i) % 9) - 4; }

std::vector<std::uint16_t> in_bf16(const std::vector<int>& values)
{
    std::vector<std::uint16_t> bits;
    for (const int v : values) {
        const auto wide = static_cast<float>(v);
        std::uint32_t word = 0;
        std::memcpy(&word, &wide, sizeof word);
        bits.push_back(static_cast<std::uint16_t>(word >> 16));
    }
    return bits;
}

class firmware_of_several_devices : public sim_test {
protected:
    static void run(bus::host_thread::program_type program)
    {
        three_devices platform(std::move(program));
        sc_core::sc_start();
        EXPECT_TRUE(platform.cpu.finished());
    }
};

TEST_F(firmware_of_several_devices, one_line_tells_of_all_of_them)
{
    constexpr std::uint32_t n = 5;
    std::vector<int> operands, expected(n * n);
    for (unsigned i = 0; i < 2 * n * n; ++i) { operands.push_back(element(i, 1)); }
    for (unsigned i = 0; i < n * n; ++i) {
        for (unsigned k = 0; k < n; ++k) { expected[i] += operands[i / n * n + k] * operands[n * n + k * n + i % n]; }
    }
    run([&](bus::host_thread& cpu) {
        const auto port = port_for_c(cpu);
        interrupted_processor own{cpu};
        processor = &own;
        const std::uint64_t data[3] = {memory_at + 0x4000, memory_at + 0x8000, memory_at + 0xc000};
        put(cpu, data[0], std::vector<double>(operands.begin(), operands.end()));
        put(cpu, data[1], std::vector<std::int64_t>(operands.begin(), operands.end()));
        put(cpu, data[2], in_bf16(operands));
        for (int turn = 0; turn < 2; ++turn) {
            EXPECT_EQ(run_three_products(&port, registers_at, data, memory_at + 0x100, n), tl_ok);
            const std::size_t at = 2 * n * n;
            EXPECT_EQ(get<double>(cpu, data[0] + 8 * at, n * n), std::vector<double>(expected.begin(), expected.end()));
            EXPECT_EQ(get<std::int64_t>(cpu, data[1] + 8 * at, n * n),
                      std::vector<std::int64_t>(expected.begin(), expected.end()));
            EXPECT_EQ(get<float>(cpu, data[2] + 2 * at, n * n), std::vector<float>(expected.begin(), expected.end()));
            EXPECT_GE(own.handlers, 1u);
            EXPECT_LE(own.handlers, 3u);
            own.handlers = 0;
        }
        // One that fails: its status, once the others are done.
        const std::uint64_t wrong[3] = {data[0], 0x1'0000'0000, data[2]};
        EXPECT_EQ(run_three_products(&port, registers_at, wrong, memory_at + 0x100, n), tl_program_error);
        EXPECT_EQ(run_three_products(&port, registers_at, data, memory_at + 0x100, n), tl_ok);
    });
}

/// LOAD or STORE of words that are dense in memory and in the device.
tl_transfer transfer_of(std::uint64_t address, std::uint8_t type, std::uint32_t words, std::uint64_t local)
{
    tl_transfer t{};
    EXPECT_EQ(tl_dense_tensor(&t.tensor, address, type, 1, &words), tl_ok);
    t.local = local;
    return t;
}

tl_status run_program(bus::host_thread& cpu, unsigned device_number, std::uint32_t id,
                      const std::function<void(tl_program&, const tl_device&)>& build)
{
    const auto port = port_for_c(cpu);
    tl_device device;
    EXPECT_EQ(tl_probe(&device, &port, registers_at[device_number], id), tl_ok);
    std::vector<std::uint8_t> bytes(2048);
    tl_program program;
    tl_program_begin(&program, bytes.data(), bytes.size());
    build(program, device);
    std::size_t used = 0;
    EXPECT_EQ(tl_program_end(&program, &used), tl_ok);
    return tl_run(&device, bytes.data(), used, memory_at, 1'000'000, nullptr);
}

TEST_F(firmware_of_several_devices, vector_and_scalar_units_run_what_is_built_in_c)
{
    constexpr std::uint32_t n = 6;
    constexpr std::uint64_t data = memory_at + 0x1000, result = memory_at + 0x2000;
    run([&](bus::host_thread& cpu) {
        put(cpu, data, std::vector<std::int64_t>{1, 2, 3, 4, 5, 6});
        const auto doubled_backwards = [&](tl_program& program, const tl_device&) {
            const auto in = transfer_of(data, TL_TYPE_INT64, n, 0), out = transfer_of(result, TL_TYPE_INT64, n, 0x200);
            tl_vector sum{};
            sum.result.address = 0x100;
            sum.length = n;
            tl_strided move{};
            move.result.address = 0x200;
            move.result.stride[2] = 1;
            move.a.address = 0x100 + 8 * (n - 1);
            move.a.stride[2] = -1;
            move.size[0] = move.size[1] = 1;
            move.size[2] = n;
            tl_program_load(&program, &in, 0);
            tl_program_signal(&program, 3, 0);
            tl_program_wait(&program, 3, 0);
            tl_program_vector(&program, TL_MMV_OPCODE_ADD, &sum, 0);
            tl_program_strided(&program, TL_MMV_OPCODE_MOVE, &move, 0);
            tl_program_store(&program, &out, 0);
        };
        EXPECT_EQ(run_program(cpu, 1, TL_MMV_ID, doubled_backwards), tl_ok);
        EXPECT_EQ(get<std::int64_t>(cpu, result, n), (std::vector<std::int64_t>{12, 10, 8, 6, 4, 2}));

        put(cpu, data, std::vector<float>{-1, 2, -3, 4, 0.5f, -0.25f});
        const auto squares = [&](tl_program& program, const tl_device& device) {
            const std::uint64_t window = std::uint64_t{device.size[0] & 0xff} * device.size[1]; // of float32
            const auto in = transfer_of(data, TL_TYPE_F32, n, window),
                       out = transfer_of(result, TL_TYPE_F32, n, window + 0x400);
            tl_vector square{};
            square.result.address = 0x400;
            square.length = n;
            tl_program_load(&program, &in, 0);
            tl_program_vector(&program, TL_FETTA_OPCODE_MUL, &square, 0);
            tl_program_store(&program, &out, 0);
        };
        EXPECT_EQ(run_program(cpu, 2, TL_FETTA_ID, squares), tl_ok);
        EXPECT_EQ(get<float>(cpu, result, n), (std::vector<float>{1, 4, 9, 16, 0.25f, 0.0625f}));
    });
}

std::string text_of(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file) << path;
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(firmware_of_several_devices, one_assembled_program_serves_every_memory_map)
{
    const std::string assembled = text_of(PRODUCT_PROGRAM);
    std::vector<int> a(2 * 6 * 2 * 4), b(2 * 4 * 2 * 5);
    for (unsigned i = 0; i < a.size(); ++i) { a[i] = element(i, 2); }
    for (unsigned i = 0; i < b.size(); ++i) { b[i] = element(i, 3); }
    std::vector<float> expected;
    for (unsigned batch = 0; batch < 2; ++batch) {
        for (unsigned i = 0; i < 6; ++i) {
            for (unsigned k = 0; k < 5; ++k) {
                int sum = 0;
                for (unsigned r = 0; r < 2; ++r) {
                    for (unsigned s = 0; s < 4; ++s) {
                        sum += a[((batch * 6 + i) * 2 + r) * 4 + s] * b[((batch * 4 + s) * 2 + r) * 5 + k];
                    }
                }
                expected.push_back(static_cast<float>(sum));
            }
        }
    }
    run([&](bus::host_thread& cpu) {
        const auto port = port_for_c(cpu);
        tl_device device;
        ASSERT_EQ(tl_probe(&device, &port, registers_at[2], TL_FETTA_ID), tl_ok);
        std::string bytes = assembled; // bound again and again
        for (const std::uint64_t data : {memory_at + 0x4000, memory_at + 0xa'0040}) {
            const std::uint64_t c_at = data, a_at = data + 0x400, b_at = data + 0x1000;
            put(cpu, a_at, in_bf16(a));
            put(cpu, b_at, in_bf16(b));
            tl_result result{};
            EXPECT_EQ(run_product(&device, bytes.data(), bytes.size(), data + 0x2000, a_at, b_at, c_at, &result),
                      tl_ok);
            EXPECT_EQ(result.commands_done, 4u);
            EXPECT_EQ(get<float>(cpu, c_at, expected.size()), expected);
        }
        EXPECT_EQ(run_product(&device, bytes.data(), bytes.size() - 1, memory_at, 0, 0, 0, nullptr), tl_bad_argument);
    });
}

TEST(firmware_examples, stand_on_their_pages)
{
    const std::string folder = TENSORLOOM_ROOT "/tests/models/isa/firmware/";
    const std::string page = text_of(TENSORLOOM_ROOT "/docs/firmware.md");
    for (const char* example : {"interrupt_example.c", "bound_example.c"}) {
        EXPECT_THAT(page, testing::HasSubstr("```c\n" + text_of(folder + example) + "```\n")) << example;
    }
    const std::string assembler_page = text_of(TENSORLOOM_ROOT "/docs/assembler.md");
    EXPECT_THAT(assembler_page, testing::HasSubstr("```asm\n" + text_of(folder + "product.asm") + "```\n"));
    EXPECT_THAT(assembler_page, testing::HasSubstr("```text\n" + text_of(PRODUCT_PROGRAM ".rel") + "```\n"));
}

} // namespace
} // namespace tensorloom::test
