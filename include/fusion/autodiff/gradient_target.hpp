#pragma once
// Where a derivative goes: a matrix on the device, or host memory that is filled together with the value.

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include <fusion/base/fill.hpp>
#include <fusion/eval/numbers.hpp>
#include <fusion/matrix/copy.hpp>
#include <fusion/runtime/process.hpp>
#include <fusion/runtime/queue.hpp>

namespace fusecl {

/// A host object that a derivative can be written to and that takes its size: a number, a std::vector, or an
/// Eigen vector, array or column-major matrix that owns its elements.
template <class T>
concept host_gradient = std::is_same_v<T, std::vector<double>> || std::is_same_v<T, std::vector<float>> ||
                        (std::is_floating_point_v<T> && !std::is_const_v<T>) ||
                        (std::is_base_of_v<Eigen::PlainObjectBase<T>, T> &&
                         std::is_floating_point_v<typename T::Scalar> &&
                         (!static_cast<bool>(T::IsRowMajor) || static_cast<bool>(T::IsVectorAtCompileTime)));

/// Elements of a host object of Eigen that have the size of the derivative: a segment, a block, a Map.
template <class T>
concept host_gradient_part = !host_gradient<T> && requires(T & part) {
  requires std::is_floating_point_v<typename T::Scalar>;
  part.derived().rows();
  part.coeffRef(0, 0) = typename T::Scalar{};
};

/// What `value_and_gradient_into` writes derivatives to.
template <class T>
concept gradient_destination = (is_matrix_cl<T>::value && std::is_floating_point_v<typename T::value_type>) ||
                               host_gradient<T> || host_gradient_part<T>;

namespace detail {

/// What a gradient is written to, to be told from others: an object, memory of the device, or elements of the
/// host, `by_row` and `by_col` bytes apart.
struct gradient_place {
  const void* object;
  runtime::storage* memory = nullptr;
  const char* first = nullptr;
  std::int64_t rows = 0, cols = 0;
  std::ptrdiff_t by_row = 0, by_col = 0;

  const char* lowest() const {
    return first + std::min<std::ptrdiff_t>((rows - 1) * by_row, 0) +
           std::min<std::ptrdiff_t>((cols - 1) * by_col, 0);
  }
  const char* last() const {
    return first + std::max<std::ptrdiff_t>((rows - 1) * by_row, 0) +
           std::max<std::ptrdiff_t>((cols - 1) * by_col, 0);
  }
};

/// What messages call variable `number`, from 0, of so many; the next one comes then.
inline const char* name_of_variable(std::size_t& number, std::size_t count) {
  constexpr const char* names[] = {
      "variable 1 of wrt(...)", "variable 2 of wrt(...)", "variable 3 of wrt(...)", "variable 4 of wrt(...)",
      "variable 5 of wrt(...)", "variable 6 of wrt(...)", "variable 7 of wrt(...)", "variable 8 of wrt(...)"};
  const std::size_t own = number++;
  return count > 1 && own < std::size(names) ? names[own] : "the variable";
}

/// Where the statement writes a derivative by a variable of rows x cols elements, and how it gets from there
/// to `Target`: `slot` before the statement, `request` after it, `complete` after the wait. A matrix_cl is
/// written by the statement itself.
template <class Target>
class gradient_target {
 public:
  using matrix = Target;
  /// Whether it is one of the numbers of the statement, which come with the value, and no matrix.
  static constexpr bool is_number = false;
  gradient_target(Target& target, std::int64_t rows, std::int64_t cols, const char* = "")
      : target_(target), rows_(rows), cols_(cols) {}
  gradient_place place() const { return {&target_, target_.storage().get()}; }
  /// The slot of the derivative; one that is a number takes `next` of `numbers`, and counts it.
  result_slot slot(shared_numbers&, std::size_t&) {
    return {&target_, Target::leaf_type, rows_, cols_, "a gradient"};
  }
  /// Asks for it on the host. Gives the target its size, after all that may fail.
  void request(const shared_numbers&, number_reader&) {}
  void complete() {}

 private:
  Target& target_;
  std::int64_t rows_, cols_;
};

template <host_gradient Target>
class gradient_target<Target> {
 public:
  static auto scalar_of() {
    if constexpr (std::is_floating_point_v<Target>)
      return Target{};
    else if constexpr (is_vector<Target>::value)
      return typename Target::value_type{};
    else
      return typename Target::Scalar{};
  }
  using matrix = matrix_cl<decltype(scalar_of())>;
  static constexpr bool is_number = std::is_floating_point_v<Target>;

