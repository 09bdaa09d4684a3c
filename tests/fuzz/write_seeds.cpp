// Writes the generated inputs: programs for every fuzzed device and variant, each with a kind of command that no
// earlier one has, and programs that fail. The target `device` gets them as bytes. The target `asm` gets those of a
// device's first variant as text and as bytes.
//
// Usage: fuzz_write_seeds FOLDER     writes FOLDER/device and FOLDER/asm
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <systemc>
#include <tensorloom/models/isa/export/assembler.h>
#include <tensorloom/models/isa/program/shell_commands.h>
#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include <tensorloom/models/base/values/input_error.h>
#include "fuzz/device_input.h"
#include "fuzz/fuzzed_device.h"

using namespace tensorloom;
using namespace tensorloom::test;

namespace {

using bytes_type = std::vector<std::uint8_t>;

class seed_writer final : public seed_sink {
public:
    seed_writer(std::filesystem::path folder, const fuzzed_device& device)
        : m_folder(std::move(folder)), m_device(device), m_first(device.variants().front())
    {}

    void offer(const std::string& variant, const bytes_type& program) override
    {
        std::string name;
        for (const auto& c : isa::program_commands(program)) {
            const auto* const what = isa::find_command(m_device.description(), c.header.opcode);
            if (what == nullptr) { return; }
            if (m_seen.insert({variant, c.header.opcode, m_device.kind_of(c)}).second) { name = what->opcode.name; }
        }
        if (!name.empty()) { write(variant, name, program); }
    }
    void add(const std::string& variant, const std::string& name, const bytes_type& program) override
    {
        write(variant, name, program);
    }

private:
    void write(const std::string& variant, const std::string& what, const bytes_type& program)
    {
        std::string name = m_device.name() + "_" + variant + "_" + what;
        const unsigned number = m_names[name]++;
        name += number == 0 ? "" : "_" + std::to_string(number);
        write_file(m_folder / "device" / name, {m_device.name(), variant, program});
        if (variant != m_first) { return; }
        if (number == 0) { write_file(m_folder / "asm" / (name + "_bytes"), {m_device.name(), "bytes", program}); }
        try {
            const auto text = isa::disassemble(program, name, m_device.description());
            write_file(m_folder / "asm" / (name + "_text"), {m_device.name(), "text", {text.begin(), text.end()}});
        } catch (const base::input_error&) { // a malformed program has no text
        }
    }
    static void write_file(const std::filesystem::path& path, const device_input& input)
    {
        std::filesystem::create_directories(path.parent_path());
        const auto bytes = input.encode();
        std::ofstream file(path, std::ios::binary);
        file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        file.close();
        if (!file) { throw std::runtime_error(path.string() + ": cannot be written"); }
    }

    std::filesystem::path m_folder;
    const fuzzed_device& m_device;
    std::string m_first;                                               // variant
    std::set<std::tuple<std::string, unsigned, std::uint64_t>> m_seen; // variant, opcode, kind
    std::map<std::string, unsigned> m_names;
};

/// The commands of the shell, which random programs do not have in full.
void offer_control(seed_sink& seeds, const std::string& variant)
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
    seeds.offer(variant, program.bytes());

    isa::transfer_command words; // refused by a device without memory of its own
    words.tensor = isa::dense_descriptor(seed_data_at, base::element_type::f64, {4});
    isa::program_builder transfers;
    transfers.add(isa::opcode::load, 0, 0, words.encode()).add(isa::opcode::store, 0, 0, words.encode());
    isa::gather_command slices;
    slices.tensor = isa::dense_descriptor(seed_data_at, base::element_type::f32, {2, 3});
    slices.local = 64;
    transfers.add(isa::opcode::gather, 0, 0, slices.encode());
    seeds.offer(variant, transfers.bytes());
}

} // namespace

// SystemC's library asks for one.
int sc_main(int, char*[]) { return 0; }

int main(int argc, char* argv[])
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: fuzz_write_seeds FOLDER\n");
        return 2;
    }
    try {
        for (const auto* device : fuzzed_devices()) {
            seed_writer seeds(argv[1], *device);
            offer_control(seeds, device->variants().front());
            device->offer_seeds(seeds);
        }
    } catch (const std::runtime_error& error) {
        std::fprintf(stderr, "fuzz_write_seeds: %s\n", error.what());
        return 2;
    }
    return 0;
}
