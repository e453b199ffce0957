#pragma once
// The one owner of an object, for FuseCL's own parts: std::unique_ptr with little to instantiate (decision
// 29).

namespace fusecl {

/// Owns an object or nothing, and deletes it. T may be incomplete where an owner is declared.
template <class T>
class owned {
 public:
  owned() = default;
  explicit owned(T* object) : object_(object) {}
  owned(owned&& other) noexcept : object_(other.release()) {}
  owned& operator=(owned other) noexcept {
    T* const before = object_;
    object_ = other.object_;
    other.object_ = before;
    return *this;
  }
  ~owned() { delete object_; }

  T* get() const { return object_; }
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  T* release() {
    T* const object = object_;
    object_ = nullptr;
    return object;
  }

 private:
  T* object_ = nullptr;
};

}  // namespace fusecl
