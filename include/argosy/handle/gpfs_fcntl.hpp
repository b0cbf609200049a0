// The public control interface of GPFS: the structures of the argument of `gpfs_fcntl`. Field names
// are the public ones. Layouts are compatible, so the same bytes work with the simulated and a real
// file system.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace argosy::gpfs {

// The types of structures. The argument is a header, then any number of structures, processed in
// order. Each begins with its length and type, and its length is a multiple of 8. A C++ struct with
// several of them therefore has no padding.
enum struct_type : int {
  access_range = 1001,
  free_range = 1002,
  multiple_access_range = 1003,
  clear_file_cache = 1004,
  fine_grain_write_sharing = 1005,
  prefetch = 1006,
  cancel_hints = 2001,
  data_ship_start = 2002,
  data_ship_map = 2003,
  data_ship_stop = 2004,
  set_replication = 2005,
  get_replication = 3001,
  get_storage_pool = 3002,
  get_fileset_name = 3003,
  get_snapshot_name = 3004,
};

inline constexpr int fcntl_version = 1;           // GPFS_FCNTL_CURRENT_VERSION
inline constexpr int fcntl_length_max = 65536;    // GPFS_MAX_FCNTL_LENGTH
inline constexpr int range_count_max = 8;         // GPFS_MAX_RANGE_COUNT
inline constexpr int ship_agents_max = 2048;      // GPFS_MAX_DS_AGENT_NODES
inline constexpr int name_buffer_bytes = 1024;    // GPFS_FCNTL_MAX_NAME_BUFFER
inline constexpr long magic_number = 0x47504653;  // the file system's, "GPFS"

struct gpfsFcntlHeader_t {
  int totalLength = 0;  // bytes of the header and all structures
  int fcntlVersion = fcntl_version;
  // out: start of the wrong structure, 0 for the header; unchanged without an error
  int errorOffset = 0;
  int fcntlReserved = 0;
};

// The start of every structure.
struct gpfsStructHeader_t {
  int structLen = 0;
  int structType = 0;
};

struct gpfsAccessRange_t {
  int structLen = 32, structType = access_range;
  long long start = 0, length = 0;  // length 0: to the end of the file
  int isWrite = 0;
  char padding[4] = {};
};

struct gpfsFreeRange_t {
  int structLen = 24, structType = free_range;
  long long start = 0, length = 0;  // length 0: to the end of the file
};

struct gpfsRangeArray_t {
  long long blockNumber = 0;
  int start = 0, length = 0;  // inside the block
  int isWrite = 0;
  char padding[4] = {};
};

struct gpfsMultipleAccessRange_t {
  int structLen = 400, structType = multiple_access_range;
  // in: number of requested ranges; out: number of accepted ones, counted from the first
  int accRangeCnt = 0;
  int relRangeCnt = 0;
  gpfsRangeArray_t accRangeArray[range_count_max] = {};
  gpfsRangeArray_t relRangeArray[range_count_max] = {};
};

struct gpfsClearFileCache_t {
  int structLen = 8, structType = clear_file_cache;
};

struct gpfsFineGrainWriteSharing_t {
  int structLen = 24, structType = fine_grain_write_sharing;
  int fineGrainWriteSharing = 0;
  int taskId = -1, totalTasks = -1, recordSize = -1;  // -1: not given
};

struct gpfsPrefetch_t {
  int structLen = 16, structType = prefetch;
  int prefetchEnableRead = 1, prefetchEnableWrite = 1;
};

struct gpfsCancelHints_t {
  int structLen = 8, structType = cancel_hints;
};

struct gpfsDataShipStart_t {
  int structLen = 16, structType = data_ship_start;
  int numInstances = 0;  // open instances that take part, on all nodes; equal on all
  int reserved = 0;
};

struct gpfsDataShipMap_t {
  int structLen = 8208, structType = data_ship_map;
  int partitionSize = 0;  // bytes, whole blocks
  int agentCount = 0;
  int agentNodeNumber[ship_agents_max] = {};
};

// Like the structure above, but structLen gives the number of entries, which is even. This one is
// the shortest.
struct gpfsDataShipMapVariable_t {
  int structLen = 24, structType = data_ship_map;
  int partitionSize = 0;
  int agentCount = 0;
  int agentNodeNumber[2] = {};
};

struct gpfsDataShipStop_t {
  int structLen = 8, structType = data_ship_stop;
};

