#pragma once
// Products of matrices of double on the tensor cores of NVIDIA's GPUs: a group computes a tile, of which
// every warp keeps a part in registers; slices of the operands come to a ring in local memory by asynchronous
// copies.

#include <cmath>

#include <fusion/base/fill.hpp>
#include <fusion/kinds/product_emitter.hpp>
#include <fusion/kinds/tensor_tile.hpp>

namespace fusecl::kinds {
namespace tensor_product_walk {

using schedule::divide_up, schedule::geometry, schedule::launch_request, schedule::plan, schedule::step;

// Rows of tiles that groups go through together, so that the caches hold what they share.
inline constexpr int panel = 8;
/// Whether the elements of operand `k` are read as they are, so that copies need an address alone.
inline bool is_plain(const plan& p, const step& s, int k) {
  const ir::graph& g = p.graph;
  ir::node_id id = g[s.reductions[0]].operands[k];
  for (; ir::maps_places(g[id]); id = g[id].operands[0])
    if (g[id].map.is_guarded() || g[id].view != matrix_cl_view::Entire) return false;
  return g[id].view == matrix_cl_view::Entire;
}

/// Whether two elements of operand `k` that follow each other in memory can be copied at once: it is a matrix
/// or its transpose, with columns of an even length.
inline bool is_paired(const launch_request& r, int k) {
  const ir::graph& g = r.p.graph;
  ir::node_id id = g[r.s.reductions[0]].operands[k];
  for (; ir::maps_places(g[id]); id = g[id].operands[0])
    if (!g[id].map.is_identity() && !g[id].map.is_transpose()) return false;
  return r.size(g.resolve(g[id].rows)) % 2 == 0;
}

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  return p.form == schedule::device_form::gpu && is_product(p, s) &&
         type_of_product(p, s) == scalar_type::float64 && is_plain(p, s, 0) && is_plain(p, s, 1);
}

// What a second launch (us) and reading parts (bytes/us) take.
inline constexpr double finish_time = 6, finish_rate = 3e6;

struct choice {
  const tile* t;
  std::int64_t tiles;
  std::int64_t parts;  ///< shares of the terms
  double time;         ///< us
};

/// The tile and the parts that take the least time.
FUSECL_INLINE choice best_choice(const launch_request& r, std::int64_t terms) {
  const std::int64_t rows = r.rows(), cols = r.cols(), most = most_parts(rows, cols, 8, terms);
  const product_parts needed = parts_of_product(r.p, r.s);
  choice best{tiles, 0, 1, HUGE_VAL};
  for (const tile& t : tiles) {
    const auto tiles_by = [&](int high) {
      return tiles_of_product(needed, rows, cols, t.rows, t.cols, high);
    };
    const std::int64_t count = tiles_by(1);  // without those that end at once
    for (std::int64_t parts = 1; parts <= most; parts += 1 + parts / 8) {
      const auto rounds = static_cast<double>(divide_up(count * parts, r.device.compute_units));
      double time = 1e-3 * static_cast<double>(divide_up(terms, parts)) * (t.fixed + t.each * rounds);
      if (parts > 1) time += finish_time + static_cast<double>(8 * parts * rows * cols) / finish_rate;
      if (time < best.time) best = {&t, tiles_by(panel), parts, time};
    }
  }
  return best;
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  geometry g;
  g.groups = -1;
  if (!r.device.tensor_cores) return g;
  const std::int64_t rows = r.rows(), cols = r.cols(), terms = inner_size(r);
  const choice best = best_choice(r, terms);
  const tile& t = *best.t;
  g.local = threads(t);
  const std::int64_t ring = 8 * depth * t.slices * (t.rows + t.cols);
  if (g.local > r.device.largest_group || ring > r.device.local_bytes) return g;
  const std::int64_t row_tiles = divide_up(rows, t.rows);
  g.kernel.distinct = r.distinct;
  g.kernel.choices[0] = static_cast<std::uint16_t>(best.t - tiles);
  for (int k = 0; k < 2; ++k) g.kernel.choices[1 + k] = is_paired(r, k) ? 2 : 1;
  g.sizes = {{"rows", rows},
             {"cols", cols},
             {"inner", terms},
             {"row_tiles", std::max<std::int64_t>(1, row_tiles), true}};
  share_terms(g, best.tiles, rows * cols, terms, best.parts, depth);
  if (parts_of_product(r.p, r.s).symmetric) g.sizes.push_back({"tiles", best.tiles, true});
  return g;
}

class emitter final : public tile_emitter<product_emitter> {
 public:
  explicit emitter(const codegen::emit_request& r) : tile_emitter(r, tiles[r.shape.kernel.choices[0]]) {
    for (int k = 0; k < 2; ++k)
      copied_[k] = {k == 0 ? "a" : "b",
                    k == 0 ? "first_row" : "first_col",
                    k == 0 ? "rows" : "cols",
                    k == 0 ? tile_.rows : tile_.cols,
                    lies_along_rows(k) == (k == 0),
                    v_.choices[1 + k],
                    static_cast<int>(shape_.local)};
  }

