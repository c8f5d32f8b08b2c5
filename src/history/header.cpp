// SPDX-License-Identifier: MIT
#include "history/header.hpp"

#include <algorithm>

#include "history/input.hpp"
#include "history/json_value.hpp"
#include "history/print.hpp"

namespace plumb {

using simdjson::dom::element;

namespace {

Error bad_header() {
  return bad_input("a header that does not say what the objects are",
                   "write \"object\":\"queue\", or \"objects\":{\"q1\":\"queue\"}");
}

/// "queue", or {"object":"queue","initial":[]}; `with_name`: {"name":3,"object":"queue"}.
bool read_object(element about, bool with_name, Object& out) {
  std::string_view specification;
  if (!with_name && !about.get_string().get(specification)) {
    out.specification = specification;
    return true;
  }
  simdjson::dom::object fields;
  if (about.get_object().get(fields)) return false;
  bool named = !with_name;
  for (const auto field : fields) {
    if (field.key == "object") {
      if (field.value.get_string().get(specification)) return false;
      out.specification = specification;
    } else if (field.key == "initial") {
      if (!(out.initial = to_value(field.value))) return false;
    } else if (field.key == "name" && with_name) {
      const std::optional<Value> name = to_value(field.value);
      if (!name) return false;
      out.name = *name;
      named = true;
    }
  }
  return named;
}

}  // namespace

Result<Header> read_header(element root) {
  std::int64_t version = 0;
  if (root["history"].get(version) || version != 1)
    return bad_input("\"history\" has an unknown version", "this program reads version 1");
  Header header;
  element field;
  if (!root["independent"].get(field))
    if (field.get(header.independent)) return bad_header();
  if (!root["object"].get(field) || !root["initial"].get(field)) {
    if (!read_object(root, false, header.objects.emplace_back())) return bad_header();
  }
  if (root["objects"].get(field)) return header;
  simdjson::dom::object by_name;
  simdjson::dom::array list;
  if (!field.get(by_name)) {
    for (const auto [name, about] : by_name) {
      header.objects.push_back({Value::string(name), {}, {}});
      if (!read_object(about, false, header.objects.back())) return bad_header();
    }
  } else if (!field.get(list)) {
    for (const element about : list)
      if (!read_object(about, true, header.objects.emplace_back())) return bad_header();
  } else {
    return bad_header();
  }
  return header;
}

std::string print_header(const Header& header) {
  const auto about = [](std::string& out, const Object& o) {
    if (!o.specification.empty()) append_json_string(out += ",\"object\":", o.specification);
    if (o.initial) out += ",\"initial\":" + o.initial->to_string();
  };
  std::string out = "{\"history\":1", list;
  for (const Object& o : header.objects) {
    if (o.name.is_nil()) {
      about(out, o);
    } else if (!o.specification.empty() || o.initial) {
      list += (list.empty() ? "{\"name\":" : ",{\"name\":") + o.name.to_string();
      about(list, o);
      list += '}';
    }
  }
  if (!list.empty()) out += ",\"objects\":[" + list + "]";
  if (header.independent) out += ",\"independent\":true";
  return out += '}';
}

}  // namespace plumb
