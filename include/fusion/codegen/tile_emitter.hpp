#pragma once
// The emitter of a row tile: one kernel goes through tiles of rows in phases; what it reduces across tiles is
// left in parts, which a second kernel adds (or, where groups see each other's writes, the last group).

#include <fusion/base/list_of.hpp>
#include <fusion/codegen/reducing_emitter.hpp>
#include <fusion/schedule/like_chains.hpp>
#include <fusion/schedule/row_products.hpp>
#include <fusion/schedule/tile_load.hpp>

namespace fusecl::codegen::detail {

/// Columns that a pass on a CPU takes at a time: an array of rows is loaded and stored once for all of them.
inline constexpr int cpu_columns = 4;

class tile_emitter : public reducing_emitter {
 public:
  explicit tile_emitter(const emit_request& r);

 private:
  /// A buffer that the tile reads: of rows and columns, or of rows alone (`cols` one).
  struct tile_operand {
    std::string name;
    scalar_type type;
    ir::extent cols;
    matrix_cl_view view;
  };
  using phase = schedule::phase;
  using tile_fetch = schedule::tile_fetch;
  using tile_walk = schedule::tile_walk;

  ir::extent rows_of(node_id id) const { return g_.resolve(g_[id].rows); }
  ir::extent cols_of(node_id id) const { return g_.resolve(g_[id].cols); }
  std::size_t number_of(ir::extent cols) const;
  std::string columns_name(ir::extent cols) const { return fill("cols{}", {number_of(cols)}); }
  int columns_of(ir::extent cols) const { return v_.tile.columns[number_of(cols)]; }
  std::size_t number_of_reduction(node_id id) const;
  int last_level() const;
  void find_operands();
  /// What a phase computes, and what it is given for that.
  ir::node_set computed_in(const phase& p) const;
  /// Values of one column (`of_rows`) or of one row that a phase repeats.
  list_of<node_id> repeated(const phase& p, bool of_rows) const;
  bool is_kept(node_id id) const;
  void add_extent_arguments();
  FUSECL_INLINE void declare_all() override;
  FUSECL_INLINE void walk() override;
  FUSECL_INLINE void finish() override;
  access tile_access(int lanes, const char* col) const;
  std::string folded(const node& n, const std::string& vector, int lanes);
  std::string neutral(const node& n, int lanes) const;
  void add_to(const std::string& sum, const node& n, const std::string& value, int lanes);

  /// Texts of what a phase stores and reduces, in one place of its loops.
  struct phase_values {
    list_of<std::string> stored, along, across;
  };
  phase_values values_of(value_emitter& values, const phase& p);

  // tile_gpu.ipp
  void walk_gpu();
  std::string column_at(const std::string& slot, const std::string& register_number) const;
  void open_columns(int count, const char* unrolling = "#pragma unroll\n");
  void load_tile(const char* suffix, const char* row);
  bool is_last_over_columns(const phase& p) const;
  void refill_columns(const phase& p);
  void refill_rows();
  std::string element_of_tile(const tile_operand& o, const char* row) const;
  void declare_tile(const char* suffix);
  void take_loaded();
  void declare_sums();
  void share_columns(value_emitter& values);
  void go_through(value_emitter& rows, const phase& p);
  void exchange(value_emitter& rows, const phase& p);
  void leave_part(node_id id, const std::string& parts);
  void add_parts(node_id id, int lanes, int count, const std::string& first, const std::string& each);
  void add_parts(node_id id, const std::string& parts);
  void exchange_in_warp(const node& n, const std::string& own);
  void go_down(value_emitter& rows, const phase& p);
  void store_and_add(const phase& p, const phase_values& v, const char* sums = "a");
  void add_across(node_id reduction, std::string value, const char* sum = "a");
  void leave_sums();
  void finish_sums();
  void leave_column_sums(std::size_t k);
  void leave_full_sums(const list_of<std::size_t>& sums);
  int combine_in_warp(const node& n, const std::string& name, int count);
  /// A variable of every work-item and the reduction that combines them.
  struct tree_value {
    node_id reduction;
    std::string variable;
  };
  static int trees_at_once(int local);
  static list_of<list_of<tree_value>> trees(const list_of<tree_value>& values, int local);
  void open_trees(const list_of<tree_value>& values, const char* self, int apart, int stride, int least);
  std::string exchanged(const node& n, int lanes, const std::string& name, int distance);
  void define_exchange(const node& n, int lanes);
  bool shuffles_rows() const { return shuffles_ && v_.tile.lanes < 32; }
  int slot_groups() const { return schedule::exchanged_parts(v_.tile); }
  static std::string load_register(const void* self, const std::string& name, scalar_type, bool rows,
                                   bool cols);

