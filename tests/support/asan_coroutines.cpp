// SystemC 2.3.4 tells the address sanitizer when it switches from one process to another, but not when a process has
// ended, nor where the main stack is.
// From then on the sanitizer finds stack overflows where exceptions have passed. Here it is told before every exception
// which stack it is on. Compiled into every test; empty in other builds.
#if defined(__SANITIZE_ADDRESS__) && !defined(__clang__)

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cxxabi.h>
#include <dlfcn.h>
#include <iterator>
#include <map>
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>

namespace {

struct stack {
    std::uintptr_t bottom = 0;
    std::size_t size = 0;
    bool holds(std::uintptr_t address) const { return address - bottom < size; }
};

// The function of this name that comes after ours: the sanitizer's.
template <class Function> Function* next(const char* name)
{
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

stack main_stack()
{
    static const stack found = [] {
        stack s;
        pthread_attr_t attributes;
        void* bottom = nullptr;
        if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
            pthread_attr_getstack(&attributes, &bottom, &s.size);
            pthread_attr_destroy(&attributes);
        }
        s.bottom = reinterpret_cast<std::uintptr_t>(bottom);
        return s;
    }();
    return found;
}

std::map<std::uintptr_t, stack>& coroutines()
{
    static std::map<std::uintptr_t, stack> by_bottom;
    return by_bottom;
}

// A process that is entered because another one ended: SystemC has said nothing about its stack, guard pages tell where
// it is.
stack stack_in_memory_map(std::uintptr_t address)
{
    std::FILE* maps = std::fopen("/proc/self/maps", "r");
    if (maps == nullptr) { return {}; }
    stack found;
    unsigned long begin = 0, end = 0;
    while (!found.holds(address) && std::fscanf(maps, "%lx-%lx%*[^\n]", &begin, &end) == 2) {
        found = {begin, end - begin};
    }
    std::fclose(maps);
    return found.holds(address) ? found : stack{};
}

stack current_stack()
{
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    if (main_stack().holds(here)) { return main_stack(); }
    const auto after = coroutines().upper_bound(here);
    if (after != coroutines().begin() && std::prev(after)->second.holds(here)) { return std::prev(after)->second; }
    return stack_in_memory_map(here);
}

void notify_sanitizer(const stack& s)
{
    static auto* const start = next<decltype(__sanitizer_start_switch_fiber)>("__sanitizer_start_switch_fiber");
    start(nullptr, reinterpret_cast<const void*>(s.bottom), s.size);
}

void notify_sanitizer_where_we_are()
{
    const stack here = current_stack();
    if (here.size == 0) { return; }
    notify_sanitizer(here);
    __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
}

[[maybe_unused]] const stack found_on_the_main_thread = main_stack();

} // namespace

extern "C" {

// Called by SystemC before it switches to another process; the main stack is {null, 0} there.
void __sanitizer_start_switch_fiber(void**, const void* bottom, std::size_t size)
{
    const stack target{reinterpret_cast<std::uintptr_t>(bottom), size};
    if (bottom != nullptr) { coroutines()[target.bottom] = target; }
    notify_sanitizer(bottom != nullptr ? target : main_stack());
}

// Called by the compiler's code before every throw,
void __asan_handle_no_return()
{
    notify_sanitizer_where_we_are();
    static auto* const handle = next<void()>("__asan_handle_no_return");
    handle();
}

} // extern "C"

// and by throws in libraries.
void __cxxabiv1::__cxa_throw(void* object, std::type_info* type, void (*destructor)(void*))
{
    notify_sanitizer_where_we_are();
    static auto* const raise = next<void(void*, std::type_info*, void (*)(void*))>("__cxa_throw");
    raise(object, type, destructor);
    __builtin_unreachable();
}

#endif
