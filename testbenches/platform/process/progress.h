#pragma once
#include <chrono>
#include <string>

namespace tensorloom::testbench {

/// Progress line of a long run on stderr, only on a terminal. It is redrawn at most ten times per second, and erased by
/// the destructor.
class progress {
public:
    explicit progress(bool quiet, int file_descriptor = 2);
    ~progress();
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;

    bool active() const { return m_active; }
    void show(double fraction, const std::string& what); ///< fraction 0 to 1: " 42 %  stage II, step 30 of 90"
    void show(const std::string& what);                  ///< if the end is unknown: "12,345 cycles"
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
