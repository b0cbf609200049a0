// Function bodies of converter.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <argosy/layout/detail/linked.hpp>
#include <argosy/layout/pack.hpp>
#include <argosy/view/converter.hpp>
#include <argosy/view/detail/external32.hpp>

namespace argosy {
namespace detail {

// The size of a block of memory's stream on the stack. Together with its copy in the file's
// representation it fills half of a first-level cache.
inline constexpr std::int64_t conversion_block_bytes = 8192;
inline constexpr std::int64_t most_item_bytes = representation::most_file_bytes;

[[noreturn]] inline void throw_types(layout const& form, signature const& types) {
  throw invalid_layout("argosy::extend::converter: the memory has " + std::to_string(form.size()) +
                       " bytes, but its types " + std::to_string(types.size()) + " (" +
                       to_string(types) + "); give the signature_of its datatype");
}

}  // namespace detail

ARGOSY_ONCE extend::converter::converter(representation r, layout const& form,
                                         extend::signature const& types)
    : representation_(std::move(r)), form_(&form) {
  if (form.size() != types.size()) detail::throw_types(form, types);
  basic_sizes const& sizes = representation_.sizes();
  for (detail::signature_node const& n : types.nodes())
    nodes_.push_back({n.type, n.body, n.body > 0, n.count,
                      detail::size_in(detail::native_sizes, n.type),
                      detail::size_in(sizes, n.type)});
  // Runs backwards, because bodies must be known before their loops.
  std::int64_t most_shrinking = 1;
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    node& n = nodes_[i];
    if (n.body == 0) {
      most_shrinking = std::max(most_shrinking, (n.memory_bytes + n.file_bytes - 1) / n.file_bytes);
      continue;
    }
    n.memory_bytes = n.file_bytes = 0;
    for (std::size_t k = i + 1; k <= i + n.body; k += nodes_[k].body + 1) {
      node const& part = nodes_[k];
      n.flat = n.flat && part.body == 0;
      n.memory_bytes = detail::add(n.memory_bytes, detail::mul(part.count, part.memory_bytes));
      n.file_bytes = detail::add(n.file_bytes, detail::mul(part.count, part.file_bytes));
    }
  }
  for (std::size_t i = 0; i < nodes_.size(); i += nodes_[i].body + 1)
    file_size_ = detail::add(file_size_, detail::mul(nodes_[i].count, nodes_[i].file_bytes));
  block_bytes_ = std::max(detail::conversion_block_bytes / most_shrinking - detail::most_item_bytes,
                          detail::most_item_bytes);
}

ARGOSY_ONCE extend::converter::item extend::converter::find(std::int64_t position) const {
  std::int64_t in_memory = 0, in_file = 0;
  for (std::size_t i = 0, end = nodes_.size(); i < end;) {
    node const& n = nodes_[i];
    std::int64_t const copy = std::min((position - in_file) / n.file_bytes, n.count);
    in_memory += copy * n.memory_bytes;
    in_file += copy * n.file_bytes;
    if (copy == n.count) {
      i += n.body + 1;
    } else if (n.body == 0) {
      return {n.type, in_memory, in_file, n.memory_bytes, n.file_bytes};
    } else {
      end = i + n.body + 1;
      ++i;
    }
  }
  return {extend::basic_type::byte, form_->size(), file_size_, 1, 1};  // the end
}

ARGOSY_ONCE std::int64_t extend::converter::item_start(std::int64_t position) const {
  return find(position).file;
}
ARGOSY_ONCE std::int64_t extend::converter::memory_position(std::int64_t position) const {
  return find(position).memory;
}

