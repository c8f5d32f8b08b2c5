# SPDX-License-Identifier: MIT
# What `cmake --install` puts down: the library, its headers, the command line and its man page,
# and the two descriptions by which other projects find them (find_package and pkg-config).
option(PLUMB_INSTALL "Install rules; a project that includes Plumb may not want them"
       ${PROJECT_IS_TOP_LEVEL})
if(NOT PLUMB_INSTALL)
  return()
endif()

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(PLUMB_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/plumb)

set_target_properties(plumb PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
install(TARGETS plumb EXPORT plumb_targets)
if(TARGET plumb_runtime)
  set_target_properties(plumb_runtime PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  set_target_properties(plumb_instrument PROPERTIES EXPORT_NAME instrument)
  set_target_properties(plumb_test PROPERTIES EXPORT_NAME test)
  install(TARGETS plumb_runtime plumb_instrument plumb_test EXPORT plumb_targets)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/plumb TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp")
if(TARGET plumb_cli)
  install(TARGETS plumb_cli)
endif()
if(EXISTS ${PROJECT_SOURCE_DIR}/docs/man/plumb.1)
  install(FILES ${PROJECT_SOURCE_DIR}/docs/man/plumb.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()

install(EXPORT plumb_targets NAMESPACE plumb:: FILE plumb-targets.cmake
        DESTINATION ${PLUMB_CMAKE_DIR})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/plumb-config.cmake.in
  ${PROJECT_BINARY_DIR}/plumb-config.cmake INSTALL_DESTINATION ${PLUMB_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/plumb-config-version.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/plumb-config.cmake
              ${PROJECT_BINARY_DIR}/plumb-config-version.cmake DESTINATION ${PLUMB_CMAKE_DIR})

# A static library hands its dependencies on to whoever links it; a shared one keeps them.
get_target_property(type plumb TYPE)
if(type STREQUAL "STATIC_LIBRARY")
  set(PLUMB_PC_REQUIRES "Requires")
  set(PLUMB_PC_LIBS " -pthread")
  foreach(library ${CMAKE_DL_LIBS})
    string(APPEND PLUMB_PC_LIBS " -l${library}")
  endforeach()
else()
  set(PLUMB_PC_REQUIRES "Requires.private")
endif()
# The prefix may be chosen as late as `cmake --install --prefix`, so the file finds it from its own
# place, which pkg-config knows as pcfiledir.
file(RELATIVE_PATH PLUMB_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/plumb.pc.in ${PROJECT_BINARY_DIR}/plumb.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/plumb.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
