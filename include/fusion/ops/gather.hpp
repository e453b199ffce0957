#pragma once
// Elements at places that integers name, and the sums that are their derivative. The sum of what goes to one
// place is of a list of elements in ascending order, made once for the content of the indices, in pieces of
// bounded length that are summed in their turn: it is the same in every run, however uneven the lists are.

#include <span>

#include <fusion/base/config.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/ir/graph.hpp>

namespace fusecl::op {

/// Element (i, j) is element (row(i, j), col(i, j)) of operand 0.
struct indexing {
  static const ir::operation& record();
};
/// The same with the lists that its derivative needs: operands 3 to 8, of which `index` says how many levels
/// there are, whether the last one is there, and what they name.
struct listed_indexing {
  static const ir::operation& record();
};
/// Each element of operand 0 added to the element that operands 1 and 2 name; further operands as before.
struct scatter_add {
  static const ir::operation& record();
};
/// Sums of operand 0 over the lists of operand 1, which end where operand 2 says. `index` says what lists
/// name: where these are rows (or columns), each column (row) has sums over all lists.
struct segment_sum {
  static const ir::operation& record();
};
/// Sums of neighbouring elements of operand 0 up to where operand 1 says, or of neighbouring rows or columns.
struct run_sum {
  static const ir::operation& record();
};
/// The same value in memory.
struct stored {
  static const ir::operation& record();
};

}  // namespace fusecl::op

namespace fusecl::ops {

/// Levels of sums at most, and elements of a piece of a list unless that gives more levels. A work-item of a
/// CPU goes through its piece alone (PoCL, 1e6 elements to 1e4 places: 1.9 ms, 2.8 by pieces of 256).
inline constexpr int most_levels = 4;
inline constexpr std::int64_t piece = 256, piece_on_cpu = 32;
/// Operands of a node with lists: what it indexes and where (0 to 2), the order, ends of levels, order of
/// parts.
enum listed_operand { order_at = 3, ends_at = 4, parts_at = ends_at + most_levels, listed_operands };

/// What goes to each place: elements by number in the order of the places, and for each level where the
/// pieces end that are summed; the last level has a piece for each place. Where elements are many, the order
/// is that of parts of them which caches hold, and within a part that of the places: `parts` then has the
/// sums of the first level, by number, in the order of the places.
struct place_lists {
  list_of<std::int32_t> order;
  list_of<list_of<std::int32_t>> ends;
  list_of<std::int32_t> parts;
};

/// Elements of a part, of so many that go to `count` places; all of them where parts do not pay (H200, 1e7
/// elements to 1e4 places: 114 us for the first level against 256).
std::int64_t part_length(std::int64_t elements, std::int64_t count);

/// The lists of elements that go to `places` of `count`, in pieces of `shortest` elements or, where the
/// levels would not suffice, more, of parts of `part` elements. Throws std::length_error where there are more
/// elements than an int counts.
place_lists lists_of(std::span<const std::int64_t> places, std::int64_t count, std::int64_t shortest,
                     std::int64_t part);

/// Such lists as nodes: the order, the ends of each level and, where there are parts, their order.
struct listed_nodes {
  ir::listed_lines by;
  ir::node_id order;
  std::span<const ir::node_id> ends;
  ir::node_id parts = ir::no_node;
};

/// Element (i, j) of `m` for each of i and j, which have the extents given.
ir::node_id indexed(ir::graph& g, ir::node_id m, ir::node_id i, ir::node_id j, ir::extent rows,
                    ir::extent cols);
/// The same with the lists of its derivative.
ir::node_id indexed(ir::graph& g, ir::node_id m, ir::node_id i, ir::node_id j, ir::extent rows,
                    ir::extent cols, const listed_nodes& lists);
/// A rows x cols matrix of the sums of the elements of `a` that go to (i, j).
ir::node_id summed(ir::graph& g, ir::node_id a, ir::node_id i, ir::node_id j, ir::extent rows,
                   ir::extent cols, const listed_nodes& lists);
/// The sums of lists that `n`, a scatter_add, stands for, of the value `a`.
ir::node_id sums_of_lists(ir::graph& g, const ir::node& n, const ir::node_id* operands);
/// The value in memory: as it is where it is there.
ir::node_id in_memory(ir::graph& g, ir::node_id id);

}  // namespace fusecl::ops

#ifndef FUSECL_SPLIT
#include <fusion/ops/gather.ipp>
#endif
