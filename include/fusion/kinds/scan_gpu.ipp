#pragma once
// Scans on a GPU: a group goes through its chunk tile by tile; of a tile, each work-item scans a run.

#include <algorithm>

#include <fusion/kinds/scan_emitter.hpp>

namespace fusecl::kinds {
namespace scan_walk {

class gpu_emitter final : public emitter {
 public:
  using emitter::emitter;

 private:
  std::int64_t lanes() const { return lanes_of(v_); }
  std::int64_t slots() const { return shape_.local / lanes(); }
  /// Elements of a line that a work-item scans one after the other.
  std::int64_t run_length() const { return columns_ ? gpu_vectors * v_.width : gpu_columns; }
  int width() const { return columns_ ? 1 : v_.width; }  // of what is exchanged

  void place_group() {
    for (const char* name : {"rows", "cols", "parts", "chunk"}) add_size(name);
    out_.line("const uint lane = get_local_id(0), across = lane % {}, down = lane / {};", {lanes(), lanes()});
    out_.line(
        "const long chunk_number = get_group_id(0) % (uint)parts, tile = get_group_id(0) / (uint)parts;");
    if (columns_)
      out_.line("const long j = tile * {} + down;", {slots()});
    else
      out_.line("const long i = tile * {} + across;", {lanes()});
    out_.line("const long begin = chunk_number * chunk, end = min(begin + chunk, {});",
              {columns_ ? "rows" : "cols"});
    out_.line("const bool member = {};", {columns_ ? "j < cols" : "i < rows"});
  }

  void total_chunks() override {
    place_group();
    add_size("first_stride");
    if (s_.linear && v_.ragged) add_size("elements");
    declare_shared(width());
    codegen::value_emitter values = domain_emitter();
    start(values);
    const char* suffix = columns_ ? "_v" : "";
    declare_accumulators(suffix, v_.width);
    out_.open("if (member)");
    open_totals(columns_ ? "i" : "j");
    visit(values, v_.width, suffix, "");
    out_.close();
    out_.close();
    if (columns_) {
      fold(false);
      tree(codegen::fill("{}", {lanes()}), "1", "across", 1);
      out_.open("if (across == 0 && member)");
    } else {
      tree(codegen::fill("{}", {slots()}), codegen::fill("{}", {lanes()}), "down", v_.width);
      out_.open("if (down == 0 && member)");
    }
    for (std::size_t k = 0; k < count(); ++k)
      out_.line("p{}[{}] = r{};", {k, place_of_part("chunk_number"), k});
    out_.close();
  }

  /// Starts a loop over what a work-item has of a chunk. It ends where the finishing kernel begins to read,
  /// so that the caches still have that (H200, rows of 100 x 1e6: 0.61 of copy bandwidth against 0.59).
  void open_totals(const char* place) {
    out_.raw(s_.may_be_unrolled(4) ? "#pragma unroll 4\n" : "#pragma unroll 1\n");
    if (s_.from_end) {
      out_.open("for (long {} = begin + {}; {} < end; {} += {})", {place, self(), place, place, sharing()});
      return;
    }
    const std::int64_t apart = sharing();
    out_.open("for (long step = (end - begin - {} + {}) / {} - 1; step >= 0; --step)",
              {self(), apart - 1, apart});
    out_.line("const long {} = begin + {} + step * {};", {place, self(), apart});
  }

  bool exchanges() const { return columns_ || slots() > 1; }
  /// Number of a work-item among those that share a line, and how far they are apart.
  const char* self() const { return columns_ ? "across" : "down"; }
  std::int64_t sharing() const { return columns_ ? lanes() : slots(); }

  /// Local memory, the same for all scans whatever their types.
  void declare_local() {
    if (!exchanges()) return;
    std::size_t widest = 4;
    for (std::size_t k = 0; k < count(); ++k) widest = std::max(widest, size_of(scan(k).type));
    const std::int64_t bytes = static_cast<std::int64_t>(widest) * width();
    out_.line("local {} totals_memory[{}];",
              {codegen::vector_type(scalar_type::int64, width()), 2 * shape_.local * bytes / (8 * width())});
    if (columns_)
      out_.line("local long runs_memory[{}];",
                {shape_.local * (run_length() + 1) * static_cast<std::int64_t>(widest) / 8});
    for (std::size_t k = 0; k < count(); ++k) {
      out_.line("local {}* totals{} = (local {}*)totals_memory;", {type(k, width()), k, type(k, width())});
      if (columns_) out_.line("local {}* runs{} = (local {}*)runs_memory;", {type(k, 1), k, type(k, 1)});
    }
  }

