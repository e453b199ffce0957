#pragma once
// A growing array of trivially copyable values whose first N need no heap: what a warm evaluation writes to.

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>

namespace fusecl {

template <class T, std::size_t N>
class small_buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  small_buffer() = default;
  small_buffer(const small_buffer&) = delete;
  small_buffer& operator=(const small_buffer&) = delete;
  ~small_buffer() { ::operator delete(heap_); }

  /// Becomes a copy of `other`.
  void assign(const small_buffer& other) {
    while (capacity_ < other.size_) grow();
    size_ = other.size_;
    std::memcpy(static_cast<void*>(data()), other.data(), size_ * sizeof(T));
  }
  void push_back(const T& value) {
    if (size_ == capacity_) grow();
    data()[size_++] = value;
  }
  T* data() { return heap_ != nullptr ? heap_ : reinterpret_cast<T*>(inline_); }
  const T* data() const { return heap_ != nullptr ? heap_ : reinterpret_cast<const T*>(inline_); }
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
    void* const larger = ::operator new(2 * capacity_ * sizeof(T));
    std::memcpy(larger, data(), size_ * sizeof(T));
    ::operator delete(heap_);
    heap_ = static_cast<T*>(larger);
    capacity_ *= 2;
  }

  T* heap_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = N;
  alignas(T) std::byte inline_[N * sizeof(T)];
};

}  // namespace fusecl