template <bool Encode>
bool extend::converter::run(node const& n, std::int64_t count, std::int64_t copies,
                            std::int64_t memory_stride, std::int64_t file_stride,
                            std::byte* in_memory, std::byte* in_file) const {
  constexpr auto way = Encode ? detail::conversion::encode : detail::conversion::decode;
  extend::representation_functions const* const user = representation_.functions();
  if (user == nullptr)
    return detail::convert_external32<way>(n.type, {count, copies, memory_stride, file_stride},
                                           in_memory, in_file);
  if (!(Encode ? static_cast<bool>(user->write) : static_cast<bool>(user->read)))
    return detail::convert_plain<way>({count * n.memory_bytes, copies, memory_stride, file_stride},
                                      in_memory, in_file);
  bool fits = true;
  for (std::int64_t k = 0; k < copies; ++k, in_memory += memory_stride, in_file += file_stride)
    fits = (Encode ? user->write(n.type, count, in_memory, in_file)
                   : user->read(n.type, count, in_file, in_memory)) &&
           fits;
  return fits;
}

// Converts the items of nodes [begin, end) that lie in the file's stream within [from, to). Both
// ends are between items. The nodes start at `memory_at` and `file_at` of the streams; `in_memory`
// and `in_file` are the addresses of position 0.
template <bool Encode>
bool extend::converter::walk(std::size_t begin, std::size_t end, std::int64_t memory_at,
                             std::int64_t file_at, std::int64_t from, std::int64_t to,
                             std::byte* in_memory, std::byte* in_file) const {
  bool fits = true;
  for (std::size_t i = begin; i < end && file_at < to; i += nodes_[i].body + 1) {
    node const& n = nodes_[i];
    std::int64_t const file_end = file_at + n.count * n.file_bytes;
    if (file_end > from) {
      std::int64_t first = from > file_at ? (from - file_at) / n.file_bytes : 0;
      // The number of whole copies before `to`.
      std::int64_t const last = to < file_end ? (to - file_at) / n.file_bytes : n.count;
      auto const memory_of = [&](std::int64_t copy) { return memory_at + copy * n.memory_bytes; };
      auto const file_of = [&](std::int64_t copy) { return file_at + copy * n.file_bytes; };
      if (n.body == 0) {
        fits &= run<Encode>(n, last - first, 1, 0, 0, in_memory + memory_of(first),
                            in_file + file_of(first));
      } else {
        auto const one = [&](std::int64_t copy) {
          return walk<Encode>(i + 1, i + 1 + n.body, memory_of(copy), file_of(copy), from, to,
                              in_memory, in_file);
        };
        if (file_of(first) < from) fits &= one(first++);
        if (n.flat && first < last) {
          // One loop for each member over all copies, instead of a call for every member of every
          // struct.
          std::int64_t m = memory_of(first), f = file_of(first);
          for (std::size_t k = i + 1; k <= i + n.body; ++k) {
            node const& part = nodes_[k];
            fits &= run<Encode>(part, part.count, last - first, n.memory_bytes, n.file_bytes,
                                in_memory + m, in_file + f);
            m += part.count * part.memory_bytes;
            f += part.count * part.file_bytes;
          }
        } else {
          for (std::int64_t copy = first; copy < last; ++copy) fits &= one(copy);
        }
        if (last < n.count && last >= first && file_of(last) < to) fits &= one(last);
      }
    }
    memory_at += n.count * n.memory_bytes;
    file_at = file_end;
  }
  return fits;
}

// Converts whole items [from, to), block by block. Inside, positions count from the start of the
// block.
template <bool Encode, class Memory>
bool extend::converter::convert(Memory&& memory, std::int64_t from, std::int64_t to,
                                std::byte* stream) const {
  bool fits = true;
  std::int64_t memory_from = find(from).memory;
  for (std::int64_t at = from; at < to;) {
    item const next = to - at > block_bytes_ ? find(at + block_bytes_) : find(to);
    std::byte* const block = memory.open(memory_from, next.memory);
    fits &= walk<Encode>(0, nodes_.size(), -memory_from, -at, 0, next.file - at, block,
                         stream + (at - from));
    memory.close(memory_from, next.memory, block);
    memory_from = next.memory;
    at = next.file;
  }
  return fits;
}

