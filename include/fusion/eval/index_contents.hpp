#pragma once
// What is found out about the integers of index expressions: their range and the lists of what goes to each
// place. It is kept with the first index matrix while no matrix of the expression is written to, or where
// there is none with the last few of these, so that warm evaluations ask the device nothing.

#include <mutex>
#include <optional>
#include <span>

#include <fusion/base/content_hash.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/eval/evaluate.hpp>
#include <fusion/expr/indexing.hpp>
#include <fusion/matrix/matrix_cl.hpp>

namespace fusecl::detail {

/// What identifies the contents of index expressions: the types, and all that was gathered.
class contents_key {
 public:
  explicit contents_key(std::initializer_list<const void*> types) {
    for (const void* type : types) words_.push_back(reinterpret_cast<std::uintptr_t>(type));
  }
  void add(std::int64_t number) { words_.push_back(static_cast<std::uint64_t>(number)); }
  void add(const binder& bound);

  /// Whether there is a matrix to keep anything with, and no contents may change unseen.
  bool has_home() const { return home_ != nullptr && can_tell_; }
  const list_of<std::uint64_t>& words() const { return words_; }
  /// What is known of contents with this key; null if nothing is.
  std::shared_ptr<const void> known() const;
  /// Keeps what is known and takes so much memory, unless contents may change unseen. Where there is no
  /// matrix only the last that are small are kept, for this selection of a device.
  void keep(std::shared_ptr<const void> known, std::int64_t bytes) const;

 private:
  struct note;
  list_of<std::uint64_t> words_;
  runtime::storage* home_ = nullptr;
  std::uint64_t contents_ = 0;  ///< of the home
  bool can_tell_ = true;
};

/// The least and the largest.
index_range range_of(const list_of<std::int64_t>& numbers);
/// The lists in memory on the device, made for the contents of index matrices.
struct lists_on_device : contents_witness {
  list_of<matrix_cl<int>> matrices;
  list_of<matrix_operand> operands;
  bool in_parts = false;
  /// Not held, as this lies with one of them: who records a statement holds its operands.
  list_of<runtime::storage*> indices;

  void note() const override;
  void check() const override;

