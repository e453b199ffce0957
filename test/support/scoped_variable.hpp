#pragma once
// Environment variables for a scope.

#include <cstdlib>
#include <string>
#include <utility>

namespace fusecl::test {

/// Sets a variable until the end of the scope.
class scoped_variable {
 public:
  scoped_variable(std::string name, const std::string& value) : name_(std::move(name)) {
    const char* before = std::getenv(name_.c_str());
    was_set_ = before != nullptr;
    before_ = was_set_ ? before : "";
    setenv(name_.c_str(), value.c_str(), 1);
  }
  ~scoped_variable() {
    if (was_set_) {
      setenv(name_.c_str(), before_.c_str(), 1);
    } else {
      unsetenv(name_.c_str());
    }
  }
  scoped_variable(const scoped_variable&) = delete;
  scoped_variable& operator=(const scoped_variable&) = delete;

 private:
  std::string name_, before_;
  bool was_set_;
};

}  // namespace fusecl::test
