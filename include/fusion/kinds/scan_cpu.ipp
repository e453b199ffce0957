#pragma once
// Scans on a CPU: a work-item goes through its chunk vector by vector, or through the columns of a tile of
// rows.

#include <fusion/kinds/cpu_shares.hpp>
#include <fusion/kinds/scan_emitter.hpp>

namespace fusecl::kinds {
namespace scan_walk {

class cpu_emitter final : public emitter {
 public:
  using emitter::emitter;

 private:
  bool tail() const { return v_.ragged && v_.width > 1 && !s_.linear; }

  void place_group() {
    for (const char* name : {"rows", "cols", "parts", "chunk"}) add_size(name);
    if (s_.linear && v_.ragged) add_size("elements");
    out_.line("const long chunk_number = get_group_id(0) % (uint)parts;");
    if (!s_.linear) out_.line("const long tile = get_group_id(0) / (uint)parts;");
    out_.line("const long begin = chunk_number * chunk, end = min(begin + chunk, {});",
              {columns_ ? "rows" : "cols"});
    if (!columns_)
      out_.line("const long i_begin = tile * {}, i_end = min(i_begin + {}, rows);",
                {cpu_row_tile, cpu_row_tile});
  }

  /// Vectors of elements side by side from `first` to `last`, or what they leave.
  void over_rows(bool rest) {
    if (rest)
      out_.open("for (int k = 0; i < i_end; ++k, ++i)");
    else
      out_.open("for (int k = 0; i + {} <= i_end; ++k, i += {})", {v_.width, v_.width});
  }
  template <class Body>
  void vectors_of_rows(Body body) {
    out_.line("long i = i_begin;");
    over_rows(false);
    body(v_.width, "_v");
    out_.close();
    if (!tail()) return;
    over_rows(true);
    body(1, "_s");
    out_.close();
  }
  /// Vectors of a column in the order of the scan.
  template <class Body>
  void vectors_of_column(Body body) {
    const int w = v_.width;
    if (s_.linear) {
      if (s_.from_end)
        out_.open("for (long i = end - 1; i >= begin; --i)");
      else
        out_.open("for (long i = begin; i < end; ++i)");
      body(w);
      out_.close();
      return;
    }
    if (s_.from_end) {
      out_.line("long i = end;");
      if (tail()) {
        out_.line("const long whole = begin + (end - begin) / {} * {};", {w, w});
        out_.open("while (--i >= whole)");
        body(1);
        out_.close();
        out_.line("++i;");
      }
      out_.open("for (i -= {}; i >= begin; i -= {})", {w, w});
      body(w);
      out_.close();
      return;
    }
    out_.line("long i = begin;");
    out_.open("for (; i + {} <= end; i += {})", {w, w});
    body(w);
    out_.close();
    if (!tail()) return;
    out_.open("for (; i < end; ++i)");
    body(1);
    out_.close();
  }
  void over_columns() {
    if (s_.linear) return out_.open();
    add_size("col_tile");
    out_.open("for (long j = tile * col_tile; j < min((tile + 1) * col_tile, cols); ++j)");
  }

  void total_chunks() override {
    place_group();
    codegen::value_emitter values = domain_emitter();
    start(values);
    if (columns_) {
      over_columns();
      declare_accumulators("_v", v_.width);
      if (tail()) declare_accumulators("_s", 1);
      out_.line("long i = begin;");
      if (s_.linear)
        out_.open("for (; i < end; ++i)");
      else
        out_.open("for (; i + {} <= end; i += {})", {v_.width, v_.width});
      visit(values, v_.width, "_v", "");
      out_.close();
      if (tail()) {
        out_.open("for (; i < end; ++i)");
        visit(values, 1, "_s", "");
        out_.close();
      }
      fold(tail());
      for (std::size_t k = 0; k < count(); ++k)
        out_.line("p{}[{}] = r{};", {k, place_of_part("chunk_number"), k});
      out_.close();
      return;
    }
    declare_carries(false);
    out_.open("for (long j = begin; j < end; ++j)");
    vectors_of_rows([&](int lanes, const char* suffix) { visit(values, lanes, suffix, "[k]"); });
    out_.close();
    vectors_of_rows([&](int lanes, const char* suffix) {
      for (std::size_t k = 0; k < count(); ++k) {
        const std::string value = codegen::fill("r{}{}[k]", {k, suffix}), at = place_of_part("chunk_number");
        if (lanes > 1)
          out_.line("vstore{}({}, 0, p{} + {});", {lanes, value, k, at});
        else
          out_.line("p{}[{}] = {};", {k, at, value});
      }
    });
  }

