#pragma once
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <systemc>
#include <unistd.h>

namespace tensorloom::test {

/// A bench whose device writes a waveform of `what` to a file that goes with it.
template <class Bench, class What> class traced_bench {
public:
    template <class Config>
    traced_bench(const std::string& name, const Config& config, const What& what, typename Bench::program_type program)
        : m_path((std::filesystem::temp_directory_path() / (name + std::to_string(::getpid()))).string()),
          m_file(sc_core::sc_create_vcd_trace_file(m_path.c_str())), m_bench(name, config, std::move(program))
    {
        m_file->set_time_unit(1, sc_core::SC_PS);
        m_bench.device().trace(*m_file, what);
    }
    ~traced_bench() { std::filesystem::remove(m_path + ".vcd"); }
    traced_bench(const traced_bench&) = delete;
    traced_bench& operator=(const traced_bench&) = delete;

    bool finished() const { return m_bench.finished(); }

    /// The whole file, and what follows its header; the first call closes it.
    const std::string& text()
    {
        if (m_file != nullptr) {
            sc_core::sc_close_vcd_trace_file(std::exchange(m_file, nullptr));
            std::ifstream file(m_path + ".vcd");
            std::stringstream text;
            text << file.rdbuf();
            m_text = text.str();
        }
        return m_text;
    }
    std::string changes()
    {
        const auto end = text().find("$enddefinitions");
        return end == std::string::npos ? std::string() : text().substr(end);
    }

private:
    std::string m_path;
    sc_core::sc_trace_file* m_file;
    std::string m_text;
    Bench m_bench;
};

} // namespace tensorloom::test
