// For tests of plain C++.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
