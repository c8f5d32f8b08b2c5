# SPDX-License-Identifier: MIT
# The Debian package: what cmake --install puts down, under /usr. `./run package` makes it.
if(NOT PLUMB_INSTALL OR NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME plumb)
set(CPACK_PACKAGE_VENDOR "The Plumb authors")
set(CPACK_PACKAGE_CONTACT "The Plumb authors <plumb@example.org>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Plumb decides whether recorded histories of a concurrent object are
linearizable (plumb check), runs concurrent C++ under every schedule and
tests classes for linearizability (plumb test), and proves models of
algorithms linearizable (plumb verify). With its C++ library.")
# dpkg-shlibdeps finds what it depends on, and what depends on it.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# What compiles a specification, a model or a program under test; without it they say so.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "cmake, gdb, pkg-config")
include(CPack)
