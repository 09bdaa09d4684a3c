#pragma once

// A SystemC library links only with the C++ standard that it was built with, and distributions build theirs as C++17:
// with another one, a program fails at link time with names that nobody understands. Every header of ours that brings
// SystemC includes this one.
#if __cplusplus != 201703L
#error "TensorLoom needs C++17 (-std=c++17; in CMake: CMAKE_CXX_STANDARD 17): SystemC links with no other standard"
#endif
