// For programs that simulate and write JSON.
#include <nlohmann/json.hpp>
#include <systemc>
#include <tlm>
