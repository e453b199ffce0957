# Defines FuseCL::dependencies: the OpenCL loader and its C++ header, Eigen, Boost's headers and threads.
# Read by FuseCL's own build and by the installed package. Where something is not found, FuseCL_MISSING
# names it together with its Debian package, and the target is not defined.

set(FuseCL_MISSING "")
if(TARGET FuseCL::dependencies)
  return()
endif()

find_package(OpenCL QUIET)
if(NOT TARGET OpenCL::OpenCL)
  string(APPEND FuseCL_MISSING " OpenCL (ocl-icd-opencl-dev)")
endif()

find_path(FuseCL_OPENCL_HPP_DIR NAMES CL/opencl.hpp CL/cl2.hpp HINTS ${OpenCL_INCLUDE_DIRS}
          DOC "Folder that holds CL/opencl.hpp")
if(NOT FuseCL_OPENCL_HPP_DIR)
  string(APPEND FuseCL_MISSING " CL/opencl.hpp (opencl-clhpp-headers)")
endif()

if(NOT TARGET Eigen3::Eigen)
  find_package(Eigen3 3.4 CONFIG QUIET)
endif()
if(NOT TARGET Eigen3::Eigen)
  find_path(FuseCL_EIGEN_DIR NAMES Eigen/Dense PATH_SUFFIXES eigen3 DOC "Folder that holds Eigen/Dense")
  if(NOT FuseCL_EIGEN_DIR)
    string(APPEND FuseCL_MISSING " Eigen (libeigen3-dev)")
  endif()
endif()

find_path(FuseCL_BOOST_DIR NAMES boost/hana.hpp HINTS ${Boost_INCLUDE_DIRS} ENV BOOST_ROOT PATH_SUFFIXES include
          DOC "Folder that holds boost/hana.hpp")
if(NOT FuseCL_BOOST_DIR)
  string(APPEND FuseCL_MISSING " boost/hana.hpp (libboost-dev)")
endif()

find_package(Threads QUIET)
if(NOT TARGET Threads::Threads)
  string(APPEND FuseCL_MISSING " threads (build-essential)")
endif()

if(NOT FuseCL_MISSING)
  add_library(FuseCL::dependencies INTERFACE IMPORTED)
  target_link_libraries(FuseCL::dependencies INTERFACE OpenCL::OpenCL Threads::Threads)
  target_include_directories(FuseCL::dependencies INTERFACE ${FuseCL_OPENCL_HPP_DIR} ${FuseCL_BOOST_DIR})
  if(TARGET Eigen3::Eigen)
    target_link_libraries(FuseCL::dependencies INTERFACE Eigen3::Eigen)
  else()
    target_include_directories(FuseCL::dependencies INTERFACE ${FuseCL_EIGEN_DIR})
  endif()
endif()
