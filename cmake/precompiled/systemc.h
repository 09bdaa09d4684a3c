// For modules and testbenches.
#include <systemc>
#include <tlm>
