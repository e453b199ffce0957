// kernel_cl as a developer uses it.

#include <atomic>
#include <limits>
#include <map>
#include <thread>

#include <support/messages.hpp>

#include <fusion/autodiff/parameter.hpp>
#include <fusion/fusion.hpp>
#include <fusion/runtime/profiling.hpp>

#include "scratch.hpp"

namespace fusecl {
namespace {

using test::device_array;

const char* const add_text = R"(
kernel void add(global const int* A, global const int* B, global int* C, int rows, int cols) {
  const int i = get_global_id(0), j = get_global_id(1);
  C[i + rows * j] = A[i + rows * j] + B[i + rows * j] + BIAS + 0 * cols;
}
)";
const kernel_cl<in_buffer, in_buffer, out_buffer, int, int> add("add", add_text, {{"BIAS", 100}});
const kernel_cl<in_out_buffer> increment("increment",
                                         "kernel void increment(global int* a) { ++a[get_global_id(0)]; }");

TEST(KernelCl, RunsOverTwoDimensions) {
  const device_array<int> a({1, 2, 3, 4, 5, 6}), b({10, 20, 30, 40, 50, 60});
  device_array<int> c(6);
  add(cl::NDRange(2, 3), a, b, c, 2, 3);
  EXPECT_EQ(c.read(), (std::vector<int>{111, 122, 133, 144, 155, 166}));
}

TEST(KernelCl, TakesALocalSize) {
  const device_array<int> a({1, 2, 3, 4}), b({0, 0, 0, 0});
  device_array<int> c(4);
  add(cl::NDRange(2, 2), cl::NDRange(1, 2), a, b, c, 2, 2);
  EXPECT_EQ(c.read(), (std::vector<int>{101, 102, 103, 104}));
}

TEST(KernelCl, GivesTheEventOfTheLaunch) {
  device_array<int> array({1, 2, 3});
  const cl::Event done = increment(cl::NDRange(3), array);
  ASSERT_NE(done(), nullptr);
  done.wait();
  EXPECT_EQ(done.getInfo<CL_EVENT_COMMAND_TYPE>(), static_cast<cl_command_type>(CL_COMMAND_NDRANGE_KERNEL));
  EXPECT_EQ(done.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>(), CL_COMPLETE);
  const cl::Event none = increment(cl::NDRange(0), array);
  EXPECT_EQ(none(), nullptr);
  EXPECT_EQ(array.read(), (std::vector<int>{2, 3, 4}));
  // threads that share a queue get one that is reached with it
  std::vector<std::thread> threads;
  std::atomic<int> given = 0;
  for (unsigned k = 0; k < runtime::thread_queue::exclusive_count + 4; ++k)
    threads.emplace_back([&] {
      device_array<int> own({7});
      const cl::Event event = increment(cl::NDRange(1), own);
      event.wait();
      given += event() != nullptr && own.read()[0] == 7 + 1;
    });
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(given, static_cast<int>(threads.size()));
}

TEST(KernelCl, UpdatesInPlace) {
  device_array<int> array({1, 2, 3});
  increment(cl::NDRange(3), array);
  increment(cl::NDRange(3), array);
  EXPECT_EQ(array.read(), (std::vector<int>{3, 4, 5}));
}

TEST(KernelCl, JoinsSourcesAndTakesAMapOfMacros) {
  const std::string shared = "int twice(int x) { return 2 * x + PLUS; }";
  const std::string text =
      "kernel void apply(global int* a) { a[get_global_id(0)] = twice(a[get_global_id(0)]); }";
  const std::map<std::string, int> macros = {{"PLUS", 1}};
  const kernel_cl<in_out_buffer> apply("apply", std::vector<std::string>{shared, text}, macros);
  EXPECT_EQ(apply.get_option("PLUS"), 1);
  EXPECT_THROW(apply.get_option("PLU"), std::out_of_range);
  const kernel_cl<in_out_buffer> apply_listed("apply", {shared, text}, {{"PLUS", 2}});
  device_array<int> array({1, 2});
  apply(cl::NDRange(2), array);
  apply_listed(cl::NDRange(2), array);
  EXPECT_EQ(array.read(), (std::vector<int>{8, 12}));
}

TEST(KernelCl, ConvertsScalarsToTheParameterType) {
  const kernel_cl<out_buffer, float, long> store(
      "store", "kernel void store(global float* a, float x, long n) { a[get_global_id(0)] = x + n; }");
  device_array<float> array(1);
  store(cl::NDRange(1), array, 2.5, 1);
  EXPECT_EQ(array.read(), std::vector<float>{3.5f});
}

/// What a number is refused with for a parameter of type `T`; empty where it arrives.
template <class T, class Given>
std::string refused_number(const char* type, Given given) {
  const std::string text =
      std::string("kernel void store(") + type + " x, global long* a) { a[0] = (long)x; }";
  const kernel_cl<T, out_buffer> store("store", text);
  device_array<long> array({-77});
  const std::string refusal =
      test::message_of<std::invalid_argument>([&] { store(cl::NDRange(1), given, array); });
  if (refusal.empty())
    EXPECT_EQ(array.read(), std::vector<long>{static_cast<long>(given)});
  else
    EXPECT_EQ(array.read(), std::vector<long>{-77});
  return refusal;
}

TEST(KernelCl, RefusesNumbersThatAWholeParameterCannotBe) {
  const auto refusal = [](const std::string& number, const std::string& type) {
    return "kernel store: argument 0 (counted from 0) is " + number + ", which is no number of type " + type;
  };
  EXPECT_EQ(refused_number<int>("int", 1L << 40), refusal("1099511627776", "int"));
  EXPECT_EQ(refused_number<int>("int", 3.7), refusal("3.7", "int"));
  EXPECT_EQ(refused_number<int>("int", 2147483648.0f), refusal("2147483648", "int"));
  EXPECT_EQ(refused_number<int>("int", std::numeric_limits<double>::quiet_NaN()), refusal("nan", "int"));
  EXPECT_EQ(refused_number<int>("int", 3000000000u), refusal("3000000000", "int"));
  EXPECT_EQ(refused_number<unsigned>("uint", -1), refusal("-1", "uint"));
  EXPECT_EQ(refused_number<unsigned long>("ulong", -1.0), refusal("-1", "ulong"));
  EXPECT_EQ(refused_number<long>("long", ~0ul), refusal("18446744073709551615", "long"));
  EXPECT_EQ(refused_number<long>("long", 1e19), refusal("1e+19", "long"));
  EXPECT_EQ(refused_number<signed char>("char", 128), refusal("128", "char"));
  EXPECT_EQ(refused_number<signed char>("char", std::numeric_limits<long>::min()),
            refusal("-9223372036854775808", "char"));
  EXPECT_EQ(refused_number<short>("short", -32769), refusal("-32769", "short"));
}

TEST(KernelCl, RefusesNumbersThatAreTooLargeForAFloat) {
  const kernel_cl<out_buffer, float> store("store",
                                           "kernel void store(global float* a, float x) { a[0] = x; }");
  device_array<float> array({-77});
  EXPECT_EQ(test::message_of<std::invalid_argument>([&] { store(cl::NDRange(1), array, 1e39); }),
            "kernel store: argument 1 (counted from 0) is 1e+39, which is no number of type float");
  EXPECT_EQ(array.read(), std::vector<float>{-77});
  store(cl::NDRange(1), array, std::numeric_limits<double>::infinity());
  EXPECT_EQ(array.read(), std::vector<float>{std::numeric_limits<float>::infinity()});
  store(cl::NDRange(1), array, std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(is_nan(array.read()[0]));
}

TEST(KernelCl, LooksAtTheNumberThatAnExpressionOrAParameterIs) {
  const kernel_cl<out_buffer, int> store("store", "kernel void store(global int* a, int x) { a[0] = x; }");
  device_array<int> array({-77});
  const matrix_cl<float> halves(std::vector<float>{1.5f, 2.0f});
  const parameter<float> share(0.25f);
  EXPECT_EQ(test::message_of<std::invalid_argument>([&] { store(cl::NDRange(1), array, sum(halves)); }),
            "kernel store: argument 1 (counted from 0) is 3.5, which is no number of type int");
  EXPECT_THROW(store(cl::NDRange(1), array, share), std::invalid_argument);
  EXPECT_EQ(array.read(), std::vector<int>{-77});
  store(cl::NDRange(1), array, sum(2.0f * halves));
  EXPECT_EQ(array.read(), std::vector<int>{7});
  enum small : short { three = 3 };
  store(cl::NDRange(1), array, three);
  EXPECT_EQ(array.read(), std::vector<int>{3});
}

TEST(KernelCl, TakesNumbersThatAWholeParameterCanBe) {
  EXPECT_EQ(refused_number<int>("int", 1L << 30), "");
  EXPECT_EQ(refused_number<int>("int", 3.0), "");
  EXPECT_EQ(refused_number<int>("int", -2147483648.0f), "");
  EXPECT_EQ(refused_number<int>("int", true), "");
  EXPECT_EQ(refused_number<unsigned>("uint", 4294967295L), "");
  EXPECT_EQ(refused_number<long>("long", std::numeric_limits<long>::min()), "");
  EXPECT_EQ(refused_number<long>("long", 7u), "");
  EXPECT_EQ(refused_number<signed char>("char", -128), "");
  EXPECT_EQ(refused_number<unsigned short>("ushort", 65535), "");
}

TEST(KernelCl, PassesLocalMemory) {
  const kernel_cl<in_out_buffer, cl::LocalSpaceArg> reverse("reverse", R"(
kernel void reverse(global int* a, local int* shared) {
  const int i = get_local_id(0), n = get_local_size(0);
  shared[i] = a[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  a[i] = shared[n - 1 - i];
})");
  device_array<int> array({1, 2, 3, 4});
  reverse(cl::NDRange(4), cl::NDRange(4), array, cl::Local(4 * sizeof(int)));
  EXPECT_EQ(array.read(), (std::vector<int>{4, 3, 2, 1}));
}

TEST(KernelCl, FindsALocalSizeForAwkwardSizes) {
  for (std::size_t size : {1, 3, 71, 257, 1000}) {
    device_array<int> array(std::vector<int>(size, 5));
    increment(cl::NDRange(size), array);
    EXPECT_EQ(array.read(), std::vector<int>(size, 6)) << size;
  }
  EXPECT_EQ(runtime::largest_divisor(1000, 256), 250u);
  EXPECT_EQ(runtime::largest_divisor(257, 256), 1u);
  EXPECT_EQ(runtime::largest_divisor(64, 256), 64u);
}

TEST(KernelCl, KeepsTheGroupSizeAKernelRequires) {
  const kernel_cl<out_buffer> sizes(
      "sizes",
      "kernel __attribute__((reqd_work_group_size(4, 1, 1))) void sizes(global int* a) { "
      "a[get_global_id(0)] = get_local_size(0); }");
  device_array<int> array(8);
  sizes(cl::NDRange(8), array);
  EXPECT_EQ(array.read(), std::vector<int>(8, 4));
}

TEST(KernelCl, OverNothingDoesNothing) {
  device_array<int> array({1});
  const auto before = runtime_counters();
  increment(cl::NDRange(0), array);
  EXPECT_EQ((runtime_counters() - before).launches, 0u);
  EXPECT_EQ(array.read(), std::vector<int>{1});
}

TEST(KernelCl, WarmCallCostsOneLaunch) {
  device_array<int> array({1});
  increment(cl::NDRange(1), array);
  const auto before = runtime_counters();
  increment(cl::NDRange(1), array);
  counters expected;
  expected.launches = 1;
  EXPECT_EQ(runtime_counters() - before, expected);
}

TEST(KernelCl, WorksFromSeveralThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 100; ++i) {
        const device_array<int> a({t}), b({i});
        device_array<int> c(1);
        add(cl::NDRange(1, 1), a, b, c, 1, 1);
        ASSERT_EQ(c.read(), std::vector<int>{t + i + 100});
      }
    });
  }
  for (std::thread& each : threads) {
    each.join();
  }
}

