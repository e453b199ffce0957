#pragma once
// Numbers that statements leave on the device: several of one statement in one buffer, and how the host reads
// them, with one copy a buffer and one wait for all.

#include <atomic>

#include <fusion/base/list_of.hpp>
#include <fusion/eval/statement.hpp>
#include <fusion/matrix/matrix_base.hpp>

namespace fusecl::detail {

/// A matrix whose element type is known elsewhere.
class untyped_matrix : public matrix_base {
 public:
  untyped_matrix() = default;
  /// Takes so many bytes of memory, whatever they hold.
  void take_bytes(std::size_t bytes);
};

/// A number on the device that is wanted on the host.
struct wanted_number {
  runtime::storage_ref from;
  std::size_t offset;  ///< in bytes
  scalar_type type;
  double* to;
  number_on_host known = {};  ///< where the host has computed it
};

/// The results of a statement that have one element, in one buffer; one alone is a matrix as any other. Where
/// the statement has numbers only they are computed on the host, and there is no buffer.
class shared_numbers {
 public:
  /// Room for so many.
  void take(std::size_t count);
  /// Number `k` as a result of the statement, which is run once.
  result_slot slot(std::size_t k, scalar_type type, const char* name) {
    result_slot own{&memory_, type, 1, 1, name};
    own.awaited = true;
    if (count_ > 1) own.number = static_cast<std::int32_t>(k);
    if (k < count_) {
      on_host_[k] = {type};
      own.on_host = &on_host_[k];
    }
    return own;
  }
  /// Copies all of them to `host`, each to a place of ir::number_stride bytes, and waits.
  void read(void* host) const;
  /// Number `k` to be read.
  wanted_number at(std::size_t k, scalar_type type, double& to) const {
    if (on_host_[k].is_known) return {{}, 0, type, &to, on_host_[k]};
    return {memory_.storage(), k * ir::number_stride, type, &to};
  }

 private:
  untyped_matrix memory_;
  list_of<number_on_host> on_host_;
  std::size_t count_ = 0;
};

/// Reads numbers from the device, waiting once for all of them. Those of a buffer that are asked for one
/// after the other come with one copy.
class number_reader {
 public:
  void request(wanted_number number) {
    if (number.known.is_known)
      *number.to = static_cast<double>(number.known.value);
    else
      wanted_.push_back(std::move(number));
  }
  /// Sets `done` once all are there, unless statements are only prepared.
  void report(std::atomic<bool>& done) { done_.push_back(&done); }
  /// Afterwards all are where they were wanted; while statements are only prepared, all are 1.
  void complete();

 private:
  list_of<wanted_number> wanted_;
  list_of<std::atomic<bool>*> done_;
};

}  // namespace fusecl::detail

#ifndef FUSECL_SPLIT
#include <fusion/eval/numbers.ipp>
#endif