  /// From `sum` of each work-item: declares `before`, what those before it on its line have together, and
  /// `total`, what all have.
  void exchange(std::size_t k, const std::string& sum, bool needs_before = true) {
    const std::string t = type(k, width());
    const std::int64_t apart = columns_ ? 1 : lanes(), n = sharing();
    const std::int64_t size = shape_.local;
    const char* earlier = s_.from_end ? "+" : "-";
    const std::string distance = columns_ ? "stride" : codegen::fill("stride * {}", {apart});
    const std::string both =
        then(k, codegen::fill("totals{}[from + lane {} {}]", {k, earlier, distance}), "own_total", width());
    out_.line("uint from = 0;");
    out_.line("totals{}[lane] = {};", {k, sum});
    out_.open("for (uint stride = 1; stride < {}; stride *= 2, from = {} - from)", {n, size});
    out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
    out_.line("const {} own_total = totals{}[from + lane];", {t, k});
    out_.line("totals{}[{} - from + lane] = rank >= stride ? {} : own_total;", {k, size, both});
    out_.close();
    out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
    if (needs_before)
      out_.line("const {} before = rank > 0 ? totals{}[from + lane {} {}] : ({})({});",
                {t, k, earlier, apart, t, neutral(k)});
    const std::int64_t last = s_.from_end ? 0 : (n - 1) * apart;
    out_.line("const {} total = totals{}[from + {} + {}];",
              {t, k, columns_ ? "lane - across" : "across", last});
  }
  void scan_chunks(bool follow) override {
    place_group();
    if (s_.linear && v_.ragged && s_.from_end) add_size("elements");
    declare_local();
    if (exchanges())
      out_.line(s_.from_end ? codegen::fill("const uint rank = {} - {};", {sharing() - 1, self()})
                            : codegen::fill("const uint rank = {};", {self()}));
    codegen::value_emitter values = emitter_of(all_, true);
    know_results(values);
    start(values);
    for (std::size_t k = 0; k < count(); ++k) start_carry(k, follow);
    const std::int64_t tile = sharing() * (columns_ ? gpu_vectors : gpu_columns);
    if (s_.from_end)
      out_.open("for (long at = begin + (end - begin - 1) / {} * {}; at >= begin; at -= {})",
                {tile, tile, tile});
    else
      out_.open("for (long at = begin; at < end; at += {})", {tile});
    for (std::size_t k = 0; k < count(); ++k)
      if (columns_)
        scan_column_tile(values, k);
      else
        scan_row_tile(values, k);
    if (columns_)
      open_vectors();
    else
      open_columns();
    for (std::size_t k = 0; k < count(); ++k)
      out_.line("const {} r{} = scan{}[k];", {type(k, v_.width), k, k});
    store_results(values, v_.width);
    out_.close();
    out_.close();
    out_.close();
  }

  void start_carry(std::size_t k, bool follow) {
    out_.line("{} carry{} = {};", {type(k, width()), k, neutral(k)});
    if (!follow) return;
    if (exchanges()) out_.open();
    out_.line("{} sum = {};", {type(k, width()), neutral(k)});
    out_.open("if (member)");
    open_parts(exchanges() ? self() : "0", codegen::fill("{}", {sharing()}));
    const std::string part = codegen::fill("p{}[{}]", {k, place_of_part("part")});
    out_.line("sum = {};", {then(k, "sum", part, width())});
    out_.close();
    out_.close();
    if (exchanges()) {
      exchange(k, "sum", false);
      out_.line("carry{} = total;", {k});
      out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
      out_.close();
    } else {
      out_.line("carry{} = sum;", {k});
    }
  }

  void open_vectors() {
    out_.raw(unrolled(gpu_vectors));
    out_.open("for (int k = 0; k < {}; ++k)", {gpu_vectors});
    out_.line("const long i = at + k * {} + across;", {lanes()});
    out_.open("if (member && i < end)");
  }
  void open_columns() {
    out_.raw(unrolled(gpu_columns));
    out_.open("for (int k = 0; k < {}; ++k)", {gpu_columns});
    out_.line("const long j = at + down * {} + k;", {gpu_columns});
    out_.open("if (member && j < end)");
  }

