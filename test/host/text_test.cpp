// The small pieces of OpenCL C text: literals, types, instantiation of device functions, indentation.

#include <cmath>
#include <cstdlib>
#include <limits>

#include <gtest/gtest.h>

#include <fusion/codegen/values.hpp>

namespace fusecl {
namespace {

using namespace codegen;

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Literal, ReadsBackAsTheSameNumber) {
  for (double value :
       {0.0, 1.0, -1.0, 0.1, 1.0 / 3, 1e300, 5e-324, 6.02214076e23, -2.5e-8, 4503599627370497.0})
    EXPECT_EQ(std::strtod(literal(scalar_type::float64, value).c_str(), nullptr), value);
}

TEST(Literal, OfAFloatHasItsSuffixAndAPoint) {
  EXPECT_EQ(literal(scalar_type::float32, 2), "2.0f");
  EXPECT_EQ(literal(scalar_type::float32, 0.5), "0.5f");
  EXPECT_EQ(literal(scalar_type::float64, 2), "2.0");
  EXPECT_EQ(literal(scalar_type::float64, -0.0), "-0.0");
  EXPECT_EQ(literal(scalar_type::float64, 1e30), "1e+30");
}

TEST(Literal, OfAnIntegerHasNoPoint) {
  for (scalar_type type : {scalar_type::int32, scalar_type::uint32}) EXPECT_EQ(literal(type, 2), "2");
  EXPECT_EQ(literal(scalar_type::int32, 100000), "100000");
  EXPECT_EQ(literal(scalar_type::int64, -5e9), "-5000000000L");
}

TEST(Literal, NamesWhatHasNoDigits) {
  EXPECT_EQ(literal(scalar_type::float64, infinity), "(double)(INFINITY)");
  EXPECT_EQ(literal(scalar_type::float32, -infinity), "(float)(-INFINITY)");
  EXPECT_EQ(literal(scalar_type::float64, std::nan("")), "(double)(NAN)");
}

TEST(FloatLiterals, RealNumbersGetASuffix) {
  EXPECT_EQ(with_float_literals("1.5 * x + 2e-3"), "1.5f * x + 2e-3f");
  EXPECT_EQ(with_float_literals("-0.5"), "-0.5f");
  EXPECT_EQ(with_float_literals("1.e3 + 3."), "1.e3f + 3.f");
}

TEST(FloatLiterals, WholeNumbersNamesAndSuffixedNumbersStay) {
  for (const char* text :
       {"x > 0 ? 1 : -1", "float4 v8 = x0;", "0x1fUL + 17u", "1.5f", "$0 + $1", "log1p(x)", "e2"})
    EXPECT_EQ(with_float_literals(text), text);
}

TEST(Instantiate, FillsInTypesAndSuffixes) {
  const char* text = "$T f$S($T x, $I n) { return x; }";
  EXPECT_EQ(instantiate(text, scalar_type::float64, 1), "double f_double(double x, long n) { return x; }");
  EXPECT_EQ(instantiate(text, scalar_type::float32, 8), "float8 f_float8(float8 x, int8 n) { return x; }");
}

TEST(Instantiate, LeavesOperandsAlone) {
  EXPECT_EQ(instantiate("$0 + $1", scalar_type::float64, 4), "$0 + $1");
}

TEST(Types, HaveTheirOpenclNames) {
  EXPECT_EQ(vector_type(scalar_type::boolean, 1), "uchar");
  EXPECT_EQ(vector_type(scalar_type::uint32, 16), "uint16");
  EXPECT_EQ(integer_type(scalar_type::float32, 4), "int4");
  EXPECT_EQ(integer_type(scalar_type::int64, 1), "long");
}

TEST(Writer, IndentsWhatIsInBraces) {
  writer out;
  out.open("if (x)");
  out.line("f();");
  out.close();
  EXPECT_EQ(out.text(), "if (x) {\n  f();\n}\n");
}

constexpr ir::device_function inner{.name = "inner", .text = "$T inner$S($T x) { return x + 1.5; }\n"};
constexpr const ir::device_function* uses_inner[] = {&inner, nullptr};
constexpr ir::device_function outer{.name = "outer",
                                    .text = "// above\n$T outer$S($T x) { return inner$S(x); }\n",
                                    .text_float = "$T outer$S($T x) { return inner$S(x) * 2.5; }\n",
                                    .uses = uses_inner};
constexpr const ir::device_function* uses_both[] = {&outer, &inner, nullptr};

TEST(FunctionLibrary, PutsEachFunctionOnceAfterWhatItUses) {
  function_library library;
  library.require(uses_both, scalar_type::float64, 1);
  library.require(uses_both, scalar_type::float64, 1);
  EXPECT_EQ(
      library.text(),
      "static inline __attribute__((always_inline)) double inner_double(double x) { return x + 1.5; }\n\n"
      "// above\n"
      "static inline __attribute__((always_inline)) double outer_double(double x) { return inner_double(x); "
      "}\n\n");
}

TEST(FunctionLibrary, KeepsTypesApart) {
  function_library library;
  library.require(uses_both, scalar_type::float64, 4);
  library.require(uses_both, scalar_type::float32, 4);
  for (const char* name : {"inner_double4(double4 x)", "outer_double4(", "inner_float4(float4 x)", "* 2.5f"})
    EXPECT_NE(library.text().find(name), std::string::npos) << name;
}

constexpr ir::device_function either{.name = "either",
                                     .text = "$T either$S($T a, $T b) { return a / b; }\n",
                                     .text_ptx = "double either_double(double a, double b) { return 1; }\n"};
constexpr const ir::device_function* uses_either[] = {&either, nullptr};

/// Only doubles have another text, and only where it may have PTX: for vectors it is called lane by lane.
TEST(FunctionLibrary, TakesTheTextWithPtxForDoublesAlone) {
  const auto text = [](bool ptx, scalar_type type, int lanes) {
    function_library library(ptx);
    library.require(uses_either, type, lanes);
    return library.text();
  };
  const std::string qualified = "static inline __attribute__((always_inline)) ";
  for (const bool ptx : {false, true})
    EXPECT_EQ(text(ptx, scalar_type::float32, 2),
              qualified + "float2 either_float2(float2 a, float2 b) { return a / b; }\n\n");
  EXPECT_EQ(text(false, scalar_type::float64, 2),
            qualified + "double2 either_double2(double2 a, double2 b) { return a / b; }\n\n");
  EXPECT_EQ(text(true, scalar_type::float64, 1),
            qualified + "double either_double(double a, double b) { return 1; }\n\n");
  EXPECT_EQ(text(true, scalar_type::float64, 2),
            text(true, scalar_type::float64, 1) + qualified +
                "double2 either_double2(const double2 a, const double2 b) {\n  return "
                "(double2)(either_double(a.s0, b.s0), either_double(a.s1, b.s1));\n}\n\n");
}

TEST(Writer, FillsThePlacesOfPatternsInOrder) {
  using codegen::fill;
  EXPECT_EQ(fill("x{}[{}] = y;", {std::size_t{4}, std::string("i")}), "x4[i] = y;");
  EXPECT_EQ(fill("{}{}", {std::string_view(), -1}), "-1");
  EXPECT_EQ(fill("a {} b", {}), "a {} b");  // nothing to fill: braces are OpenCL C
  EXPECT_EQ(fill("{} v, {} s;", {{scalar_type::float64, 4}, {scalar_type::boolean, 1}}),
            "double4 v, uchar s;");
  EXPECT_EQ(fill("{} {", {"if (i < n)"}), "if (i < n) {");
  codegen::writer w(1);
  w.open("for (int k = 0; k < {}; ++k)", {3u});
  w.line("r[{}] = 0;", {"k"});
  w.line("");
  w.close();
  EXPECT_EQ(w.text(), "  for (int k = 0; k < 3; ++k) {\n    r[k] = 0;\n\n  }\n");
}

}  // namespace
}  // namespace fusecl