TEST(KernelCl, OutlivesASelection) {
  for (int i = 0; i < 2; ++i) {
    device_array<int> array({1});
    increment(cl::NDRange(1), array);
    EXPECT_EQ(array.read(), std::vector<int>{2});
    test::select_same_device();
  }
}

TEST(KernelCl, BuildErrorComesAtTheCall) {
  const kernel_cl<out_buffer> broken("broken", "kernel void broken(global int* a) { a = nothing; }");
  device_array<int> array({7});
  EXPECT_THROW(broken(cl::NDRange(1), array), build_error);
  EXPECT_EQ(array.read(), std::vector<int>{7});
}

/// The same with elements that the library knows, as a matrix has.
template <class T>
struct typed_array : device_array<T> {
  using device_array<T>::device_array;
  static constexpr scalar_type leaf_type = scalar_type_v<T>;
};

TEST(KernelCl, RefusesMatricesOfOtherElements) {
  const test::scoped_variable fresh("FUSECL_CACHE", "0");  // a loaded kernel may not know its types
  const kernel_cl<in_buffer, out_buffer> dbl("dbl", R"(
kernel void dbl(global const int* a, global float* b) { b[get_global_id(0)] = 2 * a[get_global_id(0)]; })");
  const typed_array<int> a({1, 2});
  typed_array<float> b({0, 0});
  typed_array<long> other({7, 8});
  dbl(cl::NDRange(2), a, b);
  EXPECT_EQ(b.read(), (std::vector<float>{2, 4}));
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(test::message_of<std::invalid_argument>([&] { dbl(cl::NDRange(2), b, b); }),
              "kernel dbl: argument 0 (counted from 0) is a matrix of float, the kernel's parameter is int*");
    EXPECT_EQ(
        test::message_of<std::invalid_argument>([&] { dbl(cl::NDRange(1), a, other); }),
        "kernel dbl: argument 1 (counted from 0) is a matrix of long, the kernel's parameter is float*");
    test::select_same_device();
    EXPECT_THROW(dbl(cl::NDRange(2), typed_array<int>({1, 2}), other), std::invalid_argument);
  }
}

