# Packages of an installation, for scripts/package: TENSORLOOM_BUNDLE puts the shared libraries that programs need
# beside them (wheel, tar); otherwise CPack makes Debian packages, tensorloom, tensorloom-dev and tensorloom-doc.

option(TENSORLOOM_BUNDLE "Install the shared libraries of the distribution that programs need" OFF)
option(TENSORLOOM_DEBIAN "Install what a Debian package needs besides" OFF)

if(TENSORLOOM_BUNDLE AND TENSORLOOM_PROGRAMS)
    # Every system of the wheel's platform tag has these.
    set(system_libraries "^(libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\\+\\+|ld-linux-x86-64)\\.so")
    # As DT_RPATH, by which the libraries find one another, too.
    target_link_options(tensorloom_base INTERFACE "$<BUILD_INTERFACE:-Wl,--disable-new-dtags>")
    install(RUNTIME_DEPENDENCY_SET dependencies
            PRE_EXCLUDE_REGEXES "${system_libraries}"
            LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime)
endif()

set(CPACK_PACKAGE_NAME tensorloom)
set(CPACK_PACKAGE_VENDOR TensorLoom)
set(CPACK_PACKAGE_CONTACT "TensorLoom maintainers <maintainers@tensorloom.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "cycle-level SystemC models of tensor accelerators")
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL runtime development documentation)
set(CPACK_STRIP_FILES ON)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION electronics)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME tensorloom)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS "python3 (>= 3.9), python3-numpy")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "python3-matplotlib, python3-yaml")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "tensorloom-doc, libjs-three, snakemake")
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "Testbenches of TriADA, the orbital torus, a matrix unit with a vector unit and
FETTA, which report cycles, energy and area, and a Python package that runs
them on arrays and makes pictures, reports and studies.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/cmake/debian/prerm")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME tensorloom-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libsystemc-dev, libyaml-cpp-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "tensorloom-doc")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "Development files: headers, static libraries, a CMake package and a
pkg-config file, with which the models are bound to the bus of a virtual
platform, and a driver in C.")
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_NAME tensorloom-doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DOCUMENTATION_DESCRIPTION "Documentation: tutorial, how-to and reference pages of the testbenches and
the models, and examples in Python.")

# What Debian's policy wants of every package: copyright and changelog. And a place where python3 finds the package.
if(TENSORLOOM_DEBIAN)
    find_program(TENSORLOOM_GZIP gzip REQUIRED)
    string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
    file(WRITE "${PROJECT_BINARY_DIR}/debian/changelog.Debian"
        "tensorloom (${PROJECT_VERSION}-1) unstable; urgency=medium\n\n  * Release ${PROJECT_VERSION}, see CHANGELOG.md.\n\n"
        " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
    execute_process(COMMAND "${TENSORLOOM_GZIP}" -9nf "${PROJECT_BINARY_DIR}/debian/changelog.Debian" COMMAND_ERROR_IS_FATAL ANY)
    file(WRITE "${PROJECT_BINARY_DIR}/debian/copyright"
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: TensorLoom\n\n"
        "Files: *\nCopyright: ${CPACK_PACKAGE_VENDOR} maintainers\nLicense: Apache-2.0\n"
        " On Debian systems the full text is in /usr/share/common-licenses/Apache-2.0.\n")
    foreach(component IN LISTS CPACK_COMPONENTS_ALL)
        string(TOUPPER "${component}" upper)
        set(place "${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}")
        install(FILES "${PROJECT_BINARY_DIR}/debian/copyright" "${PROJECT_BINARY_DIR}/debian/changelog.Debian.gz"
                DESTINATION "${place}" COMPONENT ${component})
    endforeach()
    install(CODE "file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/python3/dist-packages\")
        file(CREATE_LINK ../../../share/tensorloom/python/tensorloom
             \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/python3/dist-packages/tensorloom\" SYMBOLIC)" COMPONENT runtime)
endif()

include(CPack)
