// SPDX-License-Identifier: MIT
#include "base/json_reader.hpp"

#include <nlohmann/json.hpp>

namespace plumb {
namespace {

// A tree is given back by recursion, so a text of brackets could use up the stack.
constexpr std::size_t kDeepest = 1000;

// Hears what the parser finds, and puts it where it belongs.
class JsonTree : public nlohmann::json_sax<nlohmann::json> {
 public:
  Json root;

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool key(string_t& name) override {
    key_ = std::move(name);
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  Json* put(Json value) {
    if (open_.empty()) return root = std::move(value), &root;
    Json& parent = *open_.back();
    if (parent.is_object()) {
      Json& member = parent[key_];
      return member = std::move(value), &member;
    }
    parent.push_back(std::move(value));
    return &parent.back();
  }
  bool add(Json value) {
    put(std::move(value));
    return true;
  }
  bool open(Json value) {
    if (open_.size() == kDeepest) return false;
    open_.push_back(put(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::vector<Json*> open_;  // from the root to where the parser is; a parent grows only at its end
  std::string key_;
};

}  // namespace

std::optional<Json> parse_json(std::string_view text) {
  JsonTree tree;
  if (!nlohmann::json::sax_parse(text, &tree)) return std::nullopt;
  return std::move(tree.root);
}

}  // namespace plumb
