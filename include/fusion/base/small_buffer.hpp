#pragma once
// A growing array of trivially copyable values whose first N need no heap: what a warm evaluation writes to.

#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>

namespace fusecl {

template <class T, std::size_t N>
class small_buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  small_buffer() = default;
  small_buffer(const small_buffer&) = delete;
  small_buffer& operator=(const small_buffer&) = delete;

  void push_back(const T& value) {
    if (size_ == capacity_) grow();
    data()[size_++] = value;
  }
  T* data() { return heap_ ? heap_.get() : reinterpret_cast<T*>(inline_); }
  const T* data() const { return heap_ ? heap_.get() : reinterpret_cast<const T*>(inline_); }
  T& operator[](std::size_t k) { return data()[k]; }
  const T& operator[](std::size_t k) const { return data()[k]; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }

 private:
  [[gnu::noinline, gnu::cold]] void grow() {
    auto larger = std::make_unique_for_overwrite<T[]>(2 * capacity_);
    std::memcpy(static_cast<void*>(larger.get()), data(), size_ * sizeof(T));
    heap_ = std::move(larger);
    capacity_ *= 2;
  }

  std::unique_ptr<T[]> heap_;
  std::size_t size_ = 0;
  std::size_t capacity_ = N;
  alignas(T) std::byte inline_[N * sizeof(T)];
};

}  // namespace fusecl
