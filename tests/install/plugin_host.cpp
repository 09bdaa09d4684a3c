// A platform that knows nothing of TensorLoom at build time but tensorloom_plugin.h: it loads the plug-in, makes an
// MMU/VCU pair and a memory by kind and name, binds them by TLM-2.0 alone, and runs a program on the device.
//
//     plugin_host PLUGIN PROGRAM   prints the prefix sums of 4 rows of 16 words
//     plugin_host PLUGIN --try KIND NAME PROPERTIES ...   makes each of these; prints the reason or "made"
//     plugin_host PLUGIN --fields KIND
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>
#include <dlfcn.h>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tensorloom/models/plugin/tensorloom_plugin.h>

namespace {

using bytes = std::vector<unsigned char>;

const tensorloom_plugin& load(const char* path)
{
    void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) { throw std::runtime_error(dlerror()); }
    const auto entry = reinterpret_cast<tensorloom_plugin_entry_function>(dlsym(library, "tensorloom_plugin_entry"));
    if (entry == nullptr) { throw std::runtime_error(dlerror()); }
    const tensorloom_plugin& plugin = *entry();
    if (plugin.interface_version != tensorloom_plugin_interface) { throw std::runtime_error("another interface"); }
    if (std::strcmp(plugin.systemc, SC_VERSION) != 0) { throw std::runtime_error("another SystemC"); }
    return plugin;
}

// Before SystemC's main() starts.
[[maybe_unused]] const int banner_off = setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);

template <class Object> Object& object(const std::string& name)
{
    auto* const found = dynamic_cast<Object*>(sc_core::sc_find_object(name.c_str()));
    if (found == nullptr) { throw std::runtime_error("no such object: " + name); }
    return *found;
}

struct board : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<board> cpu{"cpu"};
    sc_core::sc_signal<bool> irq{"irq"};
    bytes program;
    void* device = nullptr;

    board(sc_core::sc_module_name name, const tensorloom_plugin& plugin, bytes program_bytes)
        : sc_module(name), program(std::move(program_bytes))
    {
        device = make(plugin, "mmv", "sums", "lanes=32 burst-bytes=256");
        make(plugin, "sram", "memory", "bytes=65536");
        cpu.bind(object<tlm::tlm_base_target_socket<32>>("board.sums.regs"));
        object<tlm::tlm_base_initiator_socket<32>>("board.sums.dma").bind(memory());
        object<sc_core::sc_out<bool>>("board.sums.irq").bind(irq);
        SC_HAS_PROCESS(board);
        SC_THREAD(run);
    }

    static tlm::tlm_base_target_socket<32>& memory()
    {
        return object<tlm::tlm_base_target_socket<32>>("board.memory.in");
    }
    static void* make(const tensorloom_plugin& plugin, const char* kind, const char* name, const char* properties)
    {
        char error[256];
        void* const module = plugin.create(kind, name, properties, error, sizeof error);
        if (module == nullptr) { throw std::runtime_error(error); }
        return module;
    }

    static void access(tlm::tlm_command command, std::uint64_t address, void* data, std::size_t length)
    {
        tlm::tlm_generic_payload transaction;
        transaction.set_command(command);
        transaction.set_address(address);
        transaction.set_data_ptr(static_cast<unsigned char*>(data));
        transaction.set_data_length(static_cast<unsigned>(length));
        transaction.set_streaming_width(static_cast<unsigned>(length));
        if (memory().get_base_export()->transport_dbg(transaction) != length) { throw std::runtime_error("memory"); }
    }
    void write_register(std::uint64_t offset, std::uint32_t value)
    {
        tlm::tlm_generic_payload transaction;
        sc_core::sc_time delay;
        transaction.set_command(tlm::TLM_WRITE_COMMAND);
        transaction.set_address(offset);
        transaction.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
        transaction.set_data_length(4);
        transaction.set_streaming_width(4);
        cpu->b_transport(transaction, delay);
        if (!transaction.is_response_ok()) { throw std::runtime_error(transaction.get_response_string()); }
        wait(delay);
    }

    void run()
    {
        std::vector<std::int64_t> rows(64), ones(256), sums(64);
        for (std::size_t i = 0; i < rows.size(); ++i) { rows[i] = static_cast<std::int64_t>(i * i); }
        for (std::size_t i = 0; i < ones.size(); ++i) { ones[i] = i / 16 <= i % 16; } // upper triangle
        access(tlm::TLM_WRITE_COMMAND, 0x1000, rows.data(), 8 * rows.size());
        access(tlm::TLM_WRITE_COMMAND, 0x2000, ones.data(), 8 * ones.size());
        access(tlm::TLM_WRITE_COMMAND, 0x8000, program.data(), program.size());
        write_register(0x02c, 3);      // IRQ_ENABLE: DONE and ERROR
        write_register(0x030, 0x8000); // PROGRAM_ADDR
        write_register(0x020, 1);      // CTRL: START
        wait(irq.posedge_event());
        access(tlm::TLM_READ_COMMAND, 0x4000, sums.data(), 8 * sums.size());
        for (const auto sum : sums) { std::printf("%lld ", static_cast<long long>(sum)); }
        std::printf("\n");
    }
};

int simulate(int argc, char** argv)
{
    const tensorloom_plugin& plugin = load(argv[1]);
    const std::string mode = argc > 2 ? argv[2] : "";
    if (mode == "--fields") {
        const char* const text = plugin.fields(argv[3]);
        std::printf("%s", text == nullptr ? "no such kind\n" : text);
        return 0;
    }
    if (mode == "--try") {
        for (int i = 3; i + 2 < argc; i += 3) {
            char error[400] = "";
            void* const module = plugin.create(argv[i], argv[i + 1], argv[i + 2], error, sizeof error);
            std::printf("%s\n", module == nullptr ? error : "made");
        }
        return 0;
    }
    std::ifstream file(mode, std::ios::binary);
    board platform("board", plugin, bytes(std::istreambuf_iterator<char>(file), {}));
    plugin.destroy(platform.device); // without effect before the simulation
    sc_core::sc_start();
    plugin.destroy(platform.device);
    if (sc_core::sc_find_object("board.sums") != nullptr) { throw std::runtime_error("board.sums is still there"); }
    return 0;
}

} // namespace

int sc_main(int argc, char** argv)
{
    try {
        return simulate(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "plugin_host: %s\n", error.what());
        return 2;
    }
}
