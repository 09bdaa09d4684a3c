#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <semaphore.h>
#include <tensorloom/tlm/host_thread.h>

namespace tensorloom::test {

/// A /dev/uio file whose device is a model on a simulated bus: what the kernel does for a driver in user space.
///
/// The driver is the one that users have, in a thread of its own: it opens the path, maps the registers, and accesses
/// them by loads and stores. Two of its system calls are replaced at link time (--wrap): open() of the path returns one
/// end of a socket pair, mmap() of that a page without access rights. The others are the system's. An access to the
/// page traps; the handler asks the simulation for the word, or gives it the stored one, and lets the one instruction
/// pass by the processor's trap flag. Only Linux on x86-64, one object at a time.
///
/// As the kernel does it: an interrupt disables itself and makes the file readable with the number of interrupts so
/// far; writing 1 enables it again.
class fake_uio {
public:
    explicit fake_uio(std::string path);
    ~fake_uio();
    fake_uio(const fake_uio&) = delete;
    fake_uio& operator=(const fake_uio&) = delete;

    /// In a host's program: runs `user` in a thread and serves its driver until it returns. `registers`: address of the
    /// register block on the bus.
    void serve(bus::host_thread& host, std::uint64_t registers, const std::function<void()>& user);

    // From the user's thread.

    void hold_time(bool held) { m_held = held; }            ///< no simulated time passes
    void connect_interrupt(bool yes) { m_connected = yes; } ///< otherwise no interrupt arrives
    void share_line(bool high) { m_shared = high; }         ///< another device on the line interrupts without end
    void send_interrupt();                                  ///< one interrupt of another device on the line
    bool is_closed();                                       ///< the driver has closed the file

    // For the system calls.

    const std::string& path() const { return m_path; }
    int open();
    bool is_open(int file) const { return file == m_user_file; }
    void* map();

private:
    struct access {
        bool is_write;
        std::uint64_t offset;
        std::uint32_t value;
    };

    static void on_fault(int, siginfo_t* info, void* context);
    static void on_step(int, siginfo_t* info, void* context);
    std::uint32_t ask(const access& a);
    bool answer(bus::host_thread& host, std::uint64_t registers);

    std::string m_path;
    int m_user_file = -1;
    std::atomic<int> m_kernel_file{-1};
    std::uint32_t* m_page = nullptr;
    access m_access{};
    sem_t m_asked, m_answered;
    std::atomic<std::int32_t> m_interrupts{0};
    std::atomic<bool> m_held{false}, m_connected{true}, m_shared{false}, m_user_ended{false};
};

} // namespace tensorloom::test
