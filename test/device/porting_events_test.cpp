// Events, devices and checks by Stan Math's names, as programs use them that enqueue work of their own.

#include <chrono>
#include <future>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <support/compare.hpp>

#include <fusion/eval/check_matrix.hpp>
#include <fusion/eval/validate.hpp>

namespace fusecl {
namespace {

using namespace test;
using matrix = matrix_cl<float>;

cl::CommandQueue own_queue() { return cl::CommandQueue(opencl_context.context(), opencl_context.device()); }

std::size_t bytes_of(const host<float>& h) { return static_cast<std::size_t>(h.size()) * sizeof(float); }

/// FUSECL_VALIDATE is off while it lives: a statement would read its operands on the host, and wait.
struct not_validating {
  bool before = std::exchange(fusecl::detail::validates, false);
  ~not_validating() { fusecl::detail::validates = before; }
};

TEST(PortingEvents, StatementsWaitForWhatAMatrixWasToldOf) {
  const not_validating here;
  const host<float> before = random_host<float>(7, 5), after = random_host<float>(7, 5);
  matrix m(before), r = m + 1.0f;
  r.wait_for_read_write_events();
  const cl::Buffer buffer = m.buffer();
  cl::UserEvent written(opencl_context.context());
  m.add_write_event(written);
  r = m + 1.0f;
  opencl_context.queue().flush();
  own_queue().enqueueWriteBuffer(buffer, CL_TRUE, 0, bytes_of(after), after.data());
  written.setStatus(CL_COMPLETE);
  EXPECT_EQ(r.to_host(), host<float>(after.array() + 1.0f));
  m.wait_for_write_events();
}

TEST(PortingEvents, WhoWaitsForWritersDoesNotWaitForReaders) {
  const not_validating here;
  const host<float> before = random_host<float>(7, 5);
  matrix m(before), x(before);
  m.wait_for_read_write_events();
  cl::UserEvent gate(opencl_context.context());
  std::promise<void> enqueued, read;
  std::thread reader([&] {
    x.add_write_event(gate);
    matrix r = m + x;  // waits for the gate, and reads m
    enqueued.set_value();
    read.get_future().wait();
    EXPECT_EQ(r.to_host(), host<float>(before * 2));
  });
  enqueued.get_future().wait();
  std::future<void> written = std::async(std::launch::async, [&] { m.wait_for_write_events(); });
  EXPECT_EQ(written.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  gate.setStatus(CL_COMPLETE);
  read.set_value();
  reader.join();
  written.get();
}

TEST(PortingEvents, WhatReadsIsWaitedForBeforeWriting) {
  const host<float> before = random_host<float>(7, 5);
  matrix m(before);
  m.wait_for_read_write_events();
  const cl::Buffer buffer = m.buffer();
  cl::UserEvent read(opencl_context.context());
  m.add_read_event(read);
  runtime::this_thread_queue().fill(*m.storage(), 0, bytes_of(before), "\0\0\0",
                                    4);  // in the memory that is there
  opencl_context.queue().flush();
  host<float> found(7, 5);
  own_queue().enqueueReadBuffer(buffer, CL_TRUE, 0, bytes_of(found), found.data());
  read.setStatus(CL_COMPLETE);
  EXPECT_EQ(found, before);
  EXPECT_EQ(m.to_host(), host<float>::Zero(7, 5));
}

TEST(PortingEvents, OneEventStandsForAllThatTheLibraryDoes) {
  matrix m(random_host<float>(71, 5));
  for (int k = 0; k < 20; ++k) m += 1.0f;
  const matrix sum = m + m;
  std::vector<cl::Event> events = m.write_events();
  ASSERT_EQ(events.size(), 1u);
  host<float> found(71, 5);
  own_queue().enqueueReadBuffer(m.buffer(), CL_TRUE, 0, bytes_of(found), found.data(), &events);
  EXPECT_EQ(found, m.to_host());
  EXPECT_EQ(m.read_events().size(), 1u);
  EXPECT_EQ(m.read_write_events().size(), 1u);
}

TEST(PortingEvents, AreListedByWhatTheyDo) {
  using opencl_kernels::internal::assign_events;
  matrix m;
  const cl::Event none;
  EXPECT_TRUE(m.read_events().empty() && m.write_events().empty());
  assign_events<in_buffer>(none, m);
  EXPECT_EQ(m.read_events().size(), 1u);
  EXPECT_EQ(m.write_events().size(), 0u);
  assign_events<out_buffer, int>(none, m, 3);
  EXPECT_EQ(m.read_events().size(), 1u);
  EXPECT_EQ(m.write_events().size(), 1u);
  assign_events<in_out_buffer>(none, m);
  EXPECT_EQ(m.read_events().size(), 2u);
  EXPECT_EQ(m.write_events().size(), 2u);
  EXPECT_EQ(m.read_write_events().size(), 4u);
  m.clear_read_events();
  EXPECT_EQ(m.read_events().size(), 0u);
  EXPECT_EQ(m.write_events().size(), 2u);
  m.wait_for_write_events();
  EXPECT_EQ(m.write_events().size(), 0u);
}

TEST(PortingEvents, ThoseThatAreCompleteAreForgotten) {
  const matrix m(random_host<float>(3, 2));
  cl::UserEvent done(opencl_context.context());
  done.setStatus(CL_COMPLETE);
  for (int k = 0; k < 1000; ++k) m.add_read_event(done);
  EXPECT_LE(m.read_events().size(), 129u);
  m.clear_read_write_events();
  EXPECT_EQ(m.read_events().size(), 1u);
}

TEST(PortingEvents, OfAnotherContextAreRefused) {
  const cl::Context other(opencl_context.device());
  cl::UserEvent strange(other);
  const matrix m(random_host<float>(3, 2));
  EXPECT_THROW(m.add_read_event(strange), opencl_error);
  EXPECT_EQ(m.read_events().size(), 1u);
  strange.setStatus(CL_COMPLETE);  // NVIDIA's driver never lets go of a context with an event that waits
}

TEST(PortingContext, GivesWhatProgramsAskFor) {
  const std::vector<cl::Device> devices = opencl_context.device();
  const std::vector<cl::Platform> platforms = opencl_context.platform();
  ASSERT_EQ(devices.size() + platforms.size(), 2u);
  EXPECT_EQ(devices[0](), opencl_context.device()());
  EXPECT_EQ(platforms[0](), opencl_context.platform()[0]());
  EXPECT_THROW(opencl_context.device()[1], std::out_of_range);
  cl::Context& context = opencl_context.context();
  EXPECT_EQ(context(), opencl_context.context()());
  EXPECT_NE("", opencl_context.capabilities());
  const std::string text = opencl_context.capabilities();
  EXPECT_NE(text.find(opencl_context.capabilities().name), std::string::npos);
}

TEST(PortingContext, DevicesHaveNumbers) {
  const auto before = opencl_context.generation();
  for (const auto& [platform, device] :
       std::vector<std::pair<int, int>>{{-1, 0}, {0, -1}, {99999, 0}, {0, 99999}})
    EXPECT_THROW(opencl_context.select_device(platform, device), std::system_error);
  EXPECT_EQ(opencl_context.generation(), before);
  std::vector<cl::Platform> platforms;
  cl::Platform::get(&platforms);
  for (std::size_t p = 0; p < platforms.size(); ++p) {
    if (platforms[p]() != opencl_context.platform()()) continue;
    std::vector<cl::Device> devices;
    platforms[p].getDevices(CL_DEVICE_TYPE_ALL, &devices);
    for (std::size_t d = 0; d < devices.size(); ++d)
      if (devices[d]() == opencl_context.device()())
        opencl_context.select_device(static_cast<int>(p), static_cast<int>(d));
  }
  EXPECT_EQ(opencl_context.generation(), before);  // it is selected
}

TEST(PortingChecks, OfSizesAndConditions) {
  EXPECT_THROW(check_mat_not_size_one("f", "a", matrix(1, 1)), std::invalid_argument);
  for (const auto [rows, cols] : std::vector<size_pair>{{0, 0}, {1, 2}, {3, 1}, {3, 3}})
    EXPECT_NO_THROW(check_mat_not_size_one("f", "a", matrix(rows, cols)));
  const matrix a(random_host<float>(3, 2, 1, 2));
  const auto condition = a > 0.0f;
  auto check = check_cl("f", "a", a, "positive");
  EXPECT_NE(condition.get_kernel_source_for_evaluating_into(check).find("kernel"), std::string::npos);
  EXPECT_NO_THROW(check = condition);
}

TEST(PortingNames, ListsOfMatricesAreColumns) {
  const host<float> a = random_host<float>(2, 3), b = random_host<float>(2, 3);
  const host<float> both = to_matrix_cl(std::vector<host<float>>{a, b}).to_host();
  ASSERT_EQ(both.rows(), 6);
  EXPECT_EQ(both.col(0), a.reshaped());
  EXPECT_EQ(both.col(1), b.reshaped());
  EXPECT_THROW(to_matrix_cl(std::vector<host<float>>{a, host<float>(2, 2)}), std::invalid_argument);
}

TEST(PortingNames, ATransposeTakesTheSizeOfWhatItIsAssigned) {
  const matrix a(random_host<float>(2, 3));
  matrix m(5, 3), sum(3, 2);
  transpose(m) = a;
  ASSERT_EQ(m.rows(), 3);
  EXPECT_EQ(m.to_host(), host<float>(a.to_host().transpose()));
  transpose(m) = transpose(m) * m;  // 2 x 2, of the matrix itself
  ASSERT_EQ(m.rows(), 2);
  EXPECT_TRUE(m.to_host().isApprox(a.to_host() * a.to_host().transpose(), 1e-5f));
  transpose(sum) = colwise_sum(a);
  EXPECT_EQ(sum.rows(), 3);
  EXPECT_EQ(sum.cols(), 1);
  transpose(m) = matrix(0, 4);
  EXPECT_EQ(m.rows(), 4);
  EXPECT_EQ(m.cols(), 0);
}

TEST(PortingNames, EvalTakesAnything) {
  const matrix a(random_host<float>(3, 2));
  EXPECT_EQ(eval(3.5), 3.5);
  EXPECT_EQ(&eval(a), &a);
  EXPECT_EQ(eval(a + a).to_host(), 2 * a.to_host());
  EXPECT_FLOAT_EQ(eval(sum(a)), a.to_host().sum());
  EXPECT_EQ(eval(a.to_host() * 2), host<float>(2 * a.to_host()));
}

}  // namespace
}  // namespace fusecl
