// The program virtual_platform: runs the firmware, or measures the speed of the platform.
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>
#include <boost/program_options.hpp>
#include <systemc>
#include <tlm>
#include "platform.h"
#include "speed.h"

namespace {

using namespace tensorloom::virtual_platform;
namespace po = boost::program_options;

constexpr int wrong_use = 2, internal_failure = 3;

// SystemC's main() prints its banner before it calls sc_main().
[[maybe_unused]] const int banner_off = setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);

std::vector<unsigned char> bytes_of(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file) { throw po::error("--firmware is '" + path + "', expected a file that can be read"); }
    std::vector<unsigned char> bytes{std::istreambuf_iterator<char>(file), {}};
    if (bytes.empty() || bytes.size() > ram_bytes) {
        throw po::error("--firmware has " + std::to_string(bytes.size()) + " bytes, expected 1 to " +
                        std::to_string(ram_bytes));
    }
    return bytes;
}

int run(const po::variables_map& options)
{
    const auto firmware = bytes_of(options["firmware"].as<std::string>());
    const auto rounds = options["rounds"].as<unsigned>();
    if (rounds == 0) { throw po::error("--rounds is 0, expected at least 1"); }
    if (options.count("speed") != 0) {
        measure_speed(firmware, rounds);
        return 0;
    }
    platform_config config;
    config.burst_bytes = options["burst"].as<unsigned>();
    config.devices = options.count("without-devices") == 0;
    tensorloom::bus::dma_config dma;
    dma.burst_bytes = config.burst_bytes;
    if (const auto wrong = validate(dma)) { throw po::error("--burst: " + *wrong); }
    const sc_core::sc_time quantum(options["quantum"].as<unsigned>(), sc_core::SC_NS);
    const auto end = run_platform(config, quantum, firmware, std::cout);
    if (!end.exit_status) { throw std::runtime_error("the firmware has not ended after 1 s of simulated time"); }
    std::cout.flush();
    return *end.exit_status == 0 ? 0 : 1;
}

} // namespace

int sc_main(int argc, char** argv)
{
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING); // that the simulation stopped
    po::options_description known(
        "Usage: virtual_platform [OPTION]..\n\n"
        "Runs RISC-V firmware on a platform with the four accelerators, or measures its speed.\n"
        "Exit status: 0 the firmware ended with 0; 1 with another status; 2 wrong use; 3 an\n"
        "internal failure, or the firmware did not end.\n\nOptions");
    known.add_options()("firmware", po::value<std::string>()->default_value(VIRTUAL_PLATFORM_FIRMWARE, "the example's"),
                        "flat image of the RAM, started at its first byte");
    known.add_options()("quantum", po::value<unsigned>()->default_value(10000), "global quantum in ns");
    known.add_options()("burst", po::value<unsigned>()->default_value(4096), "largest transfer of a DMA in bytes");
    known.add_options()("without-devices", "a platform without the accelerators");
    known.add_options()("speed", "print simulated instructions per second: without devices, idle, busy");
    known.add_options()("rounds", po::value<unsigned>()->default_value(15), "with --speed: runs of each row");
    known.add_options()("help", "print this text and stop");
    try {
        const auto style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
        po::variables_map options;
        po::store(po::command_line_parser(argc, argv).options(known).positional({}).style(style).run(), options);
        po::notify(options);
        if (options.count("help") != 0) {
            std::cout << known;
            return 0;
        }
        return run(options);
    } catch (const po::error& wrong) {
        std::cerr << "virtual_platform: " << wrong.what() << " (see --help)\n";
        return wrong_use;
    } catch (const sc_core::sc_report& failure) {
        std::cout.flush();
        std::cerr << "virtual_platform: " << failure.get_msg_type() << ": " << failure.get_msg() << '\n';
        return internal_failure;
    } catch (const std::exception& failure) {
        std::cout.flush();
        std::cerr << "virtual_platform: " << failure.what() << '\n';
        return internal_failure;
    }
}
