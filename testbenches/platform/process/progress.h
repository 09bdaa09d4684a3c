#pragma once
#include <chrono>
#include <string>

namespace tensorloom::testbench {

/// A line on stderr that shows how far a long run is. Only on a terminal; in a pipe or a file nothing is written.
/// Redrawn at most ten times a second; erased when the object goes.
class progress {
public:
    explicit progress(bool quiet, int file_descriptor = 2);
    ~progress();
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;

    bool active() const { return m_active; }
    void show(double fraction, const std::string& what); ///< fraction 0 to 1: " 42 %  stage II, step 30 of 90"
    void show(const std::string& what);                  ///< where nobody knows the end: "12,345 cycles"
    void erase();

private:
    bool due();
    void put_line(std::string line);

    int m_file;
    bool m_active;
    bool m_shown = false;
    std::chrono::steady_clock::time_point m_next{};
};

} // namespace tensorloom::testbench