const char* const shift_text =
    "kernel void shift(global const int* a, global int* b, int by, local int* part) {\n"
    "  part[0] = by;\n  b[get_global_id(0)] = a[get_global_id(0)] + part[0];\n}\n"
    "kernel void other(global int* a) { a[0] = 1; }\n";

/// What a call of the kernel with these template arguments is refused with.
template <class... Args, class... Call>
std::string refusal(const char* name, const Call&... arguments) {
  const kernel_cl<Args...> k(name, shift_text);
  return test::message_of<std::invalid_argument>([&] { k(cl::NDRange(2), arguments...); });
}

TEST(KernelCl, RefusesOtherParametersThanTheKernelHas) {
  const test::scoped_variable fresh("FUSECL_CACHE", "0");  // a loaded kernel may not know its types
  const typed_array<int> a({1, 2});
  typed_array<int> b({0, 0});
  const auto part = cl::Local(4);
  const kernel_cl<in_buffer, out_buffer, unsigned, cl::LocalSpaceArg> right("shift", shift_text);
  right(cl::NDRange(2), cl::NDRange(1), a, b, 40, part);
  EXPECT_EQ(b.read(), (std::vector<int>{41, 42}));
  const std::string has = "kernel shift has 4 parameters (int*, int*, int, int*), ";
  const std::string rule = ": one template argument per parameter of the kernel, in their order";
  EXPECT_EQ((refusal<in_buffer, in_buffer, int>("shift", a, b, 1)),
            has + "kernel_cl<in_buffer, in_buffer, int> has 3" + rule);
  EXPECT_EQ((refusal<in_buffer, in_buffer, int, cl::LocalSpaceArg, float>("shift", a, b, 1, part, 1)),
            has + "kernel_cl<in_buffer, in_buffer, int, cl::LocalSpaceArg, float> has 5" + rule);
  const auto wrong = [](int i, const std::string& given, const std::string& parameter) {
    return "kernel shift: argument " + std::to_string(i) + " (counted from 0) is " + given +
           " in kernel_cl<...>, the kernel's parameter is " + parameter;
  };
  EXPECT_EQ((refusal<in_buffer, in_buffer, float, cl::LocalSpaceArg>("shift", a, b, 1, part)),
            wrong(2, "float", "int"));  // of the same size
  EXPECT_EQ((refusal<in_buffer, in_buffer, long, cl::LocalSpaceArg>("shift", a, b, 1, part)),
            wrong(2, "long", "int"));
  EXPECT_EQ((refusal<in_buffer, int, in_buffer, cl::LocalSpaceArg>("shift", a, 1, b, part)),
            wrong(1, "int", "int*"));
  EXPECT_EQ((refusal<in_buffer, in_buffer, in_buffer, cl::LocalSpaceArg>("shift", a, b, b, part)),
            wrong(2, "in_buffer", "int"));
  EXPECT_EQ((refusal<in_buffer, in_buffer, cl::LocalSpaceArg, cl::LocalSpaceArg>("shift", a, b, part, part)),
            wrong(2, "cl::LocalSpaceArg", "int"));
  EXPECT_EQ((refusal<in_buffer>("shft", a)), "the source has no kernel shft; it has: shift;other");
  EXPECT_EQ(b.read(), (std::vector<int>{41, 42}));
}

