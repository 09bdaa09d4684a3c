#include "platform/system/waveform_file.h"
#include <fstream>
#include "platform/process/fst_file.h"

namespace tensorloom::testbench {
namespace {

const std::string ending = ".vcd"; // SystemC appends it

} // namespace

waveform_file::waveform_file(const std::string& path) : m_fst(is_fst(path)), m_place(path, ending)
{
    const std::string& temporary = m_place.temporary();
    m_file = sc_core::sc_create_vcd_trace_file(temporary.substr(0, temporary.size() - ending.size()).c_str());
    m_file->set_time_unit(1, sc_core::SC_PS);
}

waveform_file::~waveform_file()
{
    if (m_file != nullptr) { sc_core::sc_close_vcd_trace_file(m_file); }
}

void waveform_file::close()
{
    sc_core::sc_close_vcd_trace_file(m_file);
    m_file = nullptr;
    // SystemC does not notice a full disk; a line more does.
    if (!(std::ofstream(m_place.temporary(), std::ios::app) << "$comment end $end" << std::endl)) {
        m_place.fail("no room for the waveform");
    }
    if (m_fst && !convert_to_fst(m_place.temporary())) { m_place.fail("the converter to FST failed"); }
    m_place.commit();
}

} // namespace tensorloom::testbench
