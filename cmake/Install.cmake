# Install rules: headers with their bodies, the split library, and the package for find_package(FuseCL CONFIG).

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/FuseCL)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.ipp" PATTERN "*.inc" PATTERN "*.cl" PATTERN "split.cpp")
install(TARGETS fusecl fusecl_split EXPORT FuseCLTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT FuseCLTargets NAMESPACE FuseCL:: DESTINATION ${package_dir})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/FuseCLConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/FuseCLConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/FuseCLConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/FuseCLConfig.cmake ${PROJECT_BINARY_DIR}/FuseCLConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FuseCLDependencies.cmake DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md"
        PATTERN "*.svg")
