// Writes the corpora of programs: for every device and variant random programs that it takes, each with a command that
// none before it has; for TriADA products of all kinds. As bytes for the target `device`, and as text for `asm`.
//
// Usage: fuzz_write_seeds CORPORA
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <systemc>
#include <tensorloom/models/isa/export/assembler.h>
#include <tensorloom/models/isa/export/register_export.h>
#include <tensorloom/models/triada/isa/driver.h>
#include <tensorloom/models/isa/vector/limits.h>
#include <tensorloom/models/isa/vector/signature.h>
#include "fuzz/device_input.h"
#include "fuzz/fuzzed_variants.h"
#include "models/fetta/hostile_case.h"
#include "models/mmv/hostile_case.h"

using namespace tensorloom;
using namespace tensorloom::test;

namespace {

class seed_writer {
public:
    explicit seed_writer(std::filesystem::path corpora) : m_corpora(std::move(corpora)) {}

    /// Unless a program before it had all of its commands, on the same variant.
    void offer(const device_input& input)
    {
        const auto& device = *fuzzed_devices()[input.device];
        std::string name;
        for (const auto& c : isa::program_commands(input.program)) {
            const auto* const what = isa::find_command(device, c.header.opcode);
            if (what == nullptr) { return; }
            if (m_seen.insert({input.device, input.variant, c.header.opcode, kind_of(input, c)}).second) {
                name = what->opcode.name;
            }
        }
        if (name.empty()) { return; }
        name = std::string(device.name) + "_" + std::to_string(input.variant) + "_" + name;
        const unsigned number = m_names[name]++;
        name += number == 0 ? "" : "_" + std::to_string(number);
        write(m_corpora / "device" / name, input.encode());
        if (input.variant != 0) { return; }
        const auto which = static_cast<std::uint8_t>(2 * asm_number(device));
        std::vector<std::uint8_t> text{which}, bytes{static_cast<std::uint8_t>(which + 1)};
        const auto disassembled = isa::disassemble(input.program, name, device);
        text.insert(text.end(), disassembled.begin(), disassembled.end());
        bytes.insert(bytes.end(), input.program.begin(), input.program.end());
        write(m_corpora / "asm" / (name + "_text"), text);
        if (number == 0) { write(m_corpora / "asm" / (name + "_bytes"), bytes); }
    }

private:
    static std::size_t asm_number(const isa::device_description& device)
    {
        const auto& all = isa::described_devices();
        return static_cast<std::size_t>(std::find(all.begin(), all.end(), &device) - all.begin());
    }
    // CONTRACTs by their mapping, others by their flags.
    static unsigned kind_of(const device_input& input, const isa::program_command& c)
    {
        const bool contract =
            input.device == 1 && c.header.opcode == static_cast<std::uint8_t>(fetta::opcode::contract);
        return contract ? fetta::contract_command::decode(c.header.flags, c.payload).mapping : c.header.flags;
    }
    static void write(const std::filesystem::path& path, const std::vector<std::uint8_t>& bytes)
    {
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }

    std::filesystem::path m_corpora;
    std::set<std::tuple<unsigned, unsigned, unsigned, unsigned>> m_seen; // device, variant, opcode, kind
    std::map<std::string, unsigned> m_names;
};

template <class Case, class Which>
void offer_programs(seed_writer& seeds, unsigned device, unsigned variant, const Which& which)
{
    const Case c(which, 400);
    for (const auto& program : c.programs) { seeds.offer({device, variant, program}); }
}

/// The commands of the shell, which the makers of random programs leave out in part.
void offer_control(seed_writer& seeds, unsigned device)
{
    isa::program_builder program;
    program.add(isa::opcode::nop)
        .add(isa::opcode::signal, 0, 1, isa::signal_command{3}.encode())
        .add(isa::opcode::loop, 0, 0, isa::loop_command{2}.encode())
        .add(isa::opcode::loop, 0, 0, isa::loop_command{3}.encode())
        .add(isa::opcode::irq, 0, 7)
        .add(isa::opcode::end)
        .add(isa::opcode::end)
        .add(isa::opcode::wait, 0, 0, isa::signal_command{3}.encode())
        .add(isa::opcode::halt);
    seeds.offer({device, 0, program.bytes()});

    isa::transfer_command words; // refused by a device without memory of its own
    words.tensor = isa::dense_descriptor(fuzzed_data_at, base::element_type::f64, {4});
    isa::program_builder transfers;
    transfers.add(isa::opcode::load, 0, 0, words.encode()).add(isa::opcode::store, 0, 0, words.encode());
    isa::gather_command slices;
    slices.tensor = isa::dense_descriptor(fuzzed_data_at, base::element_type::f32, {2, 3});
    slices.local = 64;
    transfers.add(isa::opcode::gather, 0, 0, slices.encode());
    seeds.offer({device, 0, transfers.bytes()});
}

/// An instruction of the vector unit on words of float32, with numbers that it takes.
isa::vector::vector_command vector_operation(isa::vector::opcode code, const isa::vector::limits& limits)
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

/// Every instruction on words of float32: a FETTA executes those, a pair refuses some.
void offer_float32_words(seed_writer& seeds, unsigned device)
{
    const isa::vector::limits limits{base::element_type::f32, 8192, isa::vector::all_functional_blocks};
    isa::transfer_command words;
    words.tensor = isa::dense_descriptor(fuzzed_data_at, base::element_type::f32, {512});
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
        seeds.offer({device, 0, program.bytes()});
    }
}