  /// Throws std::invalid_argument where a target of fixed size has another one than the variable of that
  /// name.
  gradient_target(Target& target, std::int64_t rows, std::int64_t cols, const char* name = "the variable")
      : target_(target), device_(rows, cols) {
    check_fits<Target>("value_and_gradient_into", name, rows, cols, "the host gradient");
  }
  gradient_place place() const {
    gradient_place result{&target_};
    std::size_t elements = 1;
    if constexpr (std::is_floating_point_v<Target>) {
      result.first = reinterpret_cast<const char*>(&target_);
    } else {
      result.first = reinterpret_cast<const char*>(target_.data());
      elements = static_cast<std::size_t>(target_.size());
    }
    result.rows = static_cast<std::int64_t>(elements);
    result.cols = 1;
    result.by_row = sizeof(decltype(scalar_of()));
    return result;
  }
  result_slot slot(shared_numbers& numbers, std::size_t& next) {
    if constexpr (is_number) return numbers.slot(number_ = next++, matrix::leaf_type, "a gradient");
    return {&device_, matrix::leaf_type, device_.rows(), device_.cols(), "a gradient"};
  }
  void request(const shared_numbers& numbers, number_reader& reader) {
    if constexpr (is_number) {
      reader.request(numbers.at(number_, matrix::leaf_type, found_));
    } else {
      if constexpr (is_vector<Target>::value)
        target_.resize(static_cast<std::size_t>(device_.size()));
      else
        target_.resize(device_.rows(), device_.cols());
      if (device_.size() == 0) return;
      if (runtime::preparing) {  // nothing has run: all are 1, as numbers are
        std::fill_n(target_.data(), device_.size(), decltype(scalar_of()){1});
        return;
      }
      const auto bytes = static_cast<std::size_t>(device_.size()) * sizeof(decltype(scalar_of()));
      runtime::this_thread_queue().read(*device_.storage(), 0, bytes, target_.data(), false);
    }
  }
  void complete() {
    if constexpr (is_number) {
      target_ = static_cast<Target>(found_);
    } else {
      if (device_.view() == matrix_cl_view::Entire) return;
      Eigen::Map<Eigen::Matrix<decltype(scalar_of()), Eigen::Dynamic, Eigen::Dynamic>> elements(
          target_.data(), device_.rows(), device_.cols());
      zero_outside(device_.view(), elements);
    }
  }

 private:
  Target& target_;
  matrix device_;
  std::size_t number_ = 0;
  double found_ = 0;
};

/// By way of a host matrix: the elements need not be side by side.
template <host_gradient_part Target>
class gradient_target<Target> {
 public:
  using host = Eigen::Matrix<typename Target::Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  using matrix = typename gradient_target<host>::matrix;
  static constexpr bool is_number = false;

  /// Throws std::invalid_argument where the target has another size.
  gradient_target(Target& target, std::int64_t rows, std::int64_t cols, const char* name = "the variable")
      : target_(target), host_(std::make_unique<host>()), whole_(*host_, rows, cols) {
    if (rows != cols && rows == target.cols() && cols == target.rows())
      throw std::invalid_argument(text::fill(
          "value_and_gradient_into: {} is {} x {}, the host gradient {} x {}: give its transpose()",
          {name, rows, cols, cols, rows}));
    check_same_shape("value_and_gradient_into", name, rows, cols, "the host gradient", target.rows(),
                     target.cols());
  }
  gradient_place place() const {
    gradient_place result{&target_};
    result.rows = target_.rows();
    result.cols = target_.cols();
    if (result.rows == 0 || result.cols == 0) return result;
    const auto at = [&](Eigen::Index i, Eigen::Index j) {
      return reinterpret_cast<const char*>(&target_.coeffRef(i, j));
    };
    result.first = at(0, 0);
    if (result.rows > 1) result.by_row = at(1, 0) - result.first;
    if (result.cols > 1) result.by_col = at(0, 1) - result.first;
    return result;
  }
  result_slot slot(shared_numbers& numbers, std::size_t& next) { return whole_.slot(numbers, next); }
  void request(const shared_numbers& numbers, number_reader& reader) { whole_.request(numbers, reader); }
  void complete() {
    whole_.complete();
    for (Eigen::Index j = 0; j < host_->cols(); ++j)
      for (Eigen::Index i = 0; i < host_->rows(); ++i) target_.coeffRef(i, j) = (*host_)(i, j);
  }

 private:
  Target& target_;
  std::unique_ptr<host> host_;  // stays where it is when this moves
  gradient_target<host> whole_;
};

/// The same where checks decide whether the derivative is wanted: until `complete` it waits elsewhere.
template <class Target>
class checked_gradient_target {
 public:
  using matrix = typename gradient_target<Target>::matrix;
  static constexpr bool is_number = gradient_target<Target>::is_number;
  checked_gradient_target(Target& target, std::int64_t rows, std::int64_t cols, const char* name)
      : target_(target), place_(gradient_target<Target>(target, rows, cols, name).place()) {
    if constexpr (is_matrix_cl<Target>::value) *staged_ = matrix(rows, cols);
    waiting_ = std::make_unique<gradient_target<Target>>(*staged_, rows, cols);
  }
  gradient_place place() const { return place_; }
  result_slot slot(shared_numbers& numbers, std::size_t& next) { return waiting_->slot(numbers, next); }
  void request(const shared_numbers& numbers, number_reader& reader) { waiting_->request(numbers, reader); }
  void complete() {
    waiting_->complete();
    if constexpr (is_matrix_cl<Target>::value)
      hand_over(*staged_, target_);
    else
      target_ = *staged_;
  }

 private:
  Target& target_;
  gradient_place place_;
  std::unique_ptr<Target> staged_ = std::make_unique<Target>();  // stays where it is when this moves
  std::unique_ptr<gradient_target<Target>> waiting_;
};

/// Its elements wait in a host matrix anyway.
template <host_gradient_part Target>
class checked_gradient_target<Target> : public gradient_target<Target> {
  using gradient_target<Target>::gradient_target;
};

}  // namespace detail
}  // namespace fusecl
