#pragma once
#include <algorithm>
#include <cstring>

#include <fusion/base/list_of.hpp>
#include <fusion/eval/evaluate.hpp>
#include <fusion/eval/numbers.hpp>
#include <fusion/runtime/queue.hpp>

namespace fusecl::detail {

FUSECL_INLINE void untyped_matrix::take_bytes(std::size_t bytes) {
  state().hold(runtime::make_storage(bytes), static_cast<std::int64_t>(bytes), 1, matrix_cl_view::Entire);
}

FUSECL_INLINE void shared_numbers::take(std::size_t count) {
  count_ = count;
  on_host_.resize(count);
  if (count > 1) memory_.take_bytes(count * ir::number_stride);
}

/// Writes the bytes of a number.
inline void write_number(const number_on_host& number, unsigned char* to) {
  visit_type(number.type, [&]<class T>(T value) {
    value = static_cast<T>(number.value);
    std::memcpy(to, &value, sizeof value);
  });
}

FUSECL_INLINE void shared_numbers::read(void* host) const {
  if (count_ > 0 && on_host_[0].is_known) {  // and so are all
    for (std::size_t k = 0; k < count_; ++k)
      write_number(on_host_[k], static_cast<unsigned char*>(host) + k * ir::number_stride);
    return;
  }
  const std::size_t bytes = count_ > 1 ? (count_ - 1) * ir::number_stride + sizeof(double)
                                       : std::min(sizeof(double), memory_.storage()->bytes());
  runtime::this_thread_queue().read(*memory_.storage(), 0, bytes, host);
}

/// The number whose bytes these are.
inline double number_at(const unsigned char* bytes, scalar_type type) {
  return visit_type(type, [&]<class T>(T value) {
    if constexpr (std::is_same_v<T, bool>)
      return static_cast<double>(*bytes);
    else
      std::memcpy(&value, bytes, sizeof value);
    return static_cast<double>(value);
  });
}

FUSECL_INLINE void number_reader::complete() {
  // what is read at once: a range of one buffer for the numbers from `first` up to the next one's
  struct copied_range {
    std::size_t first, begin, end, at;
  };
  small_buffer<copied_range, 8> ranges;
  std::size_t bytes = 0;
  for (std::size_t k = 0; k < wanted_.size() && !preparing; ++k) {
    const std::size_t begin = wanted_[k].offset, end = begin + size_of(wanted_[k].type);
    if (k == 0 || wanted_[k].from != wanted_[k - 1].from) {
      if (!ranges.empty()) bytes += ranges[ranges.size() - 1].end - ranges[ranges.size() - 1].begin;
      ranges.push_back({k, begin, end, bytes});
      continue;
    }
    copied_range& open = ranges[ranges.size() - 1];
    open.begin = std::min(open.begin, begin);
    open.end = std::max(open.end, end);
  }
  if (!ranges.empty()) bytes += ranges[ranges.size() - 1].end - ranges[ranges.size() - 1].begin;
  list_of<unsigned char> host(bytes);
  const runtime::pending_reads into_host;
  for (std::size_t r = 0; r < ranges.size(); ++r)
    runtime::this_thread_queue().read(*wanted_[ranges[r].first].from, ranges[r].begin,
                                      ranges[r].end - ranges[r].begin, host.data() + ranges[r].at,
                                      r + 1 == ranges.size());
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    const std::size_t next = r + 1 < ranges.size() ? ranges[r + 1].first : wanted_.size();
    for (std::size_t k = ranges[r].first; k < next; ++k)
      *wanted_[k].to =
          number_at(host.data() + ranges[r].at + (wanted_[k].offset - ranges[r].begin), wanted_[k].type);
  }
  if (preparing)
    for (const wanted_number& each : wanted_) *each.to = 1;
  wanted_.clear();
  for (std::atomic<bool>* each : done_) each->store(!preparing, std::memory_order_release);
  done_.clear();
}

}  // namespace fusecl::detail
