#pragma once
// A user's buffer with canary bands before and after the elements, wrapped as a matrix: kernels may neither
// read nor write past its end, and schedules must cope without padding.

#include <support/operands.hpp>

namespace fusecl::test {

template <class T>
class guarded_matrix {
 public:
  explicit guarded_matrix(const host<T>& values, matrix_cl_view view = matrix_cl_view::Entire)
      : bytes_(static_cast<std::size_t>(values.size()) * sizeof(T)) {
    const std::size_t alignment = opencl_context.device().getInfo<CL_DEVICE_MEM_BASE_ADDR_ALIGN>() / 8;
    band_ = std::max<std::size_t>(alignment, 512);
    whole_ = cl::Buffer(opencl_context.context(), CL_MEM_READ_WRITE, 2 * band_ + std::max(bytes_, sizeof(T)));
    std::vector<unsigned char> content(2 * band_ + std::max(bytes_, sizeof(T)), canary);
    if (bytes_ > 0) std::memcpy(content.data() + band_, values.data(), bytes_);
    opencl_context.queue().enqueueWriteBuffer(whole_, CL_TRUE, 0, content.size(), content.data());
    const cl_buffer_region region{band_, std::max(bytes_, sizeof(T))};
    elements_ = whole_.createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region);
    matrix = matrix_cl<T>(elements_, values.rows(), values.cols(), view);
  }

  /// Whether both bands still hold what was put there.
  bool intact() const {
    opencl_context.queue().finish();
    std::vector<unsigned char> content(2 * band_ + std::max(bytes_, sizeof(T)));
    opencl_context.queue().enqueueReadBuffer(whole_, CL_TRUE, 0, content.size(), content.data());
    for (std::size_t k = 0; k < content.size(); ++k)
      if ((k < band_ || k >= band_ + bytes_) && content[k] != canary) return false;
    return true;
  }

  matrix_cl<T> matrix;

 private:
  static constexpr unsigned char canary = 0xFF;  // NaN as a float or double
  std::size_t bytes_, band_;
  cl::Buffer whole_, elements_;
};

template <class T>
guarded_matrix<T> random_guarded(std::int64_t rows, std::int64_t cols,
                                 matrix_cl_view view = matrix_cl_view::Entire) {
  host<T> values = random_host<T>(rows, cols);
  poison_unread(values, view);
  return guarded_matrix<T>(values, view);
}

}  // namespace fusecl::test
