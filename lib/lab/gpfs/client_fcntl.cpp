// Implements gpfs_fcntl of a client node (client_fcntl.hpp): range hints, cache hints and
// directives.
// SPDX-License-Identifier: BSD-3-Clause
#include "client_fcntl.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

namespace argosy::lab::gpfs::detail::client {

namespace {

template <class Struct>
Struct load(std::byte const* at) {
  static_assert(std::is_trivially_copyable_v<Struct>);
  Struct s;
  std::memcpy(&s, at, sizeof s);
  return s;
}

bool same(gpfsRangeArray_t const& a, gpfsRangeArray_t const& b) {
  return a.blockNumber == b.blockNumber && a.start == b.start && a.length == b.length &&
         a.isWrite == b.isWrite;
}

block_range blocks_to_end(std::int64_t start, std::int64_t length, std::int64_t block_bytes) {
  if (length == 0) return {start / block_bytes, no_end};
  return blocks_of(start, length, block_bytes);
}

}  // namespace

void fcntl_calls::run(operation& o) {
  std::byte* const begin = o.asked.argument.data();
  auto const given = static_cast<std::int64_t>(o.asked.argument.size());
  if (given < static_cast<std::int64_t>(sizeof(gpfsFcntlHeader_t))) return finish(o, EINVAL);
  auto const header = load<gpfsFcntlHeader_t>(begin);
  auto const fail = [&](int error, int offset) {
    std::memcpy(begin + offsetof(gpfsFcntlHeader_t, errorOffset), &offset, sizeof offset);
    finish(o, error);
  };
  if (o.at == phase::begin) {
    if (header.totalLength > fcntl_length_max) return fail(E2BIG, 0);
    if (header.totalLength < static_cast<int>(sizeof header) || header.totalLength > given ||
        header.fcntlVersion != fcntl_version || header.fcntlReserved != 0)
      return fail(EINVAL, 0);
    o.structure = sizeof header;
    o.at = phase::answer;
  }
  while (o.structure < header.totalLength) {
    int const room = header.totalLength - o.structure;
    std::byte* const at = begin + o.structure;
    if (room < static_cast<int>(sizeof(gpfsStructHeader_t))) return fail(EINVAL, o.structure);
    auto const s = load<gpfsStructHeader_t>(at);
    if (s.structLen < static_cast<int>(sizeof s) || s.structLen % 8 != 0 || s.structLen > room)
      return fail(EINVAL, o.structure);
    if (!std::exchange(o.charged, true)) {
      ++context_.counters().hint_calls;
      o.ready =
          std::max(o.ready, context_.compute(context_.machine().hint_us * 1e-6, o.asked.owner));
    }
    o.advance_by = s.structLen;
    int const error = run_structure(o, at, room, s);
    if (error == not_yet) return;
    if (error != 0) return fail(error, o.structure);
    o.structure += o.advance_by;
    o.charged = o.started = o.answered = o.asked_token = false;
    o.at = phase::answer;
  }
  finish(o, 0);
}

int fcntl_calls::run_structure(operation& o, std::byte* at, int room, gpfsStructHeader_t const& s) {
  instance& i = instances_.at(o.instance);
  auto const is = [&](std::size_t bytes) { return s.structLen == static_cast<int>(bytes); };
  switch (s.structType) {
    case access_range:
      return is(sizeof(gpfsAccessRange_t)) ? access_range_hint(o, load<gpfsAccessRange_t>(at))
                                           : EINVAL;
    case free_range: {
      if (!is(sizeof(gpfsFreeRange_t))) return EINVAL;
      auto const r = load<gpfsFreeRange_t>(at);
      if (r.start < 0 || r.length < 0 || r.start > no_end - r.length) return EINVAL;
      return free_range_hint(o, blocks_to_end(r.start, r.length, block_bytes()), true);
    }
    case clear_file_cache:
      return is(sizeof(gpfsClearFileCache_t)) ? free_range_hint(o, {0, no_end}, false) : EINVAL;
    case multiple_access_range: {
      if (!is(sizeof(gpfsMultipleAccessRange_t))) return EINVAL;
      auto r = load<gpfsMultipleAccessRange_t>(at);
      int const error = multiple_access_range_hint(o, r);
      if (error == 0) std::memcpy(at, &r, sizeof r);
      return error;
    }
    case cancel_hints:
      if (!is(sizeof(gpfsCancelHints_t))) return EINVAL;
      forget_hints(i);
      return 0;
    case fine_grain_write_sharing:
      // a hint of later releases, without effect here
      return is(sizeof(gpfsFineGrainWriteSharing_t)) ? 0 : EINVAL;
    case struct_type::prefetch: {
      if (!is(sizeof(gpfsPrefetch_t))) return EINVAL;
      auto const p = load<gpfsPrefetch_t>(at);
      i.prefetch_read = p.prefetchEnableRead != 0;
      i.prefetch_write = p.prefetchEnableWrite != 0;
      return 0;
    }
    case data_ship_start:
      return is(sizeof(gpfsDataShipStart_t)) ? start_directive(o, at, room) : EINVAL;
    case data_ship_map:
      return EINVAL;  // valid only behind a start
    case data_ship_stop:
      return is(sizeof(gpfsDataShipStop_t)) ? stop_directive(o) : EINVAL;
    case get_replication: {
      if (!is(sizeof(gpfsGetReplication_t))) return EINVAL;
      auto r = load<gpfsGetReplication_t>(at);
      r.metadataReplicas = r.maxMetadataReplicas = r.dataReplicas = r.maxDataReplicas = 1;
      r.status = 0;
      std::memcpy(at, &r, sizeof r);
      return 0;
    }
    case set_replication:
    case get_storage_pool:
    case get_fileset_name:
    case get_snapshot_name:
      return ENOSYS;
    default:
      return EINVAL;
  }
}

int fcntl_calls::access_range_hint(operation& o, gpfsAccessRange_t const& s) {
  if (s.start < 0 || s.length < 0 || s.start > no_end - s.length) return EINVAL;
  file& f = file_of(o);
  if (!f.mode.is_off()) return 0;
  block_range const range = blocks_to_end(s.start, s.length, block_bytes());
  bool const writes = s.isWrite != 0 && instances_.at(o.instance).write;
  return tokens_.need(o, f, range, writes ? token_mode::write : token_mode::read, {range}, s.start)
             ? 0
             : not_yet;
}

int fcntl_calls::free_range_hint(operation& o, block_range range, bool tokens) {
  file& f = file_of(o);
  if (locks_.against(o.file, range, token_mode::write) || f.mode.is_serving()) return not_yet;
  if (!pool_.clean(o.file, range, true)) return not_yet;
  if (tokens && f.mode.is_off() && f.tokens.any(range)) tokens_.release(o.file, f, range, o.ready);
  return std::exchange(instances_.at(o.instance).error, 0);
}

// --- Multiple access range -----------------------------------------------------------------------

std::int64_t fcntl_calls::accepted_blocks() const {
  std::int64_t n = 0;
  for (auto const& [id, i] : instances_) n += static_cast<std::int64_t>(i.accepted.size());
  return n;
}

// Returns how many ranges an open file may have. If load counts, the quota shrinks as reads take
// longer than those of servers without a queue.
std::int64_t fcntl_calls::range_quota() const {
  machine const& m = context_.machine();
  if (m.range_quota_by_load == 0) return m.range_quota_blocks;
  double const rate = m.server_read_mb_per_s > 0 ? m.server_read_mb_per_s : m.server_mb_per_s;
  double const idle = (m.disk_us + 2 * m.message_us) * 1e-6 +
                      machine::seconds(block_bytes(), m.disk_mb_per_s) +
                      machine::seconds(block_bytes(), rate);
  double const share = std::min(1.0, idle / std::max(idle, pool_.read_latency_s()));
  return std::max<std::int64_t>(
      1, static_cast<std::int64_t>(share * static_cast<double>(m.range_quota_blocks)));
}

int fcntl_calls::multiple_access_range_hint(operation& o, gpfsMultipleAccessRange_t& s) {
  auto const counts = [](int n) { return n >= 0 && n <= range_count_max; };
  if (!counts(s.accRangeCnt) || !counts(s.relRangeCnt)) return EINVAL;
  auto const sound = [&](gpfsRangeArray_t const& r) {
    return r.blockNumber >= 0 && r.blockNumber < no_end / block_bytes() && r.start >= 0 &&
           r.length >= 0 && r.start + std::int64_t{r.length} <= block_bytes();
  };
  if (!std::all_of(s.accRangeArray, s.accRangeArray + s.accRangeCnt, sound) ||
      !std::all_of(s.relRangeArray, s.relRangeArray + s.relRangeCnt, sound))
    return EINVAL;

  instance& i = instances_.at(o.instance);
  for (int k = 0; k < s.relRangeCnt; ++k) release_range(i, s.relRangeArray[k]);
  file const& f = file_of(o);
  std::int64_t const quota = range_quota();
  int accepted = 0;
  for (; accepted < s.accRangeCnt; ++accepted) {
    gpfsRangeArray_t const& r = s.accRangeArray[accepted];
    if (static_cast<std::int64_t>(i.accepted.size()) >= quota ||
        accepted_blocks() >= context_.machine().pool_blocks() / 2)
      break;
    if (f.mode.is_on() && f.mode.map().owner(r.blockNumber) != context_.node()) break;
    operation hint;
    hint.kind = operation::what::hint;
    hint.id = context_.next_id();
    i.accepted.push_back({r, hint.id});
    hint.file = o.file;
    hint.instance = o.instance;
    hint.range = r;
    hint.is_write = r.isWrite != 0 && i.write;
    hint.ready = o.ready;
    operations_.add(std::move(hint));
    context_.changed();
  }
  context_.counters().ranges_accepted += accepted;
  context_.counters().ranges_refused += s.accRangeCnt - accepted;
  s.accRangeCnt = accepted;
  return 0;
}

void fcntl_calls::run_hint(operation& o) {
  auto const i = instances_.find(o.instance);
  gpfsRangeArray_t const& r = o.range;
  std::int64_t const block = r.blockNumber;
  if (i == instances_.end()) return finish(o, 0);
  auto const entry = std::find_if(i->second.accepted.begin(), i->second.accepted.end(),
                                  [&](auto const& a) { return a.hint == o.id; });
  // released meanwhile, and perhaps accepted again
  if (entry == i->second.accepted.end()) return finish(o, 0);
  file& f = file_of(o);
  if (f.mode.is_entering()) return;
  if (f.mode.is_on()) {
    if (f.mode.map().owner(block) != context_.node()) return finish(o, 0);
  } else {
    block_range const required{block, block + 1};
    token_mode const mode = o.is_write ? token_mode::write : token_mode::read;
    if (!tokens_.need(o, f, required, mode, {required}, block * block_bytes() + r.start)) return;
  }
  if (!pool_.contains({o.file, block})) {
    bool const covered =
        o.is_write && ((r.start == 0 && r.length == block_bytes()) || !f.allocated.contains(block));
    if (covered || (!o.is_write && block * block_bytes() >= f.size.bytes)) return finish(o, 0);
    if (!pool_.prefetch({o.file, block}, f.hollow)) return;
  }
  pool_.pin({o.file, block});
  entry->pinned = true;
  finish(o, 0);
}

void fcntl_calls::release_range(instance& i, gpfsRangeArray_t const& r) {
  auto const entry = std::find_if(i.accepted.begin(), i.accepted.end(),
                                  [&](auto const& a) { return same(a.range, r); });
  if (entry == i.accepted.end()) {
    ++context_.counters().ranges_unknown;
    return;
  }
  bool const pinned = entry->pinned;
  i.accepted.erase(entry);
  ++context_.counters().ranges_released;
  context_.changed();
  if (pinned) pool_.unpin({i.file, r.blockNumber});
  pool_.flush_behind({i.file, r.blockNumber});
}

void fcntl_calls::forget_hints(instance& i) {
  while (!i.accepted.empty()) {
    auto const last = i.accepted.back();
    i.accepted.pop_back();
    if (last.pinned) pool_.unpin({i.file, last.range.blockNumber});
  }
  context_.changed();
}

// --- Directives ----------------------------------------------------------------------------------

int fcntl_calls::start_directive(operation& o, std::byte const* at, int room) {
  auto const s = load<gpfsDataShipStart_t>(at);
  std::optional<partition_map> map;
  int const behind = room - s.structLen;
  if (behind >= static_cast<int>(sizeof(gpfsStructHeader_t))) {
    auto const next = load<gpfsStructHeader_t>(at + s.structLen);
    if (next.structType == data_ship_map) {
      constexpr int fixed = offsetof(gpfsDataShipMapVariable_t, agentNodeNumber);
      if (next.structLen > behind ||
          next.structLen < static_cast<int>(sizeof(gpfsDataShipMapVariable_t)) ||
          next.structLen % 8 != 0)
        return EINVAL;
      auto const m = load<gpfsDataShipMapVariable_t>(at + s.structLen);
      if (m.partitionSize <= 0 || m.partitionSize % block_bytes() != 0 || m.agentCount < 1 ||
          m.agentCount > ship_agents_max || m.agentCount * 4 > next.structLen - fixed)
        return EINVAL;
      map.emplace();
      map->blocks_per_entry = m.partitionSize / block_bytes();
      map->owners.resize(static_cast<std::size_t>(m.agentCount));
      std::memcpy(map->owners.data(), at + s.structLen + fixed, map->owners.size() * sizeof(int));
      o.advance_by += next.structLen;
    }
  }
  if (s.numInstances < 1 || s.reserved != 0) return EINVAL;
  if (!std::exchange(o.started, true)) {
    o.at = phase::directive;
    context_.tell_manager(ship_start{o.id, o.file, o.instance, s.numInstances, std::move(map)},
                          o.ready);
  }
  if (!o.answered) return not_yet;
  if (o.error == 0) instances_.at(o.instance).ship_epoch = file_of(o).mode.epoch();
  return o.error;
}

int fcntl_calls::stop_directive(operation& o) {
  if (!std::exchange(o.started, true)) {
    o.at = phase::directive;
    context_.tell_manager(ship_stop{o.id, o.file, o.instance}, o.ready);
  }
  if (!o.answered) return not_yet;
  if (o.error != EINVAL && o.error != EINTR && o.error != ETIMEDOUT)
    instances_.at(o.instance).ship_epoch = 0;
  return o.error;
}

}  // namespace argosy::lab::gpfs::detail::client