 private:
  bool adds_range() const override { return has_own_terms(); }

  void walk() override {
    define_instructions();
    for (const operand& o : copied_)
      out_.line("local double {}_ring[{}] __attribute__((aligned(128)));",
                {o.name, tile_.slices * depth * o.length});
    out_.line(
        "const uint lane = get_local_id(0), warp = lane / 32, down = lane % 32 / 4, across = lane % 4;");
    place_of_tile();
    terms_of_tile(tile_.rows, tile_.cols);
    codegen::value_emitter values = start_epilogue();
    declare_sums();
    if (stores_interior_apart())
      out_.line("const bool interior = first_row + {} <= rows && first_col + {} <= cols;",
                {tile_.rows, tile_.cols});
    add_terms();
    store_tile(values);
  }

  void place_of_tile() {
    if (parts_.symmetric) {
      number_of_group("tiles");
      return place_in_half(tile_.rows, tile_.cols, panel);
    }
    out_.line("const uint col_tiles = (uint)((cols + {}) / {});", {tile_.cols - 1, tile_.cols});
    number_of_group("row_tiles * col_tiles");
    out_.line("const uint panel = group / ({} * col_tiles), place = group - panel * {} * col_tiles;",
              {panel, panel});
    out_.line("const uint high = min({}u, row_tiles - panel * {});", {panel, panel});
    out_.line("const long first_row = (long)(panel * {} + place % high) * {};", {panel, tile_.rows});
    out_.line("const long first_col = (long)(place / high) * {};", {tile_.cols});
  }

  /// Address of an element of operand `k`, whose line and term are texts.
  void set_address(int k, const std::string& to, const std::string& line, const std::string& term) override {
    out_.open("");
    out_.line("const long line = {}, term = {};", {line, term});
    out_.line("{} {};", {to, k == 0 ? address(k, "line", "term") : address(k, "term", "line")});
    out_.close();
  }

  void store_tile(const codegen::value_emitter& values) {
    if (!stores_interior_apart()) return store_units(values, true);
    out_.open("if (interior)");
    note_loads(values);
    store_units(values, false);
    out_.close();
    out_.open("else");
    store_units(values, true);
    out_.close();
  }

  /// Whether what tiles within the result need besides is loaded ahead.
  bool stores_interior_apart() const { return !v_.partial && !parts_.symmetric; }

  /// Element by element; those outside of the result are left out at an edge. In the interior what else they
  /// need is loaded ahead.
  void store_units(codegen::value_emitter values, bool edge) {
    each("v", units_across());
    if (!edge) load_ahead();
    const char *row = parts_.symmetric ? "own_row" : "i", *col = parts_.symmetric ? "own_col" : "j";
    each_element(row, col);
    if (edge)
      store_sum_at(values, "sums[u][v][q]", row, col);
    else
      store_sum(values, "sums[u][v][q]", reading_ahead());
    close_units();
    out_.close();
  }

  // What else the elements of a unit need is loaded for all of them before the first is computed: functions
  // such as exp have branches, which compilers do not move loads across (H200, exp(A B + C): 1.09 of the
  // product alone without this).

  /// Notes what is loaded by places of the result; writes nothing.
  void note_loads(codegen::value_emitter values) {
    const codegen::writer before = std::exchange(out_, out_.apart());
    finish_elements(values, "r0", 1, reading_ahead());
    out_ = before;
  }

  void load_ahead() {
    if (ahead_.empty()) return;
    for (std::size_t k = 0; k < ahead_.size(); ++k)
      out_.line("{} ahead{}[{}];", {opencl_name(ahead_[k].type), k, 4 * units_down()});
    each_element();
    at_element([&] {
      for (std::size_t k = 0; k < ahead_.size(); ++k)
        out_.line("ahead{}[4 * u + q] = {};", {k, ahead_[k].text});
    });
    close_units();
  }

  codegen::access reading_ahead() {
    codegen::access how = access_to_domain(1);
    how.self = this;
    how.load = element_ahead;
    return how;
  }
  static std::string element_ahead(const void* self, const std::string& name, scalar_type type, bool rows,
                                   bool cols) {
    const auto& own = *static_cast<const emitter*>(self);
    const std::string text = load_tiled(static_cast<const step_emitter*>(&own), name, type, rows, cols);
    if (type == scalar_type::boolean || !(rows || cols)) return text;
    std::size_t k = 0;
    while (k < own.ahead_.size() && own.ahead_[k].text != text) ++k;
    if (k == own.ahead_.size()) own.ahead_.push_back({text, type});
    return text::fill("ahead{}[4 * u + q]", {k});
  }

  struct load {
    std::string text;
    scalar_type type;
  };
  mutable list_of<load> ahead_;
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

}  // namespace tensor_product_walk

inline constexpr step_kind product_on_tensor_cores{
    kind_order::product_on_tensor_cores,
    "tensor_product",
    "a product of matrices on tensor cores, by tiles from slices copied ahead to local memory",
    tensor_product_walk::takes,
    tensor_product_walk::shape,
    tensor_product_walk::emit,
    flops_of_product};

}  // namespace fusecl::kinds
