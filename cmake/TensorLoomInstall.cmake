# cmake --install: headers, libraries, programs, technology files, documentation, the CMake package and the pkg-config
# file. Included last, when every target has been declared: what tensorloom_library and tensorloom_testbench declared is
# installed. Components: runtime (programs, what they and the Python package read), development and documentation.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(TENSORLOOM_LIBRARIES GLOBAL PROPERTY TENSORLOOM_LIBRARIES)
get_property(TENSORLOOM_PROGRAMS GLOBAL PROPERTY TENSORLOOM_PROGRAMS)
set(TENSORLOOM_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/TensorLoom")
set(TENSORLOOM_TECHNOLOGIES_DIR "${CMAKE_INSTALL_DATADIR}/tensorloom/technologies")

# ---- the order in which a linker of static libraries wants them, and what they need from outside ---------------------

set(TENSORLOOM_LINK_ORDER "") # dependents first
set(TENSORLOOM_EXTERNALS "")
macro(tensorloom_visit name)
    if(NOT "${name}" IN_LIST TENSORLOOM_LINK_ORDER)
        get_target_property(_links_${name} tensorloom_${name} INTERFACE_LINK_LIBRARIES)
        foreach(_link IN LISTS _links_${name})
            if(_link MATCHES "TensorLoom::([a-z_0-9]+)")
                tensorloom_visit(${CMAKE_MATCH_1})
            elseif(_link MATCHES "^(\\$<LINK_ONLY:)?([A-Za-z_0-9:-]+)>?$" AND NOT _link MATCHES "-NOTFOUND$")
                list(APPEND TENSORLOOM_EXTERNALS "${CMAKE_MATCH_2}")
            endif()
        endforeach()
        list(PREPEND TENSORLOOM_LINK_ORDER "${name}")
    endif()
endmacro()
foreach(library IN LISTS TENSORLOOM_LIBRARIES)
    tensorloom_visit(${library})
endforeach()
list(REMOVE_DUPLICATES TENSORLOOM_EXTERNALS)

# What a consumer must find to link. TensorLoomConfig.cmake.in and tensorloom.pc.in name the same.
foreach(external IN LISTS TENSORLOOM_EXTERNALS)
    if(NOT external MATCHES "^(SystemC::systemc|yaml-cpp)$")
        message(FATAL_ERROR "a library of TensorLoom links ${external}: say in TensorLoomInstall.cmake, TensorLoomConfig.cmake.in and "
                            "tensorloom.pc.in how its users find it, or link it as \$<BUILD_INTERFACE:${external}>")
    endif()
endforeach()

# ---- files -----------------------------------------------------------------------------------------------------------

if(TENSORLOOM_PROGRAMS)
    # A program finds shared libraries of its prefix, wherever that is moved.
    if(BUILD_SHARED_LIBS OR TENSORLOOM_BUNDLE)
        set(libraries "${CMAKE_INSTALL_LIBDIR}")
        if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" AND NOT IS_ABSOLUTE "${CMAKE_INSTALL_BINDIR}")
            file(RELATIVE_PATH libraries "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
            set(libraries "$ORIGIN/${libraries}")
        endif()
        set_target_properties(${TENSORLOOM_PROGRAMS} PROPERTIES INSTALL_RPATH "${libraries}")
    endif()
    install(TARGETS ${TENSORLOOM_PROGRAMS} RUNTIME_DEPENDENCY_SET dependencies
            RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT runtime)
endif()
# The plug-in, which finds shared libraries beside its folder.
set(TENSORLOOM_PLUGIN_DIR "${CMAKE_INSTALL_LIBDIR}/tensorloom")
set_target_properties(tensorloom_plugin_module PROPERTIES INSTALL_RPATH "$ORIGIN/..")
install(TARGETS tensorloom_plugin_module RUNTIME_DEPENDENCY_SET dependencies
        LIBRARY DESTINATION "${TENSORLOOM_PLUGIN_DIR}" COMPONENT runtime)
list(SORT TENSORLOOM_LIBRARIES)
list(JOIN TENSORLOOM_LIBRARIES " " TENSORLOOM_COMPONENTS)
list(TRANSFORM TENSORLOOM_LIBRARIES PREPEND tensorloom_ OUTPUT_VARIABLE targets)
install(TARGETS ${targets} EXPORT TensorLoomTargets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime NAMELINK_COMPONENT development
        INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT TensorLoomTargets NAMESPACE TensorLoom:: DESTINATION "${TENSORLOOM_PACKAGE_DIR}" COMPONENT development)

# A directory at a time, so that no folder without headers is installed. The headers of kernels are for their
# instruction sets alone.
foreach(folder IN ITEMS models tlm workloads)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/${folder}/*.h")
    list(FILTER headers EXCLUDE REGEX "^models/arithmetic/kernels/")
    foreach(header IN LISTS headers)
        get_filename_component(directory "${header}" DIRECTORY)
        install(FILES "${PROJECT_SOURCE_DIR}/${header}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tensorloom/${directory}"
                COMPONENT development)
    endforeach()
endforeach()

# What bare-metal firmware is built from, together in one folder.
file(GLOB firmware CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/models/isa/firmware/*.[ch]")
install(FILES ${firmware} DESTINATION "${CMAKE_INSTALL_DATADIR}/tensorloom/firmware" COMPONENT development)

# Technologies, models and other figures, to be read or to start one's own from: the libraries contain them.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/models/costs/technologies" "${PROJECT_SOURCE_DIR}/models/costs/dram/memories"
        "${PROJECT_SOURCE_DIR}/workloads/training/models"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/tensorloom" COMPONENT runtime)
# Pictures and reports of runs: the Python package, and its commands, which find it from the prefix wherever that is
# moved.
set(packages "${CMAKE_INSTALL_DATADIR}/tensorloom/python")
set(programs "${CMAKE_INSTALL_BINDIR}")
if(NOT IS_ABSOLUTE "${packages}" AND NOT IS_ABSOLUTE "${CMAKE_INSTALL_BINDIR}")
    file(RELATIVE_PATH programs "/${packages}/tensorloom" "/${CMAKE_INSTALL_BINDIR}")
endif()
set(finder "${PROJECT_SOURCE_DIR}/scripts/python/tensorloom/programs.py") # knows where the programs are
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${finder}")
file(READ "${finder}" text)
string(REPLACE "BESIDE = \"../../../build\"" "BESIDE = \"${programs}\"" text "${text}")
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/programs.py" CONTENT "${text}" @ONLY)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/scripts/python/tensorloom" DESTINATION "${packages}" USE_SOURCE_PERMISSIONS
        COMPONENT runtime PATTERN "__pycache__" EXCLUDE PATTERN "programs.py" EXCLUDE)
install(FILES "${PROJECT_BINARY_DIR}/programs.py" DESTINATION "${packages}/tensorloom" COMPONENT runtime)
# What each testbench is: the package finds the manifests from where it lies.
file(GLOB manifests CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/testbenches/*/testbench.json")
foreach(manifest IN LISTS manifests)
    get_filename_component(folder "${manifest}" DIRECTORY)
    install(FILES "${PROJECT_SOURCE_DIR}/${manifest}" DESTINATION "${CMAKE_INSTALL_DATADIR}/tensorloom/${folder}" COMPONENT runtime)
endforeach()
if(NOT IS_ABSOLUTE "${packages}" AND NOT IS_ABSOLUTE "${CMAKE_INSTALL_BINDIR}")
    file(RELATIVE_PATH packages "/${CMAKE_INSTALL_BINDIR}" "/${packages}")
endif()
set(launcher "${PROJECT_SOURCE_DIR}/scripts/python/tensorloom-plot") # of any command, by its name
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${launcher}")
file(READ "${launcher}" text)
string(REPLACE "PACKAGES = \".\"" "PACKAGES = \"${packages}\"" text "${text}")
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/launcher" CONTENT "${text}" @ONLY)
foreach(command IN ITEMS tensorloom tensorloom-plot tensorloom-report tensorloom-study tensorloom-energy)
    install(PROGRAMS "${PROJECT_BINARY_DIR}/launcher" DESTINATION "${CMAKE_INSTALL_BINDIR}" RENAME "${command}" COMPONENT runtime)
endforeach()

install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/tensorloom" COMPONENT runtime)
# Schemas of summaries belong to the Python package, which reads them.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/tensorloom"
        COMPONENT documentation PATTERN "*.schema.json" EXCLUDE
        PATTERN examples/virtual_platform EXCLUDE) # for a library under GPL-2: built from the tree alone
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/tensorloom"
        COMPONENT runtime FILES_MATCHING PATTERN "*.schema.json" PATTERN "examples" EXCLUDE PATTERN "figures" EXCLUDE
        PATTERN "waveforms" EXCLUDE)

