// SPDX-License-Identifier: MIT
#include "session/search_save.hpp"

#include <zstd.h>

#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "base/json.hpp"
#include "base/json_reader.hpp"
#include "explore/make.hpp"
#include "session/watch.hpp"

namespace plumb::session {
namespace {

using runtime::Board;

constexpr std::uint64_t kSearchFormat = 2;
constexpr std::string_view kSearchBegin = "{\"saved_search\":";
constexpr int kFastest = 1;  // level of compression

std::span<std::byte> bytes_of(Board& board) {
  return {reinterpret_cast<std::byte*>(&board), sizeof(Board)};
}

// The first version was the board itself, as it lay in memory.
bool is_of_first_version(std::string_view text) {
  std::uint64_t magic = 0;
  if (text.size() < sizeof magic) return false;
  std::memcpy(&magic, text.data(), sizeof magic);
  return magic == Board::kMagic;
}

}  // namespace

Status SearchSave::open(const std::string& file, std::uint64_t identity, Board& board, bool& kept) {
  identity_ = identity;
  const Result<std::optional<std::string>> found = file_.open(file, "search");
  if (!found.ok()) return found.error();
  kept = found->has_value();
  return kept ? resume(**found, board) : write(board);
}

Status SearchSave::resume(std::string_view text, Board& board) {
  if (is_of_first_version(text)) return file_.refused("was saved by another version of plumb");
  if (!text.starts_with(kSearchBegin)) return file_.refused("this is not a saved search");
  const auto content = SavedFile::content_of(text);
  if (!content) return file_.refused("the saved search is damaged or not complete");
  const std::size_t end = content->find('\n') + 1;
  const std::optional<Json> head = parse_json(content->substr(0, end));
  const auto count = [&head](const char* name) {
    const Json* const member = head ? head->find(name) : nullptr;
    return member ? member->count() : std::optional<std::uint64_t>();
  };
  if (end == 0 || !count("identity")) return file_.refused("this is not a saved search");
  if (count("saved_search") != kSearchFormat || count("board") != sizeof(Board))
    return file_.refused("was saved by another version of plumb");
  if (count("identity") != identity_)
    return file_.refused("belongs to another program, or to other arguments or options");
  const std::string_view packed = content->substr(end);
  const std::size_t used = count("strategy").value_or(Board::kBytes);
  if (used > board.strategy_memory().size()) return file_.refused("this is not a saved search");
  std::vector<std::byte> both(sizeof(Board) + used);
  const std::size_t size = ZSTD_decompress(both.data(), both.size(), packed.data(), packed.size());
  if (size != both.size()) return file_.refused("the saved search is damaged or not complete");
  std::memcpy(bytes_of(board).data(), both.data(), sizeof(Board));
  std::memcpy(board.strategy_memory().data(), both.data() + sizeof(Board), used);
  return {};
}

Status SearchSave::write(Board& board) {
  std::string error;
  const auto strategy = explore::attach(board.strategy_memory(), error);
  const std::span<const std::byte> used =
      strategy ? strategy->used() : std::span<const std::byte>();
  std::vector<std::byte> both(sizeof(Board) + used.size());
  std::memcpy(both.data(), bytes_of(board).data(), sizeof(Board));
  std::copy(used.begin(), used.end(), both.begin() + sizeof(Board));
  std::string text = Json::object({{"saved_search", kSearchFormat},
                                   {"identity", identity_},
                                   {"board", std::uint64_t{sizeof(Board)}},
                                   {"strategy", std::uint64_t{used.size()}}})
                         .dump() +
                     "\n";
  const std::size_t head = text.size();
  text.resize(head + ZSTD_compressBound(both.size()));
  text.resize(head + ZSTD_compress(text.data() + head, text.size() - head, both.data(), both.size(),
                                   kFastest));
  return file_.put(text);
}

bool SearchSave::tend(Board& board) {
  const double begin = seconds_now();
  if (!is_open() || !rhythm_.is_due(begin)) return false;
  board.command.pause = true;
  if (!board.result.progress.paused) return true;
  (void)write(board).ok();  // what cannot be saved now may be saved later
  rhythm_.saved(begin, seconds_now());
  board.command.pause = false;
  return false;
}

}  // namespace plumb::session
