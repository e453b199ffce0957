#pragma once
#include <limits>
#include <stdexcept>

#include <fusion/base/fill.hpp>
#include <fusion/eval/prepared.hpp>
#include <fusion/eval/sort.hpp>
#include <fusion/eval/typed_kernels.hpp>
#include <fusion/runtime/kernel_cl.hpp>

namespace fusecl::detail {

/// Runs of `run` elements are sorted by insertion, one a work-item; then pairs of runs are merged. On a GPU
/// one element a work-item: its place is its number in its own run and the number of those before it in the
/// other, which a binary search finds. On a CPU a share of the result a work-item, which finds by a binary
/// search how many elements of either run precede it, and merges on from there (Odeh, Green, Mwassi, Shmueli
/// and Birk 2012, "Merge path"). Equal elements stay in order. TYPE is the element type, VARIANT 1 for
/// the largest first, else 0; with ORDER the places that elements come from go along. All have the same
/// parameters, used or not: one type of kernel_cl for a compiler.
inline constexpr std::string_view sort_source = R"(
#if ORDER
#define ALONG(...) __VA_ARGS__
#else
#define ALONG(...)
#endif
static inline int is_number(TYPE x) {
  const TYPE same = x;  // compilers warn of an integer beside itself
  return x == same;
}
static inline int is_before(TYPE a, TYPE b) {
  if (!is_number(b)) return is_number(a);
  return VARIANT ? a > b : a < b;
}
kernel void sort_runs(global const TYPE* from, global TYPE* to, global const int* unused, global int* places,
                      long count, long run) {
  const long begin = get_global_id(0) * run, end = min(begin + run, count);
  for (long i = begin; i < end; ++i) {
    const TYPE x = from[i];
    long k = i;
    for (; k > begin && is_before(x, to[k - 1]); --k) {
      to[k] = to[k - 1];
      ALONG(places[k] = places[k - 1];)
    }
    to[k] = x;
    ALONG(places[k] = (int)i;)
  }
}
kernel void merge_runs(global const TYPE* from, global TYPE* to, global const int* places,
                       global int* places_to, long count, long run) {
  const long i = get_global_id(0);
  if (i >= count) return;
  const long begin = i / (2 * run) * (2 * run);
  const long middle = min(begin + run, count), end = min(begin + 2 * run, count);
  const TYPE x = from[i];
  const int first = i < middle;
  long low = first ? middle : begin, high = first ? end : middle;
  while (low < high) {
    const long at = low + (high - low) / 2;
    const int goes_on = first ? is_before(from[at], x) : !is_before(x, from[at]);
    if (goes_on)
      low = at + 1;
    else
      high = at;
  }
  const long place = i + low - middle;
  to[place] = x;
  ALONG(places_to[place] = places[i];)
}
kernel void merge_shares(global const TYPE* from, global TYPE* to, global const int* places,
                         global int* places_to, long count, long run) {
  const long share = (count + get_global_size(0) - 1) / get_global_size(0);
  const long stop = min((long)(get_global_id(0) + 1) * share, count);
  for (long place = get_global_id(0) * share; place < stop;) {
    const long begin = place / (2 * run) * (2 * run);
    const long middle = min(begin + run, count), end = min(begin + 2 * run, count);
    const long before = place - begin;
    long a = begin + max(0L, before - (end - middle)), high = begin + min(before, middle - begin);
    while (a < high) {
      const long at = a + (high - a) / 2;
      if (is_before(from[middle + before - 1 - (at - begin)], from[at]))
        high = at;
      else
        a = at + 1;
    }
    long b = middle + before - (a - begin);
    for (const long last = min(end, stop); place < last; ++place) {
      const int takes_b = a >= middle || (b < end && is_before(from[b], from[a]));
      const long taken = takes_b ? b++ : a++;
      to[place] = from[taken];
      ALONG(places_to[place] = places[taken];)
    }
  }
}
kernel void put_in_order(global const TYPE* from, global TYPE* to, global const int* places,
                         global int* unused, long count, long unused_too) {
  const long k = get_global_id(0);
  if (k < count) to[places[k]] = from[k];
}
)";

using sort_kernel = kernel_cl<in_buffer, out_buffer, in_buffer, out_buffer, long, long>;

/// The kernels for one element type and direction.
struct sort_kernels {
  explicit sort_kernels(const std::string& source)
      : runs("sort_runs", "#define ORDER 0\n" + source),
        merge("merge_runs", "#define ORDER 0\n" + source),
        merge_shares("merge_shares", "#define ORDER 0\n" + source),
        ordered_runs("sort_runs", "#define ORDER 1\n" + source),
        ordered_merge("merge_runs", "#define ORDER 1\n" + source),
        ordered_merge_shares("merge_shares", "#define ORDER 1\n" + source),
        put("put_in_order", "#define ORDER 1\n" + source) {}

  const sort_kernel runs, merge, merge_shares, ordered_runs, ordered_merge, ordered_merge_shares, put;
};

/// Work-items in groups of a usual size.
FUSECL_INLINE cl::NDRange in_groups(std::int64_t items) {
  constexpr std::int64_t group = 64;
  return cl::NDRange(static_cast<std::size_t>((items + group - 1) / group * group));
}

FUSECL_INLINE void check_sortable(const char* function, std::int64_t rows, std::int64_t cols) {
  check_vector(function, rows, cols);
  if (rows > std::numeric_limits<int>::max() || cols > std::numeric_limits<int>::max())
    throw std::length_error(text::fill("{}: a ({} x {}) has too many elements", {function, rows, cols}));
}

FUSECL_INLINE matrix_base* sort_elements(const sortable& s, bool descending, matrix_base* const* order,
                                         matrix_base** sorted_order) {
  constexpr std::int64_t shortest_run = 32, share = 1024;
  matrix_base *from = s.elements, *to = s.other;
  const std::int64_t count = from->size();
  if (sorted_order) *sorted_order = order[0];
  if (count == 0) return from;
  const sort_kernels& kernels = typed_kernels<sort_kernels>(s.type, descending, sort_source);
  const cl::NDRange runs = in_groups((count + shortest_run - 1) / shortest_run);
  // without an order kernels take the elements in its place, and leave them alone
  (order ? kernels.ordered_runs : kernels.runs)(runs, *from, *to, *from, order ? *order[0] : *to, count,
                                                shortest_run);
  std::swap(from, to);
  const bool in_shares = selected_device_shape().form == schedule::device_form::cpu;
  const sort_kernel& merge = in_shares ? (order ? kernels.ordered_merge_shares : kernels.merge_shares)
                                       : (order ? kernels.ordered_merge : kernels.merge);
  const cl::NDRange merging = in_groups(in_shares ? (count + share - 1) / share : count);
  int at = 0;
  for (std::int64_t run = shortest_run; run < count; run *= 2, at = 1 - at) {
    merge(merging, *from, *to, order ? *order[at] : *from, order ? *order[1 - at] : *to, count, run);
    std::swap(from, to);
  }
  if (sorted_order) *sorted_order = order[at];
  return from;
}

FUSECL_INLINE void put_in_order(const matrix_base& from, const matrix_base& order, matrix_base& to,
                                scalar_type type) {
  if (from.size() == 0) return;
  typed_kernels<sort_kernels>(type, false, sort_source)
      .put(in_groups(from.size()), from, to, order, to, from.size(), 0);
}

}  // namespace fusecl::detail