namespace detail {

// Memory's stream, block by block: memory itself if it is contiguous, otherwise copied through a
// block on the stack.
template <bool Encode>
class memory_blocks {
 public:
  memory_blocks(layout const& form, void const* memory)
      : form_(form),
        memory_(static_cast<std::byte*>(const_cast<void*>(memory))),
        direct_(form.is_contiguous()) {}
  std::byte* open(std::int64_t from, std::int64_t to) {
    if (direct_) return memory_ + form_.origin() + from;
    if constexpr (Encode) pack(form_, memory_, from, to, block_);
    return block_;
  }
  void close(std::int64_t from, std::int64_t to, std::byte* block) {
    if (!Encode && !direct_) unpack(form_, block, from, to, memory_);
  }

 private:
  layout const& form_;
  std::byte* memory_;
  bool direct_;
  std::byte block_[conversion_block_bytes + most_item_bytes];
};

}  // namespace detail

ARGOSY_ONCE bool extend::converter::gather(void const* memory, std::int64_t from, std::int64_t to,
                                           std::byte* stream) const {
  if (from >= to) return true;
  bool fits = true;
  detail::memory_blocks<true> blocks(*form_, memory);
  // A cut item is converted whole, and only the requested bytes are copied.
  auto const part_of = [&](item const& which, std::int64_t a, std::int64_t b) {
    std::array<std::byte, detail::most_item_bytes> whole;
    fits &= convert<true>(blocks, which.file, which.file + which.file_bytes, whole.data());
    std::memcpy(stream + (a - from), whole.data() + (a - which.file),
                static_cast<std::size_t>(b - a));
  };
  item const first = find(from), last = find(to);
  std::int64_t begin = from;
  if (first.file < from) {
    begin = std::min(to, first.file + first.file_bytes);
    part_of(first, from, begin);
  }
  if (begin < last.file) fits &= convert<true>(blocks, begin, last.file, stream + (begin - from));
  if (begin < to && last.file < to) part_of(last, last.file, to);
  return fits;
}

ARGOSY_ONCE bool extend::converter::scatter(std::byte const* stream, std::int64_t from,
                                            std::int64_t to, void* memory) {
  if (from >= to) return true;
  bool fits = true;
  item const first = find(from), last = find(to);
  std::int64_t begin = from;
  if (first.file < from) {
    begin = std::min(to, first.file + first.file_bytes);
    fits &= keep(first, from, begin, stream, memory);
  }
  if (begin < last.file) {
    detail::memory_blocks<false> blocks(*form_, memory);
    fits &=
        convert<false>(blocks, begin, last.file, const_cast<std::byte*>(stream) + (begin - from));
  }
  if (begin < to && last.file < to)
    fits &= keep(last, last.file, to, stream + (last.file - from), memory);
  return fits;
}

ARGOSY_ONCE bool extend::converter::keep(item const& which, std::int64_t from, std::int64_t to,
                                         std::byte const* stream, void* memory) {
  auto at = std::find_if(cut_.begin(), cut_.end(),
                         [&](cut_item const& c) { return c.which.file == which.file; });
  if (at == cut_.end()) {
    auto const size = static_cast<std::size_t>(which.file_bytes);
    at = cut_.insert(cut_.end(),
                     {which, std::vector<std::byte>(size), std::vector<bool>(size, false)});
  }
  for (std::int64_t p = from; p < to; ++p) {
    auto const i = static_cast<std::size_t>(p - which.file);
    at->bytes[i] = stream[p - from];
    at->present[i] = true;
  }
  if (std::find(at->present.begin(), at->present.end(), false) != at->present.end()) return true;
  std::vector<std::byte> const whole = std::move(at->bytes);
  cut_.erase(at);
  return scatter(whole.data(), which.file, which.file + which.file_bytes, memory);
}

}  // namespace argosy
