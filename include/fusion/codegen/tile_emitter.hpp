#pragma once
// The emitter of a row tile: one kernel goes through tiles of rows in phases; what it reduces across tiles is
// left in parts, which a second kernel adds (or, where groups see each other's writes, the last group).

#include <fusion/codegen/step_emitter.hpp>
#include <fusion/schedule/tile_load.hpp>

namespace fusecl::codegen::detail {

class tile_emitter : public step_emitter {
 public:
  explicit tile_emitter(const emit_request& r);

 private:
  /// A buffer that the tile reads: of rows and columns, or of rows alone (`cols` one).
  struct tile_operand {
    std::string name;
    scalar_type type;
    ir::extent cols;
  };
  using phase = schedule::phase;

  ir::extent rows_of(node_id id) const { return g_.resolve(g_[id].rows); }
  ir::extent cols_of(node_id id) const { return g_.resolve(g_[id].cols); }
  std::size_t number_of(ir::extent cols) const;
  std::string columns_name(ir::extent cols) const { return "cols" + std::to_string(number_of(cols)); }
  int columns_of(ir::extent cols) const { return v_.tile.columns[number_of(cols)]; }
  std::size_t number_of_reduction(node_id id) const;
  int last_level() const;
  void find_operands();
  /// Values of one column (`of_rows`) or of one row that a phase repeats.
  std::vector<node_id> repeated(const phase& p, bool of_rows) const;
  bool is_kept(node_id id) const;
  void add_size_argument(std::size_t number, const std::string& name);
  void declare_all() override;
  void walk() override;
  void finish() override;
  std::string folded(const node& n, const std::string& vector, int lanes);
  std::string neutral(const node& n, int lanes) const;

  // tile_gpu.ipp
  void walk_gpu();
  void load_tile(const std::string& suffix);
  void declare_tile(const std::string& suffix);
  void share_columns(value_emitter& values);
  void go_through(value_emitter& rows, const phase& p);
  void exchange(value_emitter& rows, const phase& p);
  void go_down(value_emitter& rows, const phase& p);
  void leave_sums();
  void leave_column_sums(std::size_t k);
  void leave_full_sum(std::size_t k);
  int combine_in_warp(const node& n, const std::string& name, int count);
  void define_exchange(const node& n, int lanes);
  bool shuffles_rows() const { return shuffles_ && v_.tile.lanes < 32; }
  int slot_groups() const;
  static std::string load_register(const void* self, const std::string& name, scalar_type, bool rows,
                                   bool cols);

  // tile_cpu.ipp
  void walk_cpu();
  access cpu_access(int lanes) const;
  void know_rows(value_emitter& values, bool rest) const;
  void declare_rows(node_id id);
  template <class Body>
  void for_rows(Body body);
  void declare_sum(node_id id, const std::string& count);
  std::string sum_of(node_id id, const std::string& index);
  void go_down_cpu(const value_emitter& around, const std::vector<node_id>& pinned, const phase* p);
  void add_sums(const phase& p);
  void store_cpu(const schedule::store& r, const std::string& at, const std::string& value, int lanes);
  void go_through_cpu(const value_emitter& around, const phase& p);
  void stage_columns(value_emitter& base, const phase& p);
  void cell(value_emitter& values, const phase& p, int lanes, bool rest);
  bool tail() const { return v_.ragged && v_.width > 1; }

  // tile_finish.ipp
  void finish_gpu();
  void finish_cpu(bool last_group);
  void add_section(const schedule::section& own, const std::string& index);
  void finish_section(const schedule::section& own, const std::string& index);

  /// Elements of the local memory in which work-items bring their sums together.
  static constexpr int together_elements = 1024;

  std::vector<ir::extent> extents_;
  std::vector<tile_operand> operands_;
  std::vector<node_id> kept_so_far_;
  std::vector<node_id> known_rows_;  // values of rows in arrays (CPU)
  bool shuffles_ = false;
};

}  // namespace fusecl::codegen::detail

#ifndef FUSECL_SPLIT
#include <fusion/codegen/tile_cpu.ipp>
#include <fusion/codegen/tile_emitter.ipp>
#include <fusion/codegen/tile_finish.ipp>
#include <fusion/codegen/tile_gpu.ipp>
#endif
