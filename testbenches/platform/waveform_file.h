#pragma once
#include <string>
#include <systemc>

namespace tensorloom::testbench {

/// A VCD file at exactly the path given (SystemC would append its own ending): written under another name beside it and renamed by
/// close(). Without close() nothing is left behind.
class waveform_file {
public:
    explicit waveform_file(const std::string& path);
    ~waveform_file();
    waveform_file(const waveform_file&) = delete;
    waveform_file& operator=(const waveform_file&) = delete;

    sc_core::sc_trace_file& trace() { return *m_file; }

    /// After the simulation. Throws arch::input_error when the file cannot be written.
    void close();

private:
    std::string m_path;
    std::string m_temporary;  // as SystemC calls it
    sc_core::sc_trace_file* m_file = nullptr;
};

} // namespace tensorloom::testbench