  // tile_chains.ipp
  void find_likeness();
  void declare_chains();
  void begin_chains(value_emitter& around);
  std::string place_of(const char* kind, std::size_t k, bool given, std::size_t n) const;
  void exchange_chains(value_emitter& rows);
  void follow_chain(const value_emitter& rows, std::size_t k);
  void follow_rows(const value_emitter& rows, std::size_t k, const phase& p);
  void leave_chain_sums();
  static std::string load_of_own_row(const void* self, const std::string& name, scalar_type, bool rows, bool);
  std::string elements_written(const schedule::store& result) const;
  std::string at_own_row(node_id id, const std::string& place) const;
  void complete_own_rows(const value_emitter& rows);
  struct row_tasks {
    list_of<phase> with_given, costly, early;
  };
  row_tasks tasks_of_rows() const;
  void give_own_rows(value_emitter& values);
  value_emitter own_rows(const value_emitter& rows, bool completes);
  void add_own_rows(const value_emitter& rows, const phase& p);
  access access_to_own_row(decltype(access::load) load) const;
  void store_and_add_own(value_emitter& values, const phase& p);

  bool multiplies() const { return v_.tile.walk == tile_walk::products; }
  bool is_team() const { return v_.tile.walk == tile_walk::team; }

  // tile_team.ipp
  /// Text of the number of the group, in a team the one that it has taken, so that the same sums are added in
  /// the same order at each launch; and of its team, or of the group where it has none.
  const char* own_group() const { return is_team() ? "taken[0]" : "get_group_id(0)"; }
  const char* own_team() const { return is_team() ? "team" : "get_group_id(0)"; }
  int rows_of_tile() const { return v_.tile.lanes * v_.width; }
  void begin_team();
  void end_team();
  void declare_team();
  template <class Body>
  void each_column(ir::extent cols, const Body& body);
  void copy_rows(const char* stage, const char* row);
  std::string element_of_team(const char* tag, const char* member, std::size_t k, const char* row) const;
  void ask_team();
  void load_own_row();
  void go_over_columns(value_emitter& rows, const access& how, const phase& p);
  void add_part_of_rows(const value_emitter& around);
  void leave_to_team();
  void wait_for_team();
  void complete_rows_of_team(const value_emitter& around);
  void add_columns_of_team(const value_emitter& around);
  static std::string load_copied(const void* self, const std::string& name, scalar_type, bool rows,
                                 bool cols);
  static std::string load_kept(const void* self, const std::string& name, scalar_type, bool rows, bool cols);
  static std::string load_of_completed(const void* self, const std::string& name, scalar_type, bool rows,
                                       bool);
  void walk_team();

  // tile_twice.ipp
  int slots_of_rows() const { return static_cast<int>(shape_.local) / v_.tile.rows; }
  int parts_of_rows() const;
  access access_to_element(const char* col) const;
  static std::string load_element(const void* self, const std::string& name, scalar_type, bool rows,
                                  bool cols);
  std::string given(std::size_t k, const char* row) const;
  std::string part_of_row(std::size_t k, const char* part) const;
  void find_sums_of_rows();
  value_emitter emitter_of_part(bool of_rows);
  void add_alone_apart();
  void add_sums_of_rows();
  void leave_sums_of_rows();
  void bring_tile();
  void add_along_rows(const value_emitter& around);
  void leave_parts_of_rows();
  void complete_rows();
  void add_by_columns(const value_emitter& around);
  void walk_twice();

  // tile_products.ipp
  schedule::product_tile shape_of_products() const;
  std::string product_value(const char* part, std::size_t k, const char* row) const;
  std::string name_of_matrix() const;
  void define_instructions();
  void declare_products();
  void take_coefficients(const value_emitter& around);
  std::string own_coefficient(int n) const;
  void copy_tile();
  void multiply_rows();
  void multiply_columns();
  void leave_products();
  void walk_products();

  // tile_alone.ipp
  struct term {
    node_id value;
    bool minus;
  };
  list_of<term> terms_of(node_id reduction) const;
  void find_alone();
  bool follows_from_rows(node_id value) const;
  std::string rest_of(value_emitter& values, node_id reduction);
  std::string added(value_emitter& values, const list_of<term>& terms);
  node_id whole_operand(const list_of<node_id>& values) const;
  bool is_whole(node_id id) const;
  list_of<node_id> sums_of_alone() const;
  std::int64_t table_bytes() const;
  std::string added_alone(value_emitter& values, node_id reduction);
  void fill_tables(const value_emitter& around);
  void add_from_tables(const value_emitter& around);
  static std::string load_of_row(const void* self, const std::string& name, scalar_type, bool rows, bool);
  void add_alone(const value_emitter& around);

