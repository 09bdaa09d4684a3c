#include "platform/fetta/fetta_testbed.h"
#include <utility>

namespace tensorloom::testbench {

template testbed_device<fetta::device_base> make_device<fetta::traits>(const char*, const fetta::config&, unsigned,
                                                                       bus::activity_sink*);

std::uint64_t sram_bytes_for(std::uint64_t data_bytes)
{
    constexpr std::uint64_t page = 4096;
    return session_memory::program_bytes + (data_bytes + page - 1) / page * page;
}

std::unique_ptr<fetta_testbed> make_fetta_testbed(const std::string& name, const fetta_options& options,
                                                  const common_options& common, std::uint64_t sram_bytes,
                                                  activity::log_detail detail, fetta_testbed::program_type program,
                                                  progress* shown, const run_limits& limits)
{
    testbed_settings settings;
    settings.memory_bytes = sram_bytes;
    settings.detail = detail;
    settings.limits = limits;
    settings.shown = shown;
    require_addresses("unified memory", options.config.limits.memory_bytes(), common.platform.memory_bytes(sram_bytes));
    return std::make_unique<fetta_testbed>(name, device_config(options, common), common, settings, std::move(program));
}

} // namespace tensorloom::testbench
