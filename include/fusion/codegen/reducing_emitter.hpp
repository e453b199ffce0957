#pragma once
// What the emitters of steps with reductions or scans share: accumulators r0, r1, ... (accumulators.ipp), and
// what follows when they are complete (results.ipp).

#include <fusion/base/list_of.hpp>
#include <fusion/codegen/step_emitter.hpp>

namespace fusecl::codegen::detail {

/// Text of the neutral element of a reduction.
std::string neutral_text(const node& n);

class reducing_emitter : public step_emitter {
 public:
  FUSECL_INLINE explicit reducing_emitter(const emit_request& r);

 protected:
  FUSECL_INLINE void declare_all() override;
  FUSECL_INLINE void finish() override;
  FUSECL_INLINE void add_up(value_emitter& values, list_of<std::string>& added) override;
  FUSECL_INLINE void accumulate(const list_of<std::string>& added, const char* suffix, const char* index,
                                int lanes) override;
  void order_reductions();
  void know_results(value_emitter& values) const;
  /// Whether the results of reductions are complete at the end of the main kernel.
  bool finishes_here() const { return !sums_.empty() && (!v_.partial || v_.last); }
  void declare_parts(bool written, int lanes);
  void declare_parts_together(bool written, int lanes);
  std::string combined(const node& n, const std::string& a, const std::string& b, int lanes);
  /// Where the accumulators of all reductions are: a pattern with a place for a reduction's number.
  using accumulators = const std::string&;
  static std::string at(accumulators all, std::size_t k) { return fill(all, {k}); }
  void merge(accumulators into, accumulators from, int lanes);
  void merge(const list_of<std::size_t>& which, accumulators into, accumulators from, int lanes);
  void add_element(std::size_t k, accumulators into, const std::string& element, int lanes);
  std::string running(std::size_t k, std::string_view text, accumulators own, accumulators other, int lanes);
  /// Whether a reduction is accumulated beside others.
  bool has_running() const;
  /// Whether all that is has rules for elements after the first one.
  bool decides_at_first() const;
  /// What the rules of these have for a value that stays as it is.
  static constexpr std::string_view own_value = "$0";
  /// Whether a reduction has to be told of the zeros outside of the step's part.
  bool misses_zeros(const node& n) const;
  void add_missed_zeros(const char* index, int lanes);
  std::string test_of_missed_zeros(const char* index, int lanes) const;
  // accumulators.ipp
  std::string lane_numbers_in_group() const;
  const char* unrolling() const;
  std::string inside(scalar_type type, int lanes) const;
  std::string inside(const std::string& value, const node& n, int lanes) const;
  void number_inside();
  void declare_accumulators(const char* suffix, int lanes, int count = 1);
  /// The same as that of element-wise steps, with the test of what hangs over the end.
  void visit(value_emitter& values, int lanes, const char* suffix, const char* accumulator_index);
  /// Vectors that have accumulators of their own there: combining these costs little.
  static constexpr int few_vectors = 256;
  /// Elements that one of them decides for: one far from the rest spoils no more than these.
  static constexpr int few_elements = 256;
  void visit_whole(value_emitter& values, const char* begin, const char* end, int apart);
  void visit_with_one_pivot(value_emitter& values, const char* begin, const char* end, int apart);
  void declare_pivots(value_emitter& values);
  void visit_in_turn(value_emitter& values, const char* begin, const char* end, int apart);
  void fold(bool with_tail);
  void fold_running(bool with_tail);
  void tree(std::string_view count, std::string_view apart, const char* self, int lanes,
            const char* member = "");
  void finish_results(const char* part, const char* index, int lanes);
  void finish_last_group();
  void add_parts(const char* index);
  void run_epilogue(const char* index, int lanes);
  access access_to_results(const char* index, int lanes);
  static list_of<std::size_t> natural_order(list_of<std::size_t> numbers);
  std::size_t widest_sum() const;
  bool is_beside(std::size_t k, std::size_t other) const;
  list_of<list_of<std::size_t>> batches_of_tree(int lanes) const;
  void declare_shared(int lanes);

  static std::string load_result(const void* self, const std::string& name, scalar_type type, bool rows,
                                 bool cols);

  const list_of<node_id>& sums_;             // what it reduces,
  const list_of<schedule::store>& results_;  // what follows over the shape of the results,
  list_of<node_id> result_values_;           // and the values of that
  /// Local memory that nobody needs any more when accumulators are combined; empty where they have their own.
  std::string room_;
  bool decided_ = false;          // elements that are added are not the first ones
  std::string result_index_;      // of the epilogue being written
  list_of<std::size_t> in_turn_;  // reductions by number, in the order in which accumulators may change
  ir::sparse_node_map<std::size_t> numbers_;                 // of reductions
  ir::sparse_node_map<list_of<std::size_t>> reductions_of_;  // by what they are of, in turn
};

}  // namespace fusecl::codegen::detail

#ifndef FUSECL_SPLIT
#include <fusion/codegen/accumulators.ipp>
#include <fusion/codegen/reducing_emitter.ipp>
#include <fusion/codegen/results.ipp>
#endif
