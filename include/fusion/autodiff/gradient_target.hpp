#pragma once
// Where a derivative goes: a matrix on the device, or host memory that is filled together with the value.

#include <type_traits>

#include <fusion/matrix/copy.hpp>
#include <fusion/runtime/queue.hpp>

namespace fusecl {

/// A host object that a derivative can be written to: a number, or an Eigen vector, array or column-major
/// matrix that owns its elements.
template <class T>
concept host_gradient = std::is_floating_point_v<T> ||
    (std::is_base_of_v<Eigen::PlainObjectBase<T>, T>&& std::is_floating_point_v<typename T::Scalar> &&
     (!static_cast<bool>(T::IsRowMajor) || static_cast<bool>(T::IsVectorAtCompileTime)));

/// What `value_and_gradient_into` writes derivatives to.
template <class T>
concept gradient_destination = is_matrix_cl<T>::value || host_gradient<T>;

namespace detail {

/// `Target` is a matrix_cl: nothing to do after the evaluation.
template <class Target>
class gradient_target {
 public:
  using matrix = Target;
  gradient_target(Target& target, std::int64_t, std::int64_t) : target_(target) {}
  matrix& on_device() { return target_; }
  void read_later() {}
  void complete() {}

 private:
  Target& target_;
};

template <host_gradient Target>
class gradient_target<Target> {
 public:
  static auto scalar_of() {
    if constexpr (std::is_floating_point_v<Target>)
      return Target{};
    else
      return typename Target::Scalar{};
  }
  using matrix = matrix_cl<decltype(scalar_of())>;

  /// Throws std::invalid_argument where a target of fixed size has another one.
  gradient_target(Target& target, std::int64_t rows, std::int64_t cols)
      : target_(target), device_(rows, cols) {
    check_fits<Target>("value_and_gradient_into", "the variable", rows, cols, "the host gradient");
    if constexpr (!std::is_floating_point_v<Target>) target_.resize(rows, cols);
  }
  matrix& on_device() { return device_; }
  /// The host memory is filled by the time the queue has waited.
  void read_later() {
    if (device_.size() == 0) return;
    void* host = nullptr;
    if constexpr (std::is_floating_point_v<Target>)
      host = &target_;
    else
      host = target_.data();
    const auto bytes = static_cast<std::size_t>(device_.size()) * sizeof(decltype(scalar_of()));
    runtime::this_thread_queue().read(*device_.storage(), 0, bytes, host, false);
  }
  /// After that wait.
  void complete() {
    if constexpr (!std::is_floating_point_v<Target>) {
      if (device_.view() == matrix_cl_view::Entire) return;
      Eigen::Map<Eigen::Matrix<typename Target::Scalar, Eigen::Dynamic, Eigen::Dynamic>> elements(
          target_.data(), device_.rows(), device_.cols());
      zero_outside(device_.view(), elements);
    }
  }

 private:
  Target& target_;
  matrix device_;
};

}  // namespace detail
}  // namespace fusecl