 private:
  mutable std::mutex mutex_;
  mutable bool noted_ = false;
  mutable list_of<text::content_hash> contents_;  ///< of the indices
};
/// Without contents where statements are only prepared.
std::shared_ptr<const lists_on_device> make_lists(const list_of<std::int64_t>& places, std::int64_t m_rows,
                                                  std::int64_t m_cols, list_of<runtime::storage*> indices);
/// Lists of indices that nobody can read where statements are only prepared: the same ones for indices that
/// are the same, as long as somebody has them.
std::shared_ptr<const lists_on_device> lists_without_contents(const contents_key& key, std::int64_t m_rows,
                                                              std::int64_t m_cols);
/// For each element of a matrix row and column of the last of rows x cols elements that go there, -1 for
/// none.
struct last_places {
  matrix_cl<int> row, col;
};
std::shared_ptr<const last_places> find_last(const list_of<std::int64_t>& places, std::int64_t rows,
                                             std::int64_t m_rows, std::int64_t m_cols);
[[noreturn]] void refuse_index(const index_role& role, const list_of<std::int64_t>& numbers,
                               std::int64_t size, std::int64_t rows);
/// Throws std::invalid_argument where an index has no size.
void check_index_count(std::int64_t rows, std::int64_t cols);

/// The matrix in memory, rows x cols, whose elements an expression is as they are; nothing of any other.
template <class E>
std::optional<matrix_operand> whole_matrix(const E& e, std::int64_t rows, std::int64_t cols) {
  if constexpr (requires { requires E::is_matrix_as_it_is; }) {
    binder own;
    e.gather(own);
    const matrix_operand& m = own.matrices()[0];
    if (m.rows == rows && m.cols == cols && m.view == matrix_cl_view::Entire) return m;
  }
  return std::nullopt;
}

/// The integers of an expression, rows x cols of them where it states no size, column by column. Reads a
/// matrix as it is, without a kernel, evaluates what else there is, and waits.
template <class E>
list_of<std::int64_t> numbers_of(const E& e, std::int64_t rows, std::int64_t cols) {
  check_index_count(rows, cols);
  using T = cpp_type<E::type>;
  if (const auto m = whole_matrix(e, rows, cols)) {
    list_of<T> numbers(static_cast<std::size_t>(rows * cols));
    runtime::this_thread_queue().read(*static_cast<runtime::storage*>(m->storage), 0,
                                      numbers.size() * sizeof(T), numbers.data());
    return {numbers.begin(), numbers.end()};
  }
  using repeated_number = broadcasted<true, true, false, scalar_leaf<T>>;
  const auto read = [](const matrix_cl<T>& m) {
    const auto host = m.to_host();
    return list_of<std::int64_t>(host.data(), host.data() + host.size());
  };
  const auto whole =
      make_binary<op::add>("indexing", e, repeated_number("indexing", scalar_leaf<T>(0), rows, cols));
  return read(matrix_cl<T>(whole));
}

/// The integer that a scalar index is; where statements are only prepared, 0 if it is computed.
template <class E>
std::int64_t index_number(const E& e) {
  if constexpr (std::is_same_v<E, scalar_leaf<cpp_type<E::type>>>)
    return e.value;
  else
    return preparing ? 0 : numbers_of(e, 1, 1)[0];
}

template <class E>
index_range range_of_contents(const E& e, std::int64_t rows, std::int64_t cols) {
  if (preparing) return {};  // nothing was computed
  binder bound;
  e.gather(bound);
  contents_key key({&identity_of_type<E>});
  key.add(bound);
  for (const std::int64_t size : {rows, cols}) key.add(size);
  if (const auto known = key.known()) return *static_cast<const index_range*>(known.get());
  const std::int64_t own_rows = e.rows() < 0 ? rows : e.rows(), own_cols = e.cols() < 0 ? cols : e.cols();
  const auto found = std::make_shared<const index_range>(range_of(numbers_of(e, own_rows, own_cols)));
  key.keep(found, sizeof(index_range));
  return *found;
}

template <class E>
void refuse_index(const index_role& role, const E& e, std::int64_t size, std::int64_t rows,
                  std::int64_t cols) {
  refuse_index(role, numbers_of(e, rows, cols), size, rows);
}

/// The places of rows x cols indices in a matrix of m_rows rows, by number column by column.
template <class I, class J>
list_of<std::int64_t> places_of(const I& i, const J& j, std::int64_t rows, std::int64_t cols,
                                std::int64_t m_rows) {
  check_index_count(rows, cols);
  if (rows * cols == 0) return {};
  list_of<std::int64_t> places = numbers_of(i, rows, cols);
  if constexpr (!std::is_same_v<J, no_index>) {
    const list_of<std::int64_t> col_places = numbers_of(j, rows, cols);
    for (std::size_t k = 0; k < places.size(); ++k) places[k] += m_rows * col_places[k];
  }
  return places;
}

template <class I, class J>
contents_key key_of(const I& i, const J& j, std::initializer_list<std::int64_t> numbers) {
  binder bound;
  i.gather(bound);
  j.gather(bound);
  contents_key key({&identity_of_type<I>, &identity_of_type<J>});
  key.add(bound);
  for (const std::int64_t number : numbers) key.add(number);
  return key;
}

/// What index expressions read.
template <class I, class J>
list_of<runtime::storage*> memory_of(const I& i, const J& j) {
  binder bound;
  i.gather(bound);
  j.gather(bound);
  list_of<runtime::storage*> all;
  for (const matrix_operand& m : bound.matrices()) all.push_back(static_cast<runtime::storage*>(m.storage));
  return all;
}

template <class I, class J>
index_lists lists_of_contents(const I& i, const J& j, std::int64_t rows, std::int64_t cols,
                              std::int64_t m_rows, std::int64_t m_cols, bool by_row) {
  const auto as_operands = [](const std::shared_ptr<const lists_on_device>& lists) -> index_lists {
    return {lists->operands.data(), lists->operands.size(), lists->in_parts, lists};
  };
  const contents_key key = key_of(i, j, {rows, cols, m_rows, m_cols, std::int64_t{by_row}});
  auto lists = std::static_pointer_cast<const lists_on_device>(key.known());
  if (lists) return as_operands(lists);
  // where statements are only prepared, index matrices that were written before are there, and nothing else
  const bool is_prepared = preparing;
  const auto is_whole = [&](const auto& index) { return whole_matrix(index, rows, cols).has_value(); };
  if (is_prepared && !(key.has_home() && is_whole(i) && (std::is_same_v<J, no_index> || is_whole(j))))
    return as_operands(lists_without_contents(key, m_rows, m_cols));
  const running_here reads_indices;
  const list_of<std::int64_t> places = places_of(i, j, rows, cols, m_rows);
  if (is_prepared) {  // nobody has looked where they lead
    const index_range range = range_of(places);
    if (range.low < 0 || range.high >= m_rows * m_cols)
      return as_operands(lists_without_contents(key, m_rows, m_cols));
  }
  lists = make_lists(places, m_rows, m_cols, memory_of(i, j));
  key.keep(lists, static_cast<std::int64_t>(sizeof(int)) * (2 * rows * cols + m_rows * m_cols));
  return as_operands(lists);
}

}  // namespace fusecl::detail

#ifndef FUSECL_SPLIT
#include <fusion/eval/index_contents.ipp>
#endif
