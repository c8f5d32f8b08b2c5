# SPDX-License-Identifier: MIT
# The viewer (viewer/): TypeScript and style become one string each.
find_program(ESBUILD esbuild)
if(NOT ESBUILD)
  message(FATAL_ERROR "esbuild is missing: it bundles the viewer (Debian: apt-get install esbuild)")
endif()
set(viewer ${PROJECT_SOURCE_DIR}/viewer)
file(GLOB viewer_sources CONFIGURE_DEPENDS ${viewer}/src/*.ts)
set(bundle ${CMAKE_CURRENT_BINARY_DIR}/report/viewer)
add_custom_command(
  OUTPUT ${bundle}.cpp
  COMMAND ${ESBUILD} ${viewer}/src/main.ts --bundle --minify --charset=utf8 --target=es2020
          --log-level=warning --outfile=${bundle}.js
  COMMAND ${ESBUILD} ${viewer}/style.css --minify --charset=utf8 --log-level=warning
          --outfile=${bundle}.css
  COMMAND ${CMAKE_COMMAND} -DSCRIPT=${bundle}.js -DSTYLE=${bundle}.css -DOUT=${bundle}.cpp
          -P ${PROJECT_SOURCE_DIR}/cmake/embed_viewer.cmake
  DEPENDS ${viewer_sources} ${viewer}/style.css ${PROJECT_SOURCE_DIR}/cmake/embed_viewer.cmake
  VERBATIM)
target_sources(plumb_cold PRIVATE ${bundle}.cpp)