  /// Vectors side by side go through local memory to runs of elements, one for each work-item, and back. A
  /// run is followed by a gap, so that work-items meet different banks.
  void scan_column_tile(codegen::value_emitter& values, std::size_t k) {
    const std::string single = type(k, 1), vector = type(k, v_.width);
    const int w = v_.width;
    const auto element = [&](int lane) {
      return w == 1 ? codegen::fill("scan{}[k]", {k})
                    : codegen::fill("scan{}[k].s{}", {k, codegen::lane_letter(lane)});
    };
    out_.line("{} scan{}[{}];", {vector, k, gpu_vectors});
    const auto place = [&] {
      out_.line("const uint vector = k * {} + across;", {lanes()});
      out_.line("local {}* to = runs{} + down * {} + vector * {} + vector / {};",
                {single, k, lanes() * (run_length() + 1), w, gpu_vectors});
    };
    out_.raw(unrolled(gpu_vectors));
    out_.open("for (int k = 0; k < {}; ++k)", {gpu_vectors});
    out_.line("scan{}[k] = {};", {k, neutral(k)});
    out_.line("const long i = at + k * {} + across;", {lanes()});
    out_.open("if (member && i < end)");
    if (s_.from_end) number_inside();
    at_element([&] {
      const std::string value = operand(values, k, w);
      out_.line("scan{}[k] = {};", {k, s_.from_end ? inside(value, scan(k), w) : value});
    });
    out_.close();
    place();
    for (int lane = 0; lane < w; ++lane) out_.line("to[{}] = {};", {lane, element(lane)});
    out_.close();
    out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
    out_.open();
    out_.line("{} own[{}], sum = {};", {single, run_length(), neutral(k)});
    out_.line("local {}* run = runs{} + lane * {};", {single, k, run_length() + 1});
    sum_run(k, "run[{}]");
    exchange(k, "sum");
    const std::string offset = then(k, codegen::fill("carry{}", {k}), "before", 1);
    out_.line("const {} offset = {};", {single, offset});
    out_.raw("#pragma unroll\n");
    out_.line("for (int k = 0; k < {}; ++k) run[k] = {};", {run_length(), then(k, "offset", "own[k]", 1)});
    out_.line("carry{} = {};", {k, then(k, codegen::fill("carry{}", {k}), "total", 1)});
    out_.close();
    out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
    out_.raw(unrolled(gpu_vectors));
    out_.open("for (int k = 0; k < {}; ++k)", {gpu_vectors});
    place();
    for (int lane = 0; lane < w; ++lane) out_.line("{} = to[{}];", {element(lane), lane});
    out_.close();
    out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  }

  /// Scans what `from` names into own[], as written in terms of the element's number.
  void sum_run(std::size_t k, std::string_view from) {
    const std::string at = s_.from_end ? codegen::fill("{} - k", {run_length() - 1}) : std::string("k");
    out_.raw("#pragma unroll\n");
    out_.line("for (int k = 0; k < {}; ++k) own[{}] = sum = {};",
              {run_length(), at, then(k, "sum", codegen::fill(from, {at}), width())});
  }

  void scan_row_tile(codegen::value_emitter& values, std::size_t k) {
    const std::string vector = type(k, v_.width);
    out_.line("{} scan{}[{}];", {vector, k, gpu_columns});
    out_.raw(unrolled(gpu_columns));
    out_.open("for (int k = 0; k < {}; ++k)", {gpu_columns});
    out_.line("scan{}[k] = {};", {k, neutral(k)});
    out_.line("const long j = at + down * {} + k;", {gpu_columns});
    out_.open("if (member && j < end)");
    at_element([&] { out_.line("scan{}[k] = {};", {k, operand(values, k, v_.width)}); });
    out_.close();
    out_.close();
    out_.open();
    out_.line("{} own[{}], sum = {};", {vector, gpu_columns, neutral(k)});
    sum_run(k, codegen::fill("scan{}[{}]", {k, "{}"}));
    std::string offset = codegen::fill("carry{}", {k}), total = "sum";
    if (exchanges()) {
      exchange(k, "sum");
      out_.line("const {} offset = {};", {vector, then(k, offset, "before", v_.width)});
      total = "total";
    } else {
      out_.line("const {} offset = {};", {vector, offset});
    }
    out_.raw("#pragma unroll\n");
    out_.line("for (int k = 0; k < {}; ++k) scan{}[k] = {};",
              {gpu_columns, k, then(k, "offset", "own[k]", v_.width)});
    out_.line("carry{} = {};", {k, then(k, codegen::fill("carry{}", {k}), total, v_.width)});
    if (exchanges()) out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
    out_.close();
  }
};

}  // namespace scan_walk
}  // namespace fusecl::kinds
