// For tests that simulate. Some start processes while the simulation runs: what SystemC declares depends on this.
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <systemc>
#include <tlm>
