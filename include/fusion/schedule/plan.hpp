#pragma once
// A statement cut into steps. A step walks one domain once: it stores element-wise results, accumulates
// reductions over one axis and finishes with what follows from these reductions alone (its epilogue).

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include <fusion/base/list_of.hpp>
#include <fusion/ir/graph.hpp>
#include <fusion/ir/node_map.hpp>

namespace fusecl::schedule {

/// Kind of device a schedule is made for: a GPU wants many small work-items and coalesced access, a CPU few
/// work-items with contiguous chunks of explicit vectors.
enum class device_form : std::uint8_t { gpu, cpu };

/// Device memory a kernel touches.
enum class buffer_kind : std::uint8_t {
  operand,    ///< matrix of the statement, by slot
  target,     ///< result of the statement, by number of the root
  temporary,  ///< what a step leaves for others, by number in plan::temporaries
  partial     ///< what the groups of a step leave for its finishing kernel, by position in step::reductions
};

struct buffer {
  buffer_kind kind;
  std::int64_t number;
  friend bool operator==(const buffer&, const buffer&) = default;
};

/// A value that a step writes.
struct store {
  ir::node_id value;
  buffer to;
  ir::root_place place = {};  ///< in the buffer
};

/// Whether what is stored outside of the value's view may be read: of a part of a matrix, or by other steps.
inline bool is_read_in_full(const store& s) { return s.place.is_part || s.to.kind == buffer_kind::temporary; }

/// One pass over a tile of rows with all its columns, or over its rows alone.
struct phase {
  int level = 0;                ///< what lower levels reduce along the rows is complete
  ir::extent cols = ir::one;    ///< `one`: over the rows alone
  list_of<ir::node_id> along;   ///< reductions along the rows, complete after this level
  list_of<ir::node_id> across;  ///< reductions of which every tile leaves a part
  list_of<store> stores;

  /// What it evaluates.
  list_of<ir::node_id> values(const ir::graph& g) const;
  bool empty() const { return along.empty() && across.empty() && stores.empty(); }
};

/// What follows from the sums of a section and fills a small matrix of its own: of one number any matrix, of
/// a row of sums a matrix that has a row (or a column) for each of them.
struct small_results {
  enum class line : unsigned char { none, row, column };

  line by = line::none;  ///< what a sum has of the matrix
  ir::extent rows = ir::one;
  ir::extent cols = ir::one;
  list_of<store> stores;
};

/// Sums of everything over a few elements, which the section that needs them adds up itself.
struct small_sums {
  ir::extent rows = ir::one;
  ir::extent cols = ir::one;
  list_of<ir::node_id> reductions;
};

/// Reductions across the tiles whose results have one shape, finished when all tiles have left their parts.
struct section {
  ir::axis axis = ir::axis::all;
  ir::extent cols = ir::one;
  list_of<ir::node_id> reductions;
  list_of<store> epilogue;
  list_of<small_results> small;
  list_of<small_sums> needed;  ///< of a section of single numbers
};

struct step {
  step();
  step(const step& other);
  step(step&& other) noexcept;
  step& operator=(const step& other);
  step& operator=(step&& other) noexcept;
  ~step();

  bool linear = false;        ///< all operands are contiguous and of the domain's shape: one index
  bool reduces = false;       ///< has values that are complete only after its walk
  bool scans = false;         ///< these are scans, and what follows from them is of the domain's shape
  bool from_end = false;      ///< of every row or column
  bool opaque = false;        ///< its reduction is the result of a kernel of its own, over all of the domain
  bool reuses_rows = false;   ///< reads a column vector again for every column
  bool maps = false;          ///< reads or writes elements at places that are not those of the domain
  bool transposes = false;    ///< and there, what is below each other in the domain is side by side
  bool stands_alone = false;  ///< computes values that all others load, and is merged with none
  /// Of the domain; outside of it there is nothing to read, compute or write.
  matrix_cl_view part = matrix_cl_view::Entire;
  ir::axis axis = ir::axis::all;  ///< of the reductions
  ir::extent rows = ir::one;      ///< of the domain
  ir::extent cols = ir::one;
  list_of<store> stores;            ///< element-wise results over the domain
  list_of<ir::node_id> reductions;  ///< all along `axis`: reductions, or scans of one direction
  list_of<store> epilogue;          ///< over the shape of their results
  list_of<ir::node_id> sums;  ///< of an opaque step: reductions along `axis` of what follows from its result
  list_of<store> after_sums;  ///< over the shape of their results
  list_of<phase> phases;      ///< of a row tile, by level
  list_of<section> sections;  ///< of a row tile; `reductions` and `epilogue` have what all of them have
  list_of<ir::node_id> needed;       ///< of a row tile: sums that its sections add up themselves
  list_of<ir::node_id> kept;         ///< of a row tile: values that a phase keeps for later ones
  list_of<std::int64_t> last_reads;  ///< temporaries that no later step reads, by number
  list_of<ir::node_id> made;         ///< values that other steps may load, in ascending order
  list_of<ir::node_id> completed;    ///< reductions along the rows of a tile, in ascending order
  double flops = 0;                  ///< spent on an element of the domain
  std::string reason;                ///< why it is a step of its own