enum replication_status : unsigned {
  status_exposed = 0x40000000,
  status_illreplicated = 0x20000000,
  status_unbalanced = 0x10000000,
  status_dataupdatemiss = 0x08000000,
  status_metaupdatemiss = 0x04000000,
  status_illplaced = 0x02000000,
};

struct gpfsGetReplication_t {
  int structLen = 32, structType = get_replication;
  int metadataReplicas = 0, maxMetadataReplicas = 0, dataReplicas = 0, maxDataReplicas = 0;
  int status = 0;  // replication_status
  int reserved = 0;
};

struct gpfsSetReplication_t {
  int structLen = 40, structType = set_replication;
  // 0: unchanged
  int metadataReplicas = 0, maxMetadataReplicas = 0, dataReplicas = 0, maxDataReplicas = 0;
  int errReason = 0, errValue1 = 0, errValue2 = 0;
  int reserved = 0;
};

struct gpfsGetStoragePool_t {
  int structLen = 1032, structType = get_storage_pool;
  char buffer[name_buffer_bytes] = {};
};
struct gpfsGetFilesetName_t {
  int structLen = 1032, structType = get_fileset_name;
  char buffer[name_buffer_bytes] = {};
};
struct gpfsGetSnapshotName_t {
  int structLen = 1032, structType = get_snapshot_name;
  char buffer[name_buffer_bytes] = {};
};

// Measured with the public headers on a 64-bit system.
static_assert(sizeof(int) == 4 && sizeof(long long) == 8);
static_assert(sizeof(gpfsFcntlHeader_t) == 16 && offsetof(gpfsFcntlHeader_t, errorOffset) == 8);
static_assert(sizeof(gpfsAccessRange_t) == 32 && offsetof(gpfsAccessRange_t, start) == 8 &&
              offsetof(gpfsAccessRange_t, length) == 16 &&
              offsetof(gpfsAccessRange_t, isWrite) == 24);
static_assert(sizeof(gpfsFreeRange_t) == 24 && offsetof(gpfsFreeRange_t, start) == 8 &&
              offsetof(gpfsFreeRange_t, length) == 16);
static_assert(sizeof(gpfsRangeArray_t) == 24 && offsetof(gpfsRangeArray_t, start) == 8 &&
              offsetof(gpfsRangeArray_t, length) == 12 &&
              offsetof(gpfsRangeArray_t, isWrite) == 16);
static_assert(sizeof(gpfsMultipleAccessRange_t) == 400 &&
              offsetof(gpfsMultipleAccessRange_t, accRangeCnt) == 8 &&
              offsetof(gpfsMultipleAccessRange_t, relRangeCnt) == 12 &&
              offsetof(gpfsMultipleAccessRange_t, accRangeArray) == 16 &&
              offsetof(gpfsMultipleAccessRange_t, relRangeArray) == 208);
static_assert(sizeof(gpfsClearFileCache_t) == 8 && sizeof(gpfsCancelHints_t) == 8 &&
              sizeof(gpfsDataShipStop_t) == 8);
static_assert(sizeof(gpfsFineGrainWriteSharing_t) == 24 &&
              offsetof(gpfsFineGrainWriteSharing_t, fineGrainWriteSharing) == 8);
static_assert(sizeof(gpfsPrefetch_t) == 16 && offsetof(gpfsPrefetch_t, prefetchEnableWrite) == 12);
static_assert(sizeof(gpfsDataShipStart_t) == 16 &&
              offsetof(gpfsDataShipStart_t, numInstances) == 8);
static_assert(sizeof(gpfsDataShipMap_t) == 8208 &&
              offsetof(gpfsDataShipMap_t, partitionSize) == 8 &&
              offsetof(gpfsDataShipMap_t, agentCount) == 12 &&
              offsetof(gpfsDataShipMap_t, agentNodeNumber) == 16);
static_assert(sizeof(gpfsDataShipMapVariable_t) == 24 &&
              offsetof(gpfsDataShipMapVariable_t, agentNodeNumber) == 16);
static_assert(sizeof(gpfsGetReplication_t) == 32 && offsetof(gpfsGetReplication_t, status) == 24);
static_assert(sizeof(gpfsSetReplication_t) == 40 &&
              offsetof(gpfsSetReplication_t, errReason) == 24);
static_assert(sizeof(gpfsGetStoragePool_t) == 1032 && sizeof(gpfsGetFilesetName_t) == 1032 &&
              sizeof(gpfsGetSnapshotName_t) == 1032 && offsetof(gpfsGetStoragePool_t, buffer) == 8);

}  // namespace argosy::gpfs
