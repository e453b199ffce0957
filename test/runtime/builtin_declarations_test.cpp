// Declarations of the functions that a source calls: those of the driver, and none where not all are known.

#include <support/messages.hpp>

#include <fusion/runtime/builtin_declarations.hpp>

#include "scratch.hpp"

namespace fusecl {
namespace {

using runtime::builtin_declarations;
using test::contains;

const std::string of_elements =
    "acos acosh acospi asin asinh asinpi atan atan2 atan2pi atanh atanpi cbrt ceil copysign cos cosh cospi "
    "degrees erf erfc exp exp10 exp2 expm1 fabs fdim floor fma fmax fmin fmod hypot ilogb isequal isfinite "
    "isgreater isgreaterequal isinf isless islessequal islessgreater isnan isnormal isnotequal isordered "
    "isunordered ldexp lgamma log log10 log1p log2 logb mad maxmag minmag mix nextafter pow pown powr "
    "radians "
    "remainder rint rootn round rsqrt sign signbit sin sinh sinpi smoothstep sqrt step tan tanh tanpi tgamma "
    "trunc abs abs_diff add_sat all any bitselect clamp clz hadd mad24 mad_hi mad_sat max min mul24 mul_hi "
    "popcount rhadd rotate select sub_sat ";
const std::string of_memory =
    "atomic_add atomic_and atomic_cmpxchg atomic_dec atomic_inc atomic_max atomic_min atomic_or atomic_sub "
    "atomic_xchg atomic_xor vload2 vload3 vload4 vload8 vload16 vstore2 vstore3 vstore4 vstore8 vstore16 ";
const std::string of_groups =
    "barrier get_global_id get_global_offset get_global_size get_group_id get_local_id get_local_size "
    "get_num_groups get_work_dim mem_fence read_mem_fence write_mem_fence ";

std::string conversions() {
  std::string names;
  for (const std::string type :
       {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double"})
    for (const std::string width : {"", "2", "3", "4", "8", "16"})
      for (const std::string rounding : {"", "_rte", "_rtz"})
        names += "convert_" + type + width + rounding + " ";
  return names + "convert_int_sat convert_uchar4_sat_rte ";
}

TEST(BuiltinDeclarations, AreThoseOfTheDriver) {
  if (runtime::pocl_version(opencl_context.capabilities()) < 0)
    GTEST_SKIP() << "the functions of this driver cannot be declared again";
  // beside the driver's, which the kernel needs: another type of result would be an error
  const std::string kernel = "kernel void declared(global float* a) { a[0] = native_exp(a[1]); }\n";
  ASSERT_EQ(builtin_declarations(kernel), "");
  for (const std::string& names : {of_elements, of_memory, of_groups, conversions()}) {
    const std::string declarations = builtin_declarations(names);
    EXPECT_NO_THROW(runtime::build_program({"declared", declarations + kernel, ""}));
  }
}

TEST(BuiltinDeclarations, AreOfEveryNameThatASourceHolds) {
  const std::string names = of_elements + of_memory + of_groups + conversions();
  const std::string declarations = builtin_declarations(names);
  for (std::size_t start = 0; start < names.size();) {
    const std::size_t end = names.find(' ', start);
    const std::string name = names.substr(start, end - start);
    EXPECT_TRUE(contains(declarations, " " + name + "(")) << name;
    start = end + 1;
  }
  EXPECT_FALSE(
      contains(builtin_declarations("kernel void f(global double* a) { a[0] = exp(a[1]); }"), " expm1("));
  EXPECT_TRUE(contains(builtin_declarations("#define F exp"), " exp("));
}

TEST(BuiltinDeclarations, AreNoneWhereAFunctionIsNotKnown) {
  for (const std::string source :
       {"kernel void f(global float* a) { a[0] = native_exp(a[1]); }",
        "kernel void f(global float4* a) { a[0].x = 2 * dot(a[1], a[2]); }",
        "kernel void f(global float* a) { a[0] = F(a[1]); }",  // a macro of the options
        "double dot(double x, double y) { return 5; }\nkernel void f(global double* a) { a[0] = dot(a[1], "
        "2); }",
        "#define D fract(a[1], a)\nkernel void f(global double* a) { a[0] = D; }",
        "#define C(T, x) convert_##T(x)\nkernel void f(global double* a) { a[0] = C(int, a[1]); }",
        "int convert_foo(double x) { return x; }\nkernel void f(global double* a) { a[0] = "
        "convert_foo(a[1]); }",
        "#include \"functions.h\"\nkernel void f(global float* a) { a[0] = exp(a[1]); }"})
    EXPECT_EQ(builtin_declarations(source), "") << source;
}

TEST(BuiltinDeclarations, AreOfWhatStandsBehindTextsAndCharacters) {
  EXPECT_TRUE(contains(builtin_declarations("char c = '\"'; b = exp(a);"), " exp("));
  EXPECT_TRUE(contains(builtin_declarations("constant char* c = \"'\\\"\"; b = exp(a);"), " exp("));
}

TEST(BuiltinDeclarations, TakeWhatASourceDefinesForItsOwn) {
  for (const std::string source :
       {"double own (double x) { return x; }\nkernel void f(global double* a) { a[0] = own(a[1]); }",
        "double\nown(double x)\n{ return x; }\nkernel void f(global double* a) { if (a[1] > 0) a[0] = "
        "own(a[1]); }",
        "#define OWN(x) ((x) + 1)\nkernel void f(global double* a) { a[0] = OWN(a[1]); }",
        "kernel __attribute__((reqd_work_group_size(4, 1, 1))) void f(global double* a) { a[0] = 1; }",
        "// dot(a, b) and native_exp(a)\nkernel void f(global double* a) { /* dot(a,\n a) */ a[0] = 1; }",
        "kernel void f(global long* a) { a[0] = as_long(1.0); }"})
    EXPECT_NE(builtin_declarations(source), "") << source;
}

/// Of a program built both ways, as far as the driver is one of which that is known.
std::vector<double> results_of(const std::string& name, const std::string& body) {
  const std::string source = "kernel __attribute__((reqd_work_group_size(4, 1, 1))) void " + name +
                             "(global double* a, global double* b) {\n  int i = get_global_id(0);\n  " +
                             body + "\n}\n";
  const test::device_array<double> a({0.25, 0.5, 0.75, 1}), b({0, 0, 0, 0});
  runtime::kernel run({name, source, ""});
  cl_mem buffers[] = {a.storage()->mem(), b.storage()->mem()};
  clSetKernelArg(run.handle(), 0, sizeof(cl_mem), &buffers[0]);
  clSetKernelArg(run.handle(), 1, sizeof(cl_mem), &buffers[1]);
  const std::size_t size = 4;
  runtime::this_thread_queue().before_read(*a.storage());
  runtime::this_thread_queue().before_write(*b.storage());
  run.launch(1, &size, &size);
  return b.read();
}

TEST(BuiltinDeclarations, GiveTheResultsOfTheDriversOwn) {
  const std::string known =
      "double4 v = vload4(0, a); double w = any(isnan(v)) ? 9 : fmax(v.x, v.y); "
      "b[i] = exp(a[i]) + select(lgamma(a[i]), pow(a[i], 3.0), (long)(i > 1)) + convert_int_rtz(3 * a[i]) + "
      "w;";
  EXPECT_EQ(results_of("known", known), results_of("unknown", known + " b[i] += dot(a[i], 0.0);"));
}

TEST(BuiltinDeclarations, AreLeftAwayForLaterVersionsOfTheLanguage) {
  const capabilities& on = opencl_context.capabilities();
  const std::string source = "kernel void f(global double* a) { a[0] = exp(a[1]); }";
  const auto with = [&](const std::string& options) {
    return runtime::with_own_declarations({"f", source, options}, on).declarations;
  };
  EXPECT_EQ(with("-cl-kernel-arg-info"), "") << "a user's own program";
  EXPECT_EQ(with("-cl-std=CL2.0"), "");
  EXPECT_EQ(with("-D A=1 -cl-std=CL3.0"), "");
  const bool is_known = runtime::pocl_version(on) == 3 && on.fp64;
  EXPECT_EQ(with("").empty(), !is_known);
  EXPECT_EQ(with("-cl-std=CL1.2").empty(), !is_known);
}

}  // namespace
}  // namespace fusecl
