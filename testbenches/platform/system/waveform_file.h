#pragma once
#include <string>
#include <systemc>
#include <tensorloom/models/base/files/atomic_file.h>

namespace tensorloom::testbench {

/// A waveform at exactly the given path (SystemC would append an ending): in VCD, or in FST (process/fst_file.h). It is
/// complete or absent: without close() no file is left.
class waveform_file {
public:
    explicit waveform_file(const std::string& path);
    ~waveform_file();
    waveform_file(const waveform_file&) = delete;
    waveform_file& operator=(const waveform_file&) = delete;

    sc_core::sc_trace_file& trace() { return *m_file; }

    /// After the simulation. Throws base::input_error when the file cannot be written or converted.
    void close();

private:
    bool m_fst;
    base::atomic_file m_place;
    sc_core::sc_trace_file* m_file = nullptr;
};

} // namespace tensorloom::testbench