TEST(KernelCl, RefusesRangesThatNoLaunchCanHave) {
  device_array<int> array({7});
  EXPECT_EQ(test::message_of<std::invalid_argument>([&] { increment(cl::NDRange(), array); }),
            "kernel increment: the global size has no dimension; write cl::NDRange(n), of n work-items");
  EXPECT_EQ(
      test::message_of<std::invalid_argument>([&] { increment(cl::NDRange(4, 4), cl::NDRange(2), array); }),
      "kernel increment: the global size has 2 dimensions, the local size has 1");
  EXPECT_EQ(array.read(), std::vector<int>{7});
}

TEST(KernelCl, TakesElementsThatAKernelHasUnderOtherNames) {
  const kernel_cl<in_out_buffer, in_out_buffer, in_out_buffer, in_out_buffer> write("write", R"(
typedef float real;
kernel void write(global int2* a, global uint* b, global char* c, global real* d) {
  a[0] = (int2)(1, 2), b[0] = 3, c[0] = 1, d[0] = 4;
})");
  typed_array<unsigned> a({0, 0});
  typed_array<int> b({0}), d({0});
  typed_array<bool> c(1);
  write(cl::NDRange(1), a, b, c, d);
  EXPECT_EQ(a.read(), (std::vector<unsigned>{1, 2}));
  EXPECT_EQ(b.read(), std::vector<int>{3});
}