  /// Whether its elements go through a function such as an exponential, which takes registers and time.
  bool is_heavy() const { return flops >= 12; }
  /// Whether a loop over its elements may be unrolled by a compiler: not where registers would not do for
  /// that many of its bodies side by side. Nothing is gained there, kernels take up to half a minute to
  /// build, and drivers were seen to make wrong code of it (docs/decisions/0031).
  bool may_be_unrolled(int times) const { return flops * times <= 2000; }
  /// Whether nothing of its domain is above, or below, the diagonal.
  bool is_below_diagonal() const { return !contains_nonzero(part, matrix_cl_view::Upper); }
  bool is_above_diagonal() const { return !contains_nonzero(part, matrix_cl_view::Lower); }
  /// Whether it goes through rows with all their columns in phases.
  bool is_tile() const { return !phases.empty(); }
  /// Notes what it makes; after changes of its reductions, stores or phases.
  void note_made();
  /// Whether it computes this value that other steps may load.
  bool makes(ir::node_id value) const { return std::binary_search(made.begin(), made.end(), value); }
  /// Whether it completes this reduction along the rows of a tile.
  bool completes(ir::node_id reduction) const {
    return std::binary_search(completed.begin(), completed.end(), reduction);
  }
  /// What it evaluates over its domain before its reductions or scans are complete.
  list_of<ir::node_id> domain_values(const ir::graph& g) const;
  /// Where anybody looks at these, one by one. `exact`: nothing outside of the part is walked.
  list_of<matrix_cl_view> domain_parts(const ir::graph& g, bool exact) const;
  /// What it evaluates over its domain at all.
  list_of<ir::node_id> walked_values(const ir::graph& g) const;
};

/// A value that another step reads: the result of a reduction, or what follows from it and would be computed
/// again for every row or column that repeats it.
struct temporary {
  ir::node_id value;
  ir::extent rows;
  ir::extent cols;
  scalar_type type;
  std::size_t first_step;  ///< which computes it; numbers of temporaries ascend with it
};

struct plan {
  plan();
  plan(const plan& other);
  plan(plan&& other) noexcept;
  plan& operator=(const plan& other);
  plan& operator=(plan&& other) noexcept;
  ~plan();

  ir::graph graph;  ///< after all passes
  device_form form = device_form::gpu;
  bool joins_sums = false;  ///< the step of a product takes reductions of what follows from it
  list_of<step> steps;
  list_of<temporary> temporaries;
  list_of<std::int64_t> temporary_numbers;  ///< by node, -1 for those without
  /// safe_in_place[root][slot]: the root may be written to the memory of that operand.
  list_of<list_of<char>> safe_in_place;
  /// Extent symbols grouped: a symbol whose run-time size is known for each class of equal symbols.
  list_of<ir::extent> known_extent;

  /// Run-time size of an extent symbol, given those of the statement; 1 for one that is free.
  std::int64_t size_of(ir::extent e, std::span<const std::int64_t> extents) const;
  /// Number of the temporary that holds `value`, or -1.
  std::int64_t temporary_of(ir::node_id value) const {
    const auto at = static_cast<std::size_t>(value);
    return at < temporary_numbers.size() ? temporary_numbers[at] : -1;
  }
  /// Whether a step reads `value` from a temporary.
  bool loads(const step& s, ir::node_id value) const { return temporary_of(value) >= 0 && !s.makes(value); }
  /// Whether a step has a value before it walks: another's, or a collective, whose elements it has as a
  /// whole.
  bool is_given(const step& s, ir::node_id value) const {
    return ir::is_collective(graph[value]) || loads(s, value);
  }
  /// What `ids` are computed from in a step, with what it is given.
  ir::node_set cone(const step& s, const list_of<ir::node_id>& ids) const {
    return ir::reachable(graph, ids, [&](ir::node_id id) { return is_given(s, id); });
  }
};

/// The reductions of which the groups of a step leave parts, where it reduces or is opaque with sums.
inline const list_of<ir::node_id>& sums_of(const step& s) { return s.opaque ? s.sums : s.reductions; }

/// Whether one of these reductions is accumulated beside others (ops/running.hpp).
inline bool any_running(const ir::graph& g, const list_of<ir::node_id>& reductions) {
  return std::any_of(reductions.begin(), reductions.end(),
                     [&](ir::node_id id) { return g[id].op->running != nullptr; });
}

/// Element type of what the groups of a step leave: of its reductions in turn, or all of one opaque result's.
inline scalar_type type_of_part(const plan& p, const step& s, std::size_t part) {
  const list_of<ir::node_id>& sums = sums_of(s);
  return p.graph[sums.empty() ? s.reductions[0] : sums[part]].type;
}

/// Whether steps that share rows are merged into one that walks tiles of rows, and small steps behind that
/// with its finish.
enum class row_tiles : unsigned char { no, yes, with_small_results };

/// Cuts a graph that has been through the passes. `extents` are run-time sizes (negative where free), used
/// only to see which symbols are known. `joins_sums` is that of the plan.
plan make_plan(ir::graph g, device_form form, const std::int64_t* extents, std::size_t extent_count,
               row_tiles tiles = row_tiles::no, bool joins_sums = false);

/// The plans to choose from by the sizes, best first; the last one holds for all sizes.
list_of<plan> make_plans(const ir::graph& g, device_form form, const std::int64_t* extents,
                         std::size_t extent_count);

/// Cuts the graph of a plan with element-wise operations only.
void cut_elementwise(plan& p);
/// Cuts the graph of a plan with more than element-wise operations.
void cut_in_stages(plan& p, row_tiles tiles);

/// Text of the steps for a reader; `kinds` are names for what walks them.
std::string to_string(const plan& p, std::span<const std::string_view> kinds = {});

}  // namespace fusecl::schedule

#ifndef FUSECL_SPLIT
#include <fusion/schedule/plan.ipp>
#include <fusion/schedule/step.ipp>
#endif
