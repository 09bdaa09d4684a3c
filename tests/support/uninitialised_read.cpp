// Branches on an uninitialised value in a SystemC thread, after another thread has run: what memcheck has to find.
#include <cstdio>
#include <memory>
#include <systemc>

namespace {

class two_threads : public sc_core::sc_module {
public:
    explicit two_threads(sc_core::sc_module_name name) : sc_module(std::move(name))
    {
        SC_HAS_PROCESS(two_threads);
        SC_THREAD(first);
        SC_THREAD(second);
    }

private:
    void first() { wait(1, sc_core::SC_NS); }
    void second()
    {
        wait(2, sc_core::SC_NS);
        const auto memory = std::unique_ptr<volatile int[]>(new volatile int[1]);
        if (memory[0] != 0) { std::puts("not zero"); }
    }
};

} // namespace

int sc_main(int, char*[])
{
    two_threads top("top");
    sc_core::sc_start();
    return 0;
}