  // tile_cpu.ipp; of each pair of loops over rows the second one takes the `rest`, which fills no vector
  void walk_cpu();
  value_emitter row_values(const value_emitter& around, bool rest);
  void declare_rows(node_id id);
  void open_rows(bool rest);
  void open_some_columns(const std::string& cols);
  void declare_sum(node_id id, bool of_columns);
  std::string sum_of(node_id id, const char* index);
  void go_down_cpu(const value_emitter& around, const list_of<node_id>& pinned, const phase* p);
  void add_sums(const phase& p);
  void store_and_add_cpu(const phase& p, const phase_values& v, bool rest);
  void bring_columns(const list_of<std::string>& operands);
  void go_through_cpu(const value_emitter& around, const phase& p);
  void stage_columns(value_emitter& base, const phase& p);
  bool is_column_sum(node_id id) const { return g_[id].axis() == axis::column && cols_of(id) != ir::one; }
  /// Whether a value is worth an array that keeps it.
  bool is_worth_keeping(node_id id) const {
    return g_[id].op->kind == ir::op_class::elementwise && g_[id].type != scalar_type::boolean;
  }
  int row_loops() const { return v_.ragged && v_.width > 1 ? 2 : 1; }

  // tile_finish.ipp
  struct tree_shape {
    const char* self;
    int apart, count;
  };
  void combine_over_group(const list_of<tree_value>& values, const tree_shape& shape,
                          const std::string& place);
  void finish_gpu(bool last_group);
  void finish_cpu(bool last_group);
  void begin_finish();
  std::string parts_of(const schedule::section& own, const char* groups) const;
  void add_section_sizes(std::size_t e);
  void begin_section(const schedule::section& own);
  void add_section(const schedule::section& own, const std::string& index);
  value_emitter begin_results(const schedule::section& own, const list_of<node_id>& ids);
  void finish_section(const schedule::section& own);
  void add_needed(const schedule::section& own, const char* first, int apart);
  void know_sums(value_emitter& values, const schedule::section& own);
  access access_to_small(const std::string& rows);
  void finish_small_results(const schedule::section& own, const char* first, int apart);
  void finish_small_results(const schedule::section& own, const schedule::small_results& small,
                            const list_of<node_id>& kept, const char* first, int apart);
  static std::string load_small(const void* self, const std::string& name, scalar_type type, bool rows,
                                bool cols);

  /// Whole numbers, from 0 on, whose terms of rows alone have tables.
  static constexpr int table_places = 256;
  /// Local memory of their tables, at most: what columns have in common has as much besides.
  static constexpr std::int64_t most_table_bytes = schedule::shared_column_bytes / 2;
  /// Elements of the local memory in which work-items bring their sums together.
  static constexpr int together_elements = schedule::together_bytes / 8;

  list_of<ir::extent> extents_;
  list_of<tile_operand> operands_;
  list_of<node_id> kept_so_far_;
  std::string small_place_;       // of the element of a small result being written
  list_of<node_id> known_rows_;   // values of rows in arrays (CPU)
  list_of<std::string> brought_;  // operands whose columns a pass has read (CPU)
  ir::node_set alone_;            // terms of rows alone that are added before the tiles (GPU)
  node_id counts_ = ir::no_node;  // what they follow from, where its whole numbers have tables
  bool shuffles_ = false;
  list_of<schedule::row_chain> chains_;  // that slots have (GPU)
  schedule::like_chains like_;           // how they are alike
  schedule::row_chain joined_;           // of rows that are read before the columns (GPU)
  list_of<node_id> sums_of_rows_;        // of the first of the values that they give
  schedule::row_products products_;      // that tensor cores compute (GPU)
};

}  // namespace fusecl::codegen::detail

#ifndef FUSECL_SPLIT
#include <fusion/codegen/tile_alone.ipp>
#include <fusion/codegen/tile_chains.ipp>
#include <fusion/codegen/tile_cpu.ipp>
#include <fusion/codegen/tile_emitter.ipp>
#include <fusion/codegen/tile_finish.ipp>
#include <fusion/codegen/tile_gpu.ipp>
#include <fusion/codegen/tile_products.ipp>
#include <fusion/codegen/tile_sums.ipp>
#include <fusion/codegen/tile_team.ipp>
#include <fusion/codegen/tile_twice.ipp>
#endif
