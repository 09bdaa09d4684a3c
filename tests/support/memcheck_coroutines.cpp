// Memcheck takes the stacks of SystemC's coroutines for ordinary memory: after every switch between processes it
// reports reads of uninitialised and of released bytes. Preloaded (LD_PRELOAD), this library registers them: SystemC
// maps each stack by an anonymous mapping.
#include <cstddef>
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <valgrind/valgrind.h>

extern "C" void* mmap(void* hint, std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept
{
    using mmap_type = void*(void*, std::size_t, int, int, int, off_t);
    static auto* const next = reinterpret_cast<mmap_type*>(dlsym(RTLD_NEXT, "mmap"));
    void* const mapped = next(hint, bytes, protection, flags, file, offset);
    if (mapped != MAP_FAILED && (flags & MAP_ANONYMOUS) != 0) {
        VALGRIND_STACK_REGISTER(mapped, static_cast<char*>(mapped) + bytes);
    }
    return mapped;
}
