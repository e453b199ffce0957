#pragma once
// Exception types. Size mismatches are std::invalid_argument, failed checks std::domain_error; everything
// the device or its set-up can do wrong derives from fusecl::error.

#include <stdexcept>
#include <string>
#include <utility>

namespace fusecl {

/// Root of the exceptions that come from the device, its driver or its selection.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// No device exists, or none matches the request; the message lists what exists.
class no_device_error : public error {
 public:
  using error::error;
};

/// The device lacks the type an operation needs (double without fp64).
class unsupported_type_error : public error {
 public:
  using error::error;
};

/// An OpenCL call failed; `code()` is its cl_int.
class opencl_error : public error {
 public:
  opencl_error(const std::string& message, int code) : error(message), code_(code) {}
  int code() const noexcept { return code_; }

 private:
  int code_;
};

/// The device cannot provide the memory asked for, even after the pool was trimmed.
class out_of_device_memory : public opencl_error {
 public:
  using opencl_error::opencl_error;
};

/// A kernel does not build: `what()` holds name, options, device, log and numbered source.
class build_error : public error {
 public:
  build_error(const std::string& message, std::string log, std::string source)
      : error(message), log_(std::move(log)), source_(std::move(source)) {}
  const std::string& log() const noexcept { return log_; }
  const std::string& source() const noexcept { return source_; }

 private:
  std::string log_;
  std::string source_;
};

/// A kernel would have to be built after `freeze()`.
class frozen_error : public error {
 public:
  using error::error;
};

}  // namespace fusecl
