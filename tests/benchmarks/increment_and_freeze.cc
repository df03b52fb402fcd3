// Times Increment-and-Freeze, for peers.py and engine.py, which compile this against the user's copy of its source.
//
// `increment_and_freeze keys FILE`, where FILE holds keys (64 bits, little endian), or `increment_and_freeze blocks FILE`
// for 32 bits. Prints what the engine's example `stack_distances` prints: seconds of processor time, peak memory in KB,
// references, then hits at the five sizes.

#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "bounded_iaf.h"

template <typename Number>
static std::vector<Number> numbers(const char* path) {
  std::vector<Number> read;
  FILE* file = std::fopen(path, "rb");
  if (!file) return read;
  std::fseek(file, 0, SEEK_END);
  read.resize(static_cast<size_t>(std::ftell(file)) / sizeof(Number));
  std::rewind(file);
  if (std::fread(read.data(), sizeof(Number), read.size(), file) != read.size()) read.clear();
  std::fclose(file);
  return read;
}

static double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

template <typename Number>
static int time_pass(const char* path) {
  const std::vector<Number> keys = numbers<Number>(path);
  if (keys.empty()) return 1;
  const double start = processor_seconds();
  BoundedIAF pass;
  for (Number key : keys) pass.memory_access(static_cast<req_count_t>(key));
  const auto hits = pass.get_success_function();
  const double seconds = processor_seconds() - start;
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  std::printf("%f %ld %zu [", seconds, used.ru_maxrss, keys.size());
  const size_t sizes[] = {1000, 10000, 100000, 1000000, size_t{1} << 30};
  for (size_t size : sizes) {
    const size_t at = hits.empty() ? 0 : std::min(size, hits.size() - 1);
    const unsigned long long found = hits.empty() ? 0 : hits[at];
    std::printf("%s%llu", size == 1000 ? "" : ", ", found);
  }
  std::printf("]\n");
  return 0;
}

int main(int count, char** words) {
  if (count != 3) return 2;
  if (std::strcmp(words[1], "keys") == 0) return time_pass<uint64_t>(words[2]);
  return time_pass<uint32_t>(words[2]);
}
