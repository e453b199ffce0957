#pragma once
#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <string>

#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/eval/index_contents.hpp>

namespace fusecl::detail {

/// What was found out last, by key: of one storage, or of what has none.
struct contents_key::note : runtime::contents_note {
  struct entry {
    list_of<std::uint64_t> words;
    std::shared_ptr<const void> known;
  };
  static constexpr std::size_t most = 8;
  std::uint64_t contents = 0;
  list_of<entry> entries;

  static std::mutex& mutex() {
    static std::mutex own;
    return own;
  }
  /// Of contents that no matrix has part in, which are always the same.
  static note& of_no_matrix() {
    static note& own = *new note;  // outlives every thread
    return own;
  }
};

FUSECL_INLINE void contents_key::add(const binder& bound) {
  for (const std::uint32_t word : bound.key()) words_.push_back(word);
  for (const std::int64_t size : bound.extents()) add(size);
  for (const scalar_operand& s : bound.scalars()) words_.push_back(s.bits);
  for (const matrix_operand& m : bound.matrices()) {
    auto* const memory = static_cast<runtime::storage*>(m.storage);
    const std::uint64_t contents = memory->contents();
    can_tell_ = can_tell_ && contents != 0;
    if (!home_) {
      home_ = memory;
      contents_ = contents;
    }
    words_.push_back(reinterpret_cast<std::uintptr_t>(memory));
    words_.push_back(contents);
  }
  if (!home_) contents_ = runtime::selected().generation;
}

FUSECL_INLINE std::shared_ptr<const void> contents_key::known() const {
  if (!can_tell_) return nullptr;
  const std::lock_guard lock(note::mutex());
  const auto* const kept = home_ ? static_cast<const note*>(home_->note.get()) : &note::of_no_matrix();
  if (!kept || kept->contents != contents_) return nullptr;
  for (const note::entry& e : kept->entries)
    if (e.words == words_) return e.known;
  return nullptr;
}

FUSECL_INLINE void contents_key::keep(std::shared_ptr<const void> known, std::int64_t bytes) const {
  constexpr std::int64_t most_bytes_without_home = 1 << 20;
  if (!can_tell_ || (!home_ && bytes > most_bytes_without_home)) return;
  const std::lock_guard lock(note::mutex());
  if (home_ && !home_->note) home_->note = std::make_shared<note>();
  note& kept = home_ ? static_cast<note&>(*home_->note) : note::of_no_matrix();
  if (kept.contents != contents_) {
    kept.entries.clear();
    kept.contents = contents_;
  }
  if (kept.entries.size() == note::most) kept.entries.erase(kept.entries.begin());
  kept.entries.push_back({words_, std::move(known)});
}

FUSECL_INLINE std::shared_ptr<const lists_on_device> lists_without_contents(const contents_key& key,
                                                                            std::int64_t m_rows,
                                                                            std::int64_t m_cols) {
  struct entry {
    list_of<std::uint64_t> words;
    std::weak_ptr<const lists_on_device> lists;
  };
  static thread_local list_of<entry> made;
  erase_if(made, [](const entry& e) { return e.lists.expired(); });
  for (const entry& e : made)
    if (auto lists = e.lists.lock(); lists && e.words == key.words()) return lists;
  const preparing_here nothing_is_written;
  const auto lists = make_lists({}, m_rows, m_cols, {});
  made.push_back({key.words(), lists});
  return lists;
}

FUSECL_INLINE index_range range_of(const list_of<std::int64_t>& numbers) {
  if (numbers.empty()) return {};
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  return {*low, *high};
}

FUSECL_INLINE void refuse_index(const index_role& role, const list_of<std::int64_t>& numbers,
                                std::int64_t size, std::int64_t rows) {
  const auto first = std::find_if(numbers.begin(), numbers.end(),
                                  [&](std::int64_t number) { return number < 0 || number >= size; });
  const std::int64_t at = first - numbers.begin();
  const std::string place = numbers.size() == 1 ? "" : text::fill(" at ({}, {})", {at % rows, at / rows});
  throw std::out_of_range(text::fill("{}: {} {}{} is outside of the {} {}, which count from 0",
                                     {role.function, role.what, *first, place.c_str(), size, role.of_what}));
}

FUSECL_INLINE std::shared_ptr<const last_places> find_last(const list_of<std::int64_t>& places,
                                                           std::int64_t rows, std::int64_t m_rows,
                                                           std::int64_t m_cols) {
  list_of<int> row(static_cast<std::size_t>(m_rows * m_cols), -1), col(row.size(), -1);
  for (std::size_t k = 0; k < places.size(); ++k) {
    row[static_cast<std::size_t>(places[k])] = static_cast<int>(static_cast<std::int64_t>(k) % rows);
    col[static_cast<std::size_t>(places[k])] = static_cast<int>(static_cast<std::int64_t>(k) / rows);
  }
  return std::make_shared<const last_places>(
      last_places{matrix_cl<int>(row.data(), m_rows, m_cols), matrix_cl<int>(col.data(), m_rows, m_cols)});
}

FUSECL_INLINE void check_index_count(std::int64_t rows, std::int64_t cols) {
  if (rows < 0 || cols < 0)
    throw std::invalid_argument(
        text::fill("indexing: {} of the indices are not determined; give them a size, as in "
                   "row_index(rows, cols) or constant(k, rows, cols), or use block, row or col",
                   {rows < 0 ? "rows" : "columns"}));
}

/// What a storage holds; waits.
FUSECL_INLINE text::content_hash contents_of(runtime::storage& s) {
  std::string bytes(s.bytes(), '\0');
  if (!bytes.empty()) runtime::this_thread_queue().read(s, 0, bytes.size(), bytes.data());
  return text::hash_content(bytes);
}

FUSECL_INLINE void lists_on_device::note() const {
  if (preparing) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (noted_) return;
  contents_.clear();  // of an attempt that failed
  for (runtime::storage* const each : indices) contents_.push_back(contents_of(*each));
  noted_ = true;
}

FUSECL_INLINE void lists_on_device::check() const {
  for (std::size_t k = 0; k < contents_.size(); ++k)
    if (indices[k]->is_known_to_user() && contents_of(*indices[k]) != contents_[k])
      throw std::logic_error(
          "grad: an index matrix was written to through its buffer after a statement with these indices was "
          "recorded; give the statement a copy of it");
}

FUSECL_INLINE std::shared_ptr<const lists_on_device> make_lists(const list_of<std::int64_t>& places,
                                                                std::int64_t m_rows, std::int64_t m_cols,
                                                                list_of<runtime::storage*> indices) {
  const auto made = std::make_shared<lists_on_device>();
  made->indices = std::move(indices);
  const auto add = [&](const list_of<std::int32_t>& numbers, std::int64_t rows, std::int64_t cols) {
    made->matrices.push_back(preparing ? matrix_cl<int>(rows, cols)
                                       : matrix_cl<int>(numbers.data(), rows, cols));
  };
  const std::int64_t count = m_rows * m_cols;
  const std::int64_t shortest = runtime::selected().entry.capabilities.cpu ? ops::piece_on_cpu : ops::piece;
  const ops::place_lists lists = ops::lists_of(
      places, count, shortest, ops::part_length(static_cast<std::int64_t>(places.size()), count));
  add(lists.order, static_cast<std::int64_t>(lists.order.size()), 1);
  for (std::size_t k = 0; k < lists.ends.size(); ++k) {
    const bool last = k + 1 == lists.ends.size();
    add(lists.ends[k], last ? m_rows : static_cast<std::int64_t>(lists.ends[k].size()), last ? m_cols : 1);
  }
  made->in_parts = !lists.parts.empty();
  if (made->in_parts) add(lists.parts, static_cast<std::int64_t>(lists.parts.size()), 1);
  for (const matrix_cl<int>& m : made->matrices)
    made->operands.push_back(
        {m.storage().get(), m.rows(), m.cols(), scalar_type::int32, m.view(), m.storage()->padded()});
  return made;
}

}  // namespace fusecl::detail