TEST(KernelCl, ComparesElementsWithBuiltInTypesOnly) {
  const auto bit = [](scalar_type type) { return 1 << static_cast<int>(type); };
  EXPECT_EQ(runtime::elements_for("double*"), bit(scalar_type::float64));
  EXPECT_EQ(runtime::elements_for("double16*"), bit(scalar_type::float64));
  EXPECT_EQ(runtime::elements_for("unsigned int *"), bit(scalar_type::int32) | bit(scalar_type::uint32));
  EXPECT_EQ(runtime::elements_for("ulong*"), bit(scalar_type::int64));
  EXPECT_EQ(runtime::elements_for("half*"), 0);
  for (const char* unknown : {"", "real*", "struct pair*", "void*", "float", "float**", "image2d_t", "4*"})
    EXPECT_EQ(runtime::elements_for(unknown), 0xff) << unknown;
}

TEST(CopyBandwidth, IsMeasuredOncePerSelection) {
  const double first = copy_bandwidth();
  EXPECT_GT(first, 1e8);
  EXPECT_LT(first, 1e14);
  const auto before = runtime_counters();
  EXPECT_EQ(copy_bandwidth(), first);
  EXPECT_EQ(runtime_counters() - before, counters{});
}

TEST(Check, NamesTheCodeAndTheCall) {
  try {
    runtime::check(CL_INVALID_KERNEL_ARGS, "clSomething");
    FAIL() << "no exception";
  } catch (const opencl_error& e) {
    EXPECT_STREQ(e.what(), "clSomething failed: CL_INVALID_KERNEL_ARGS (-52)");
    EXPECT_EQ(e.code(), CL_INVALID_KERNEL_ARGS);
  }
  EXPECT_THROW(runtime::check(CL_MEM_OBJECT_ALLOCATION_FAILURE, "x"), out_of_device_memory);
  EXPECT_NO_THROW(runtime::check(CL_SUCCESS, "x"));
}

}  // namespace
}  // namespace fusecl
