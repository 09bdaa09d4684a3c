#include "platform/waveform_file.h"
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <unistd.h>
#include <tensorloom/models/arch/input_error.h>

namespace tensorloom::testbench {

waveform_file::waveform_file(const std::string& path) : m_path(path)
{
    const std::string name = path + "." + std::to_string(getpid());
    m_temporary = name + ".vcd";
    m_file = sc_core::sc_create_vcd_trace_file(name.c_str());
    m_file->set_time_unit(1, sc_core::SC_PS);
}

waveform_file::~waveform_file()
{
    if (m_file == nullptr) { return; }
    sc_core::sc_close_vcd_trace_file(m_file);
    std::error_code ignored;
    std::filesystem::remove(m_temporary, ignored);
}

void waveform_file::close()
{
    sc_core::sc_close_vcd_trace_file(m_file);
    m_file = nullptr;
    // SystemC does not notice a full disk; a line more does.
    std::error_code error;
    errno = 0;
    if (!(std::ofstream(m_temporary, std::ios::app) << "$comment end $end" << std::endl)) {
        error = std::error_code(errno, std::generic_category());
        if (!error) { error = std::make_error_code(std::errc::io_error); }
    }
    if (!error) { std::filesystem::rename(m_temporary, m_path, error); }
    if (error) {
        std::error_code ignored;
        std::filesystem::remove(m_temporary, ignored);
        throw arch::input_error("--vcd: '" + m_path + "' could not be written: " + error.message());
    }
}

} // namespace tensorloom::testbench