  /// Of rows: arrays of what each has so far.
  void declare_carries(bool follow) {
    for (std::size_t k = 0; k < count(); ++k) {
      out_.line("{} r{}_v[{}];", {type(k, v_.width), k, cpu_row_tile / v_.width});
      if (tail()) out_.line("{} r{}_s[{}];", {type(k, 1), k, v_.width});
    }
    out_.open();
    vectors_of_rows([&](int, const char* suffix) {
      for (std::size_t k = 0; k < count(); ++k) out_.line("r{}{}[k] = {};", {k, suffix, neutral(k)});
    });
    out_.close();
    if (!follow) return;
    open_parts("0", "1");
    vectors_of_rows([&](int lanes, const char* suffix) {
      for (std::size_t k = 0; k < count(); ++k) {
        const std::string r = codegen::fill("r{}{}[k]", {k, suffix}), at = place_of_part("part");
        const std::string part = lanes > 1 ? codegen::fill("vload{}(0, p{} + {})", {lanes, k, at})
                                           : codegen::fill("p{}[{}]", {k, at});
        out_.line("{} = {};", {r, then(k, r, part, lanes)});
      }
    });
    out_.close();
  }

  void scan_chunks(bool follow) override {
    place_group();
    codegen::value_emitter values = emitter_of(all_, true);
    know_results(values);
    start(values);
    if (!columns_) {
      scan_rows(values, follow);
      return;
    }
    over_columns();
    for (std::size_t k = 0; k < count(); ++k) {
      const std::string carry = codegen::fill("carry{}", {k});
      out_.line("{} {} = {};", {type(k, 1), carry, neutral(k)});
      if (!follow) continue;
      open_parts("0", "1");
      out_.line("{} = {};", {carry, then(k, carry, codegen::fill("p{}[{}]", {k, place_of_part("part")}), 1)});
      out_.close();
    }
    vectors_of_column([&](int lanes) {
      if (s_.from_end && lanes > 1) number_inside();
      for (std::size_t k = 0; k < count(); ++k) scan_vector(values, k, lanes);
      store_results(values, lanes);
    });
    out_.close();
  }

  /// Declares the scan of one vector: within it by doubling distances, then all with what came before.
  void scan_vector(codegen::value_emitter& values, std::size_t k, int lanes) {
    const std::string carry = codegen::fill("carry{}", {k}), t = type(k, lanes);
    std::string current = codegen::fill("scan{}", {k});
    out_.line("{} {};", {t, current});
    out_.open();
    at_element([&] {
      const std::string value = operand(values, k, lanes);
      out_.line("{} = {};", {current, s_.from_end ? inside(value, scan(k), lanes) : value});
    });
    out_.close();
    for (int apart = 1; apart < lanes; apart *= 2) {
      std::string moved;
      for (int lane = 0; lane < lanes; ++lane) {
        const int from = s_.from_end ? lane + apart : lane - apart;
        moved += lane > 0 ? ", " : "";
        moved += from < 0 || from >= lanes ? neutral(k)
                                           : codegen::fill("{}.s{}", {current, codegen::lane_letter(from)});
      }
      out_.line("{} = {};", {current, then(k, codegen::fill("({})({})", {t, moved}), current, lanes)});
    }
    const std::string before = lanes > 1 ? codegen::fill("({})({})", {t, carry}) : carry;
    out_.line("const {} r{} = {};", {t, k, then(k, before, current, lanes)});
    const std::string last = codegen::fill("r{}.s{}", {k, codegen::lane_letter(s_.from_end ? 0 : lanes - 1)});
    out_.line("{} = {};", {carry, lanes > 1 ? last : codegen::fill("r{}", {k})});
  }

  void scan_rows(codegen::value_emitter& values, bool follow) {
    declare_carries(follow);
    if (s_.from_end)
      out_.open("for (long j = end - 1; j >= begin; --j)");
    else
      out_.open("for (long j = begin; j < end; ++j)");
    vectors_of_rows([&](int lanes, const char* suffix) {
      for (std::size_t k = 0; k < count(); ++k) {
        const std::string carry = codegen::fill("r{}{}[k]", {k, suffix});
        out_.open();
        at_element([&] {
          const std::string value = operand(values, k, lanes);
          out_.line("{} = {};", {carry, then(k, carry, value, lanes)});
        });
        out_.close();
      }
      for (std::size_t k = 0; k < count(); ++k)
        out_.line("const {} r{} = r{}{}[k];", {type(k, lanes), k, k, suffix});
      store_results(values, lanes);
    });
    out_.close();
  }
};

}  // namespace scan_walk
}  // namespace fusecl::kinds
