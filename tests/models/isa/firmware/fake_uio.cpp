#include "models/isa/firmware/fake_uio.h"
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <ucontext.h>
#include <unistd.h>

namespace tensorloom::test {
namespace {

constexpr std::size_t uio_page_bytes = 4096;
constexpr greg_t write_fault = 2;   // in the error code of a page fault
constexpr greg_t trap_flag = 0x100; // a trap after the next instruction

fake_uio* present = nullptr;

void handle(int signal, void (*handler)(int, siginfo_t*, void*))
{
    struct sigaction action {};
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = handler;
    sigaction(signal, &action, nullptr);
}

} // namespace

fake_uio::fake_uio(std::string path) : m_path(std::move(path))
{
    sem_init(&m_asked, 0, 0);
    sem_init(&m_answered, 0, 0);
    present = this;
    handle(SIGSEGV, on_fault);
    handle(SIGTRAP, on_step);
}

fake_uio::~fake_uio()
{
    signal(SIGSEGV, SIG_DFL);
    signal(SIGTRAP, SIG_DFL);
    present = nullptr;
    if (m_kernel_file >= 0) { close(m_kernel_file); }
    sem_destroy(&m_asked);
    sem_destroy(&m_answered);
}

int fake_uio::open()
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0) { return -1; }
    m_user_file = ends[0];
    m_kernel_file = ends[1];
    return m_user_file;
}

void* fake_uio::map()
{
    void* page = mmap(nullptr, uio_page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    m_page = static_cast<std::uint32_t*>(page);
    return page;
}

void fake_uio::send_interrupt()
{
    const std::int32_t count = ++m_interrupts;
    if (write(m_kernel_file, &count, sizeof count) != sizeof count) { throw std::runtime_error("no driver"); }
}

bool fake_uio::is_closed()
{
    char byte;
    return recv(m_kernel_file, &byte, sizeof byte, MSG_DONTWAIT | MSG_PEEK) == 0;
}

// ---- the driver's thread ----

// A handler may wait: it runs because of an access of its own thread.
std::uint32_t fake_uio::ask(const access& a)
{
    m_access = a;
    sem_post(&m_asked);
    while (sem_wait(&m_answered) != 0) {}
    return m_access.value;
}

void fake_uio::on_fault(int, siginfo_t* info, void* context)
{
    auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    const auto offset =
        reinterpret_cast<std::uintptr_t>(info->si_addr) - reinterpret_cast<std::uintptr_t>(present->m_page);
    if (present->m_page == nullptr || offset >= uio_page_bytes) {
        signal(SIGSEGV, SIG_DFL); // a fault of the test itself: it comes again
        return;
    }
    mprotect(present->m_page, uio_page_bytes, PROT_READ | PROT_WRITE);
    const bool is_write = (registers[REG_ERR] & write_fault) != 0;
    const auto word = is_write ? 0 : present->ask({false, offset, 0});
    present->m_access = {is_write, offset, 0};
    if (!is_write) { present->m_page[offset / 4] = word; }
    registers[REG_EFL] |= trap_flag;
}

void fake_uio::on_step(int, siginfo_t*, void* context)
{
    const auto [is_write, offset, value] = present->m_access;
    if (is_write) { present->ask({true, offset, present->m_page[offset / 4]}); }
    mprotect(present->m_page, uio_page_bytes, PROT_NONE);
    static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~trap_flag;
}

// ---- the simulation's thread ----

// An access takes no simulated time, so that the test alone decides when the device gets some.
bool fake_uio::answer(bus::host_thread& host, std::uint64_t registers)
{
    if (sem_trywait(&m_asked) != 0) { return false; }
    auto* word = reinterpret_cast<unsigned char*>(&m_access.value);
    tlm::tlm_generic_payload transaction;
    transaction.set_command(m_access.is_write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    transaction.set_address(registers + m_access.offset);
    transaction.set_data_ptr(word);
    transaction.set_data_length(sizeof m_access.value);
    transaction.set_streaming_width(sizeof m_access.value);
    auto delay = sc_core::SC_ZERO_TIME;
    host.bus->b_transport(transaction, delay);
    if (!transaction.is_response_ok()) { m_access.value = UINT32_MAX; } // as a bus without an answer reads
    sem_post(&m_answered);
    return true;
}

void fake_uio::serve(bus::host_thread& host, std::uint64_t registers, const std::function<void()>& user)
{
    const sc_core::sc_time step(100, sc_core::SC_NS);
    m_user_ended = false;
    std::thread thread([&] {
        user();
        m_user_ended = true;
    });
    bool enabled = false;
    while (!m_user_ended) {
        if (answer(host, registers)) { continue; }
        std::int32_t enable = 0;
        if (m_kernel_file >= 0 && recv(m_kernel_file, &enable, sizeof enable, MSG_DONTWAIT) == sizeof enable) {
            enabled = enable == 1;
        }
        if (!m_held) { sc_core::wait(step); }
        const bool high = !m_held && m_connected && host.irq.read();
        if (enabled && (high || m_shared)) {
            enabled = false;
            send_interrupt();
        }
        std::this_thread::yield();
    }
    thread.join();
}

} // namespace tensorloom::test

// ---- system calls, instead of the library's (--wrap) ----

extern "C" {

int __real_open(const char* path, int flags, mode_t mode);
void* __real_mmap(void* at, size_t bytes, int protection, int flags, int file, off_t offset);

int __wrap_open(const char* path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    auto* fake = tensorloom::test::present;
    if (fake == nullptr || path != fake->path()) { return __real_open(path, flags, mode); }
    return (flags & O_ACCMODE) == O_RDWR ? fake->open() : (errno = EACCES, -1);
}

// UIO maps whole pages of map 0 at the offset 0, shared.
void* __wrap_mmap(void* at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    auto* fake = tensorloom::test::present;
    if (fake == nullptr || file < 0 || !fake->is_open(file)) {
        return __real_mmap(at, bytes, protection, flags, file, offset);
    }
    if (bytes != tensorloom::test::uio_page_bytes || protection != (PROT_READ | PROT_WRITE) || flags != MAP_SHARED ||
        offset != 0) {
        errno = EINVAL;
        return MAP_FAILED;
    }
    return fake->map();
}
}