/// Products in the memory of the target: small numbers of the format, one command each.
void offer_products(seed_writer& seeds, unsigned device)
{
    using triada::gemt_command;
    for (unsigned variant = 0; variant < std::size(triada_variants); ++variant) {
        const auto type = triada_variants[variant];
        const auto sums = base::accumulator_type(type);
        for (std::uint16_t flags = 0; flags < 32; ++flags) {
            if ((flags & gemt_command::flag_keep_matrices) != 0) { continue; } // behind one that does not keep
            gemt_command c;
            c.flags = flags;
            c.stage_mask = static_cast<std::uint8_t>(1 + flags % 7);
            const bool tiled = flags % 3 == 0;
            const std::vector<std::uint32_t> shape =
                tiled ? std::vector<std::uint32_t>{5, 4, 3} : std::vector<std::uint32_t>{3, 2, 2};
            std::vector<std::uint32_t> out = shape;
            std::uint64_t at = fuzzed_data_at + 0x400;
            const auto place = [&](base::element_type t, const std::vector<std::uint32_t>& size) {
                const auto descriptor = isa::dense_descriptor(at, t, size);
                at += (descriptor.elements() * base::element_bytes(t) + 15) / 16 * 16;
                return descriptor;
            };
            for (unsigned m = 0; m < 3; ++m) {
                if (!c.sums(m)) { continue; }
                out[m] = shape[m] - m % 2;
                c.matrix[m] = place(type, {shape[m], out[m]});
                if (!tiled) { c.row_order_address[m] = fuzzed_data_at; }
            }
            c.x = place(type, shape);
            if (c.accumulate()) { c.initial_y = place(sums, out); }
            c.y = place(flags % 2 == 0 ? type : sums, out);
            if (c.completion()) { c.completion_address = fuzzed_data_at + 0x200; }
            c.workspace = place(type, {1024});
            std::vector<gemt_command> commands{c};
            if (flags % 5 == 0) {
                auto again = c;
                again.flags |= gemt_command::flag_keep_matrices;
                again.matrix = {};
                again.row_order_address = {};
                commands.push_back(again);
            }
            seeds.offer({device, variant, triada::driver::program(commands)});
        }
    }
}

} // namespace

// SystemC's library asks for one.
int sc_main(int, char*[]) { return 0; }

int main(int argc, char* argv[])
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: fuzz_write_seeds CORPORA\n");
        return 2;
    }
    seed_writer seeds(argv[1]);
    for (unsigned device = 0; device < fuzzed_devices().size(); ++device) { offer_control(seeds, device); }
    const auto mmv = mmv_variants();
    for (unsigned v = 0; v < mmv.size(); ++v) { offer_programs<hostile_mmv_case>(seeds, 0, v, mmv[v]); }
    const auto fetta = fetta_variants();
    for (unsigned v = 0; v < fetta.size(); ++v) { offer_programs<hostile_fetta_case>(seeds, 1, v, fetta[v]); }
    for (unsigned device = 0; device < 2; ++device) { offer_float32_words(seeds, device); }
    offer_products(seeds, 2);
    return 0;
}