# ---- the CMake package -----------------------------------------------------------------------------------------------

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/TensorLoomConfig.cmake.in" "${PROJECT_BINARY_DIR}/TensorLoomConfig.cmake"
    INSTALL_DESTINATION "${TENSORLOOM_PACKAGE_DIR}"
    PATH_VARS TENSORLOOM_TECHNOLOGIES_DIR TENSORLOOM_PLUGIN_DIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/TensorLoomConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES
    "${PROJECT_BINARY_DIR}/TensorLoomConfig.cmake"
    "${PROJECT_BINARY_DIR}/TensorLoomConfigVersion.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/FindSystemC.cmake"
    DESTINATION "${TENSORLOOM_PACKAGE_DIR}" COMPONENT development)

# ---- the pkg-config file: its paths start from where it lies, so that the prefix can move ----------------------------

if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_DATADIR}")
    set(TENSORLOOM_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
    foreach(directory IN ITEMS LIBDIR INCLUDEDIR DATADIR)
        set(TENSORLOOM_PC_${directory} "${CMAKE_INSTALL_FULL_${directory}}")
    endforeach()
else()
    file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
    string(REGEX REPLACE "/$" "" up "${up}")
    set(TENSORLOOM_PC_PREFIX "\${pcfiledir}/${up}")
    foreach(directory IN ITEMS LIBDIR INCLUDEDIR DATADIR)
        set(TENSORLOOM_PC_${directory} "\${prefix}/${CMAKE_INSTALL_${directory}}")
    endforeach()
endif()
set(TENSORLOOM_PC_DEFINITIONS "")
if(NOT SystemC_CXX_VERSION STREQUAL "201703L")
    set(TENSORLOOM_PC_DEFINITIONS " -DTENSORLOOM_SYSTEMC_CXX=${SystemC_CXX_VERSION}")
endif()
set(TENSORLOOM_PC_LIBS "")
foreach(library IN LISTS TENSORLOOM_LINK_ORDER)
    get_target_property(type tensorloom_${library} TYPE)
    if(type MATCHES "STATIC_LIBRARY|SHARED_LIBRARY")
        string(APPEND TENSORLOOM_PC_LIBS " -ltensorloom_${library}")
    endif()
endforeach()
configure_file("${PROJECT_SOURCE_DIR}/cmake/tensorloom.pc.in" "${PROJECT_BINARY_DIR}/tensorloom.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tensorloom.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)

include(TensorLoomPackages)
