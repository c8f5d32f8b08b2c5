# SPDX-License-Identifier: MIT
# What `cmake --install` puts down: the library, its headers, the runtime, the program with its manual
# page and completions, the documents with the files that they speak of, and the two descriptions by
# which other projects find all that (find_package and pkg-config). Nothing in it knows its own place:
# the prefix can be chosen by `cmake --install --prefix`, and moved later.
option(PLUMB_INSTALL "Install rules; a project that includes Plumb may not want them"
       ${PROJECT_IS_TOP_LEVEL})
if(NOT PLUMB_INSTALL)
  return()
endif()

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# docs/api.md: before 1.0 each minor version may break what the one before promised.
set(PLUMB_ABI ${PROJECT_VERSION_MAJOR})
set(PLUMB_COMPATIBILITY SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(PLUMB_ABI ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  set(PLUMB_COMPATIBILITY SameMinorVersion)
endif()

get_target_property(library plumb::plumb ALIASED_TARGET)
set(libraries ${library})
if(TARGET plumb_runtime)
  set_target_properties(plumb_instrument PROPERTIES EXPORT_NAME instrument)
  set_target_properties(plumb_test PROPERTIES EXPORT_NAME test)
  list(APPEND libraries plumb_runtime plumb_instrument plumb_test)
endif()
foreach(target ${library} plumb_runtime)
  if(TARGET ${target})
    set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PLUMB_ABI})
  endif()
endforeach()
install(TARGETS ${libraries} EXPORT plumb_targets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/plumb TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp")

if(TARGET plumb_cli)
  install(TARGETS plumb_cli)
  install(FILES ${PROJECT_SOURCE_DIR}/docs/man/plumb.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  # Debian's zsh looks for what packages bring elsewhere than others do.
  set(zsh_folder site-functions)
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr" AND EXISTS /etc/debian_version)
    set(zsh_folder vendor-completions)
  endif()
  set(PLUMB_ZSH_FOLDER ${CMAKE_INSTALL_DATADIR}/zsh/${zsh_folder}
      CACHE STRING "Where zsh looks for completions")
  if(NOT CMAKE_CROSSCOMPILING)
    install(FILES ${PROJECT_BINARY_DIR}/completions/plumb
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${PROJECT_BINARY_DIR}/completions/_plumb DESTINATION ${PLUMB_ZSH_FOLDER})
  endif()
endif()

# As in the source tree, so that the links and the commands in them work.
foreach(file README.md NEWS.md HACKING.md LICENSE)
  install(FILES ${PROJECT_SOURCE_DIR}/${file} DESTINATION ${CMAKE_INSTALL_DOCDIR})
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
foreach(folder docs examples models objects)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION ${CMAKE_INSTALL_DOCDIR}
          USE_SOURCE_PERMISSIONS PATTERN man EXCLUDE PATTERN CMakeLists.txt EXCLUDE)
endforeach()
file(RELATIVE_PATH headers /${CMAKE_INSTALL_DOCDIR} /${CMAKE_INSTALL_INCLUDEDIR})
install(CODE "file(CREATE_LINK ${headers}
  \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/include\" SYMBOLIC)")

set(PLUMB_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/plumb)
install(EXPORT plumb_targets NAMESPACE plumb:: FILE plumb-targets.cmake
        DESTINATION ${PLUMB_CMAKE_DIR})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/plumb-config.cmake.in
  ${PROJECT_BINARY_DIR}/plumb-config.cmake INSTALL_DESTINATION ${PLUMB_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/plumb-config-version.cmake
  COMPATIBILITY ${PLUMB_COMPATIBILITY})
install(FILES ${PROJECT_BINARY_DIR}/plumb-config.cmake
              ${PROJECT_BINARY_DIR}/plumb-config-version.cmake DESTINATION ${PLUMB_CMAKE_DIR})

# An archive hands its dependencies on to whoever links it; a shared library keeps them.
if(NOT PLUMB_SHARED)
  set(PLUMB_PC_REQUIRES "Requires: fmt simdjson zlib libzstd libxxhash")
  set(PLUMB_PC_LIBS " -pthread")
  foreach(needed ${CMAKE_DL_LIBS})
    string(APPEND PLUMB_PC_LIBS " -l${needed}")
  endforeach()
endif()
# The file finds the prefix from its own place, which pkg-config knows as pcfiledir.
file(RELATIVE_PATH PLUMB_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/plumb.pc.in ${PROJECT_BINARY_DIR}/plumb.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/plumb.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
