// The textbook way to an exact LRU curve, for curve_of_store.py: a Fenwick tree over time, and the last use of each block.
//
// `fenwick FILE SIZE...`, where FILE holds block numbers (32 bits, little endian). Prints the misses of a cache of each
// size in blocks, one a line.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

static std::vector<uint32_t> read_blocks(const char* path) {
  std::vector<uint32_t> blocks;
  FILE* file = std::fopen(path, "rb");
  if (!file) return blocks;
  std::fseek(file, 0, SEEK_END);
  blocks.resize(static_cast<size_t>(std::ftell(file)) / sizeof(uint32_t));
  std::rewind(file);
  if (std::fread(blocks.data(), sizeof(uint32_t), blocks.size(), file) != blocks.size()) blocks.clear();
  std::fclose(file);
  return blocks;
}

// Counts at places from 1 on, and their sums up to a place.
class Fenwick {
 public:
  explicit Fenwick(size_t places) : tree_(places + 1) {}

  void add(size_t place, int32_t count) {
    for (; place < tree_.size(); place += place & (~place + 1)) tree_[place] += count;
  }

  int64_t sum_to(size_t place) const {
    int64_t sum = 0;
    for (; place > 0; place &= place - 1) sum += tree_[place];
    return sum;
  }

 private:
  std::vector<int32_t> tree_;
};

int main(int count, char** words) {
  if (count < 3) return 2;
  const std::vector<uint32_t> blocks = read_blocks(words[1]);
  if (blocks.empty()) return 1;
  std::vector<uint32_t> last_use(size_t{*std::max_element(blocks.begin(), blocks.end())} + 1);
  std::vector<uint64_t> hits_at(last_use.size() + 1);
  Fenwick is_last_use(blocks.size());
  for (size_t now = 1; now <= blocks.size(); ++now) {
    uint32_t& last = last_use[blocks[now - 1]];
    if (last != 0) {
      ++hits_at[static_cast<size_t>(is_last_use.sum_to(now - 1) - is_last_use.sum_to(last - 1))];
      is_last_use.add(last, -1);
    }
    is_last_use.add(now, 1);
    last = static_cast<uint32_t>(now);
  }
  for (int word = 2; word < count; ++word) {
    const uint64_t size = std::strtoull(words[word], nullptr, 10);
    uint64_t misses = blocks.size();
    for (uint64_t distance = 1; distance < hits_at.size() && distance <= size; ++distance) misses -= hits_at[distance];
    std::printf("%llu\n", static_cast<unsigned long long>(misses));
  }
  return 0;
}
