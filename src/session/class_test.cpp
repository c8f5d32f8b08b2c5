// SPDX-License-Identifier: MIT
// The members of plumb::ObjectTest (include/plumb/test.hpp).
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "plumb/result.hpp"
#include "plumb/test.hpp"

namespace plumb {

struct ObjectTest::Content {
  // As plumb_option, with its texts.
  struct Option {
    plumb_option plain;
    std::string name, text;
  };

  detail::ObjectUnderTest object;
  std::optional<detail::ObjectUnderTest> reference = {};
  const Specification* specification = nullptr;
  std::shared_ptr<void> keeps_specification = {};
  detail::TestName test;
  const char* file;
  std::vector<Option> options = {};

  const char* refuse() const {
    const char* const wrong = object.refuse_test();
    return *wrong == 0 && reference ? reference->refuse() : wrong;
  }
  plumb_object table() const {
    plumb_object table = object.table();
    table.file = file;
    if (reference) table.reference = &reference->table();
    table.specification = specification;
    return table;
  }
  std::vector<plumb_option> option_table() const {
    std::vector<plumb_option> table;
    for (const Option& option : options) {
      table.push_back(option.plain);
      table.back().name = option.name.c_str();
      table.back().text = option.text.c_str();
    }
    return table;
  }
};

ObjectTest::ObjectTest(const detail::ObjectUnderTest& object, const detail::TestName& test,
                       const char* file)
    : content_(new Content{.object = object, .test = test, .file = file}) {}
ObjectTest::ObjectTest(const ObjectTest& other) : content_(new Content(*other.content_)) {}
ObjectTest::~ObjectTest() { delete content_; }

ObjectTest& ObjectTest::add(const plumb_option& option) {
  content_->options.push_back({option, option.name == nullptr ? "" : option.name,
                               option.text == nullptr ? "" : option.text});
  return *this;
}

void ObjectTest::set_reference(const detail::ObjectUnderTest& object,
                               const Specification* specification, detail::Erased keeps) {
  content_->reference.emplace(object);
  content_->specification = specification;
  if (keeps.self != nullptr) content_->keeps_specification.reset(keeps.self, keeps.destroy);
}

plumb_exploration* ObjectTest::run_here() const {
  if (const char* const wrong = content_->refuse(); *wrong != 0) throw std::logic_error(wrong);
  const plumb_object object = content_->table();
  const std::vector<plumb_option> options = content_->option_table();
  return plumb_test_object(&object, options.data(), static_cast<int>(options.size()),
                           content_->test.text);
}

int ObjectTest::main(int argc, char** argv) const {
  if (const char* const wrong = content_->refuse(); *wrong != 0) {
    std::fprintf(stderr, "plumb: %s: %s\n", content_->file, wrong);
    return static_cast<int>(ErrorKind::bad_input);
  }
  const plumb_object object = content_->table();
  const std::vector<plumb_option> options = content_->option_table();
  return plumb_test_object_main(argc, argv, &object, options.data(),
                                static_cast<int>(options.size()));
}

}  // namespace plumb
