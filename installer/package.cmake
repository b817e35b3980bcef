# What `cmake --install` puts where, and the Debian package (`installer/package`).
include(GNUInstallDirs)
set(CMAKE_INSTALL_DOCDIR ${CMAKE_INSTALL_DATADIR}/doc/hybridbench)  # not the name of the project, which has capitals
install(TARGETS hybridbench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS hyb_minimiser LIBRARY DESTINATION lib/hybridbench)  # where core/gait/minimise.cpp looks for it
install(TARGETS hybridbench-driver-host RUNTIME DESTINATION libexec/hybridbench)  # where hardware/driver_link.cpp looks for it
install(FILES resources/plug-in/hybridbench_compensator.h resources/plug-in/hybridbench_driver.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hybridbench)
install(DIRECTORY resources/plug-in resources/rig-kit DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples
  PATTERN __pycache__ EXCLUDE)
install(FILES resources/rig-kit/c/hyb_rig.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hybridbench)
install(DIRECTORY resources/projects/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/templates)
install(DIRECTORY resources/help DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(FILES resources/icons/hybridbench.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
install(FILES resources/desktop/hybridbench.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES resources/desktop/hybridbench.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages)
install(FILES resources/desktop/hybridbench.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  RENAME hybridbench)
# The manual page is made of the program's own help.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/hybridbench.1
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/installer/man-page $<TARGET_FILE:hybridbench> > ${CMAKE_BINARY_DIR}/hybridbench.1
  DEPENDS hybridbench installer/man-page VERBATIM)
add_custom_target(manual DEPENDS ${CMAKE_BINARY_DIR}/hybridbench.1)
install(FILES ${CMAKE_BINARY_DIR}/hybridbench.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME hybridbench)
set(CPACK_PACKAGE_CONTACT "HybridBench developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_DESCRIPTION "A structure is cut in two. One part stands on a rig or in its digital twin, the other is computed\n\
in real time, and actuators keep the cut closed. HybridBench describes the structure, runs the test,\n\
shows synchronisation live and records it in HDF5.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "fonts-dejavu-core")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "hdf5-tools, python3-h5py")
include(CPack)
