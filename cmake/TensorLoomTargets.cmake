# The targets of the project are declared through these functions, so that they all get the same rules.

# Includes read <tensorloom/models/...> in the tree as after an installation: links to the folders, never to the whole
# tree.
set(TENSORLOOM_INCLUDE_DIR "${PROJECT_BINARY_DIR}/include")
file(MAKE_DIRECTORY "${TENSORLOOM_INCLUDE_DIR}/tensorloom")
foreach(folder models tlm workloads)
    file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${folder}" "${TENSORLOOM_INCLUDE_DIR}/tensorloom/${folder}" SYMBOLIC)
endforeach()

# A platform that loads models as plug-ins links static libraries into a shared one, so all code can lie anywhere.
# Nobody replaces a function of ours at run time: without that promise calls within a library would not be inlined.
function(tensorloom_position_independent target)
    target_compile_options(${target} PRIVATE -fPIC -fno-semantic-interposition)
endfunction()

# The devices: each is a folder of models with a software view of its own, isa, whose driver.h declares its description.
file(GLOB TENSORLOOM_DEVICES CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/models" "${PROJECT_SOURCE_DIR}/models/*/isa/driver.h")
list(TRANSFORM TENSORLOOM_DEVICES REPLACE "/.*" "")
list(TRANSFORM TENSORLOOM_DEVICES PREPEND TensorLoom:: OUTPUT_VARIABLE TENSORLOOM_DEVICE_LIBRARIES)
list(TRANSFORM TENSORLOOM_DEVICE_LIBRARIES APPEND _isa OUTPUT_VARIABLE TENSORLOOM_DEVICE_ISA_LIBRARIES)

# One multiply-add is one fused operation where the code says so, and nowhere else.
function(tensorloom_rules target scope)
    target_compile_features(${target} ${scope} cxx_std_${SystemC_CXX_STANDARD})
    target_include_directories(${target} ${scope} "$<BUILD_INTERFACE:${TENSORLOOM_INCLUDE_DIR}>")
    target_compile_options(${target} ${scope} $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)
    if(NOT SystemC_CXX_VERSION STREQUAL "201703L")
        target_compile_definitions(${target} ${scope} TENSORLOOM_SYSTEMC_CXX=${SystemC_CXX_VERSION})
    endif()
    if(NOT scope STREQUAL "INTERFACE")
        tensorloom_position_independent(${target})
        target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow)
        if(TENSORLOOM_WERROR)
            target_compile_options(${target} PRIVATE -Werror)
        endif()
    endif()
endfunction()

# tensorloom_library(triada SOURCES a.cpp ... DEPENDS TensorLoom::isa ...): target tensorloom_triada, alias
# TensorLoom::triada, installed under the same name. Static, or shared with BUILD_SHARED_LIBS; a shared library's name
# has the version up to the minor one, for before 1.0 each of these changes the ABI.
function(tensorloom_library name)
    cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
    if(ARG_SOURCES)
        add_library(tensorloom_${name} ${ARG_SOURCES})
        set_target_properties(tensorloom_${name} PROPERTIES VERSION ${PROJECT_VERSION}
            SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} INSTALL_RPATH "$ORIGIN")
        tensorloom_rules(tensorloom_${name} PUBLIC)
        target_link_libraries(tensorloom_${name} PUBLIC ${ARG_DEPENDS})
        if(ARG_DEPENDS MATCHES "SystemC::systemc|TensorLoom::tlm")
            tensorloom_use_precompiled(tensorloom_${name} systemc)
        elseif(NOT name STREQUAL "arithmetic") # its kernels are compiled with flags of their own
            tensorloom_use_precompiled(tensorloom_${name} plain)
        endif()
    else()
        add_library(tensorloom_${name} INTERFACE)
        tensorloom_rules(tensorloom_${name} INTERFACE)
        target_link_libraries(tensorloom_${name} INTERFACE ${ARG_DEPENDS})
    endif()
    set_target_properties(tensorloom_${name} PROPERTIES EXPORT_NAME ${name} OUTPUT_NAME tensorloom_${name})
    add_library(TensorLoom::${name} ALIAS tensorloom_${name})
    set_property(GLOBAL APPEND PROPERTY TENSORLOOM_LIBRARIES ${name})
endfunction()

option(TENSORLOOM_UNITY "Compile tests, testbenches and workloads by groups of sources: a whole build is shorter" OFF)

# tensorloom_unity(dxt): its sources are compiled sixteen at a time where TENSORLOOM_UNITY is on. Names of unnamed
# namespaces and file-level names in `using` differ within a target, then.
function(tensorloom_unity target)
    if(TENSORLOOM_UNITY)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
        target_compile_options(${target} PRIVATE -Wno-shadow -Wno-subobject-linkage)
    endif()
endfunction()

# What testbenches have of their own reads options, builds platforms and writes reports: their time is that of the
# libraries, and optimising them costs more than it brings.
set(TENSORLOOM_TESTBENCH_FLAGS "$<$<CONFIG:Release>:-O1>")

# tensorloom_testbench(dxt SOURCES a.cpp ... DEPENDS TensorLoom::triada ...): the program dxt, which the manifest of its
# folder names; installed.
function(tensorloom_testbench name)
    cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
    tensorloom_manifest_programs(named "${CMAKE_CURRENT_SOURCE_DIR}/testbench.json")
    if(NOT name IN_LIST named)
        message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}/testbench.json has the programs '${named}', expected '${name}' among them")
    endif()
    add_executable(${name} ${ARG_SOURCES})
    tensorloom_rules(${name} PRIVATE)
    target_compile_options(${name} PRIVATE "${TENSORLOOM_TESTBENCH_FLAGS}")
    target_link_libraries(${name} PRIVATE tensorloom_platform ${ARG_DEPENDS})
    tensorloom_use_precompiled(${name} testbenches)
    tensorloom_unity(${name})
    set_property(GLOBAL APPEND PROPERTY TENSORLOOM_PROGRAMS ${name})
    set_property(GLOBAL APPEND PROPERTY TENSORLOOM_TESTBENCHES ${name})
endfunction()

# tensorloom_manifest_programs(VARIABLE FILE): the programs of a testbench by its manifest; configured again when that
# changes.
function(tensorloom_manifest_programs variable manifest)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${manifest}")
    file(READ "${manifest}" text)
    string(JSON count LENGTH "${text}" programs)
    set(programs)
    math(EXPR last "${count} - 1")
    foreach(place RANGE ${last})
        string(JSON program GET "${text}" programs ${place})
        list(APPEND programs "${program}")
    endforeach()
    set(${variable} "${programs}" PARENT_SCOPE)
endfunction()

# tensorloom_program_variables(VARIABLE dxt ...): DXT=<its path> ..., the environment of tests that run programs.
function(tensorloom_program_variables variable)
    set(settings)
    foreach(program IN LISTS ARGN)
        string(TOUPPER "${program}" name)
        list(APPEND settings "${name}=$<TARGET_FILE:${program}>")
    endforeach()
    set(${variable} "${settings}" PARENT_SCOPE)
endfunction()

# Tests run once for each time that they are compiled, so that optimising them costs more than it brings. What they
# test, and what benchmarks and they share, has the flags of products.
set(TENSORLOOM_TEST_FLAGS "$<$<CONFIG:Release>:-O1>")

# tensorloom_test(triada_model LABELS model SOURCES a.cpp ... DEPENDS TensorLoom::triada ...)
# SystemC elaborates once per process: every TEST is a process of its own. GoogleMock's matchers: DEPENDS GTest::gmock.
function(tensorloom_test name)
    cmake_parse_arguments(ARG "PLAIN" "TIMEOUT" "SOURCES;DEPENDS;LABELS" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    tensorloom_rules(${name} PRIVATE)
    target_compile_options(${name} PRIVATE "${TENSORLOOM_TEST_FLAGS}")
    if(ARG_PLAIN)
        target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} GTest::gtest_main)
        tensorloom_use_precompiled(${name} plain_tests)
    else()
        target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} tensorloom_test_support GTest::gtest)
        tensorloom_use_precompiled(${name} systemc_tests)
    endif()
    tensorloom_unity(${name})
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
    target_compile_definitions(${name} PRIVATE TENSORLOOM_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
    if(NOT ARG_TIMEOUT)
        set(ARG_TIMEOUT 120)
    endif()
    gtest_discover_tests(${name} TEST_PREFIX "${name}." PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT}
                         DISCOVERY_TIMEOUT 60)
endfunction()

# tensorloom_python_tests(dxt FILES result_test.py ... LABELS integration ENVIRONMENT NAME=value ...)
# Every one of these Python files of the directory is a test: Python takes longer to start than most of their methods
# take. They can import each other, the modules in tests/support and the package tensorloom.
function(tensorloom_python_tests prefix)
    cmake_parse_arguments(ARG "" "TIMEOUT;PROCESSORS" "FILES;LABELS;FIXTURES;ENVIRONMENT" ${ARGN})
    if(NOT ARG_TIMEOUT)
        set(ARG_TIMEOUT 600)
    endif()
    if(NOT ARG_PROCESSORS)
        set(ARG_PROCESSORS 1)
    endif()
    string(JOIN ":" folders "${CMAKE_CURRENT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/tests/support"
           "${PROJECT_SOURCE_DIR}/scripts/python")
    foreach(file IN LISTS ARG_FILES)
        get_filename_component(module "${file}" NAME_WE)
        string(REGEX REPLACE "_test$" "" subject "${module}")
        set(name "${prefix}.${subject}")
        add_test(NAME "${name}" COMMAND "${TENSORLOOM_PYTHON}" -m unittest "${module}")
        set_tests_properties("${name}" PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT}
            PROCESSORS ${ARG_PROCESSORS} FIXTURES_REQUIRED "${ARG_FIXTURES}" ENVIRONMENT
            "${ARG_ENVIRONMENT};PYTHONPATH=${folders};PYTHONDONTWRITEBYTECODE=1")
    endforeach()
endfunction()

# tensorloom_random_cases(tnn_step FILE random_layers_test.py COUNT 500 ENVIRONMENT ..): a test that makes its cases
# from numbers, with this many of them, as the test tnn_step.random_layers.many of the label random (scripts/test).
function(tensorloom_random_cases prefix)
    cmake_parse_arguments(ARG "" "FILE;COUNT" "ENVIRONMENT" ${ARGN})
    string(REGEX REPLACE "_test.py$" ".many" subject "${ARG_FILE}")
    set(name "${prefix}.${subject}")
    add_test(NAME "${name}" CONFIGURATIONS random
             COMMAND "${TENSORLOOM_PYTHON}" "${CMAKE_CURRENT_SOURCE_DIR}/${ARG_FILE}" --count ${ARG_COUNT})
    set_tests_properties("${name}" PROPERTIES LABELS random TIMEOUT 3600 ENVIRONMENT
        "${ARG_ENVIRONMENT};PYTHONPATH=${PROJECT_SOURCE_DIR}/tests/support;PYTHONDONTWRITEBYTECODE=1")
endfunction()
