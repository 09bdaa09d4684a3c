#pragma once

// A SystemC library links only with the C++ standard that it was built with; with another one, linking fails with
// obscure symbol names. Every header that includes SystemC includes this one. The build of TensorLoom reads the
// standard from the library (a symbol sc_api_version_..._cxx201703L) and passes it on here, as a value of __cplusplus.
// Distributions build SystemC as C++17.
#ifndef TENSORLOOM_SYSTEMC_CXX
#define TENSORLOOM_SYSTEMC_CXX 201703L
#endif
#if __cplusplus != TENSORLOOM_SYSTEMC_CXX
#if TENSORLOOM_SYSTEMC_CXX == 201703L
#error "TensorLoom needs C++17 (-std=c++17; in CMake: CMAKE_CXX_STANDARD 17): SystemC links with no other standard"
#else
#error "TensorLoom needs the C++ standard of its SystemC library, TENSORLOOM_SYSTEMC_CXX: no other one links"
#endif
#endif
