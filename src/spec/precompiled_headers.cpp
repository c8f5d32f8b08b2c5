// SPDX-License-Identifier: MIT
// Nearly all of the time that a test takes to compile is spent on headers that never change. From
// its second compilation on, the headers that a file and its own headers include from elsewhere
// are precompiled, and are included before the file.
//
// That must not be noticed. So they are the headers that it includes, in its order (include_scan),
// and what was compiled with them is used only if, as the compiler's list of files shows,
//   - the file still includes all of them: else one that it forgot would be there all the same;
//   - no macro that it defines before an #include is a name in any of them.
// Otherwise, and where it does not compile with them, it is compiled again without, and the file
// does without them until its directives change.
//
// In the cache NAME.pch/ has the header, what the compiler made of it, the names in it and the
// files in it with their sizes and times; KEY.headers has what a file included the last time.
#include "spec/precompiled_headers.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <utility>

#include "base/compiler_driver.hpp"

namespace plumb {
namespace fs = std::filesystem;
namespace {

// More than one of them is a large part of the cache: the one before stays, for who works on two.
constexpr std::size_t kMostFolders = 2;
constexpr const char* kSuffix = ".pch";

// Words that include something themselves, or change what the file is.
bool is_too_special(const std::string& flag) {
  for (const char* start : {"-include", "-imacros", "-x", "@", "-fmodule", "-M"})
    if (flag.starts_with(start)) return true;
  return false;
}

std::vector<std::string> lines_of(const fs::path& file) {
  std::vector<std::string> lines;
  std::istringstream in(contents(file).value_or(""));
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

template <class Lines>
bool write_lines(const fs::path& file, const Lines& lines) {
  std::ofstream out(file, std::ios::binary);
  for (const std::string& line : lines) out << line << '\n';
  return static_cast<bool>(out.flush());
}

// As they are now: an update of the system may change a header.
template <class Iterator>
std::string state_of_files(Iterator file, Iterator end) {
  ContentHash hash;
  for (; file != end; ++file) {
    struct stat its {};
    const bool is_there = stat(file->c_str(), &its) == 0;
    hash.add(*file).add(!is_there ? "-"
                                  : std::to_string(its.st_size) + " " +
                                        std::to_string(its.st_mtim.tv_sec) + " " +
                                        std::to_string(its.st_mtim.tv_nsec));
  }
  return hash.hex();
}

std::string hash_of(const ScannedIncludes& scan) {
  ContentHash hash;
  for (const std::string& header : scan.headers) hash.add(header);
  for (const std::string& macro : scan.macros) hash.add("#" + macro);
  return hash.hex();
}

void make_room(const fs::path& cache) {
  std::vector<std::pair<fs::file_time_type, fs::path>> all;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(cache, ignored))
    if (entry.path().extension() == kSuffix)
      all.emplace_back(entry.last_write_time(ignored), entry.path());
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i + kMostFolders <= all.size(); ++i)
    fs::remove_all(all[i].second, ignored);
}

}  // namespace

PrecompiledHeaders::PrecompiledHeaders(const CompileRequest& request,
                                       const std::vector<std::string>& command,
                                       const std::string& settings, const fs::path& cache)
    : request_(request), command_(command), cache_(cache) {
  std::error_code ignored;
  ContentHash hash;
  settings_ = hash.add(settings).add(fs::current_path(ignored).string()).hex();
  ContentHash of_file;
  of_file.add(settings_).add(fs::absolute(request.file).string());
  note_ = cache / (of_file.hex() + ".headers");
}

// The note: whether they are usable, the scan's hash, and the headers.
bool PrecompiledHeaders::prepare(const fs::path& work) {
  if (std::any_of(request_.flags.begin(), request_.flags.end(), is_too_special)) return false;
  std::vector<std::string> note = lines_of(note_);
  if (note.size() < 3) return false;
  if (note[0] != "usable") {
    failed_ = note[1];
    return false;
  }
  const std::string scan = note[1];
  note.erase(note.begin(), note.begin() + 2);
  ContentHash hash;
  hash.add(settings_);
  for (const std::string& header : note) hash.add(header);
  headers_ = std::move(note);
  folder_ = cache_ / (hash.hex() + kSuffix);
  if (are_ready() || make(work)) return true;
  headers_.clear();
  failed_ = scan;
  return false;
}

bool PrecompiledHeaders::are_ready() const {
  const std::vector<std::string> files = lines_of(folder_ / "files");
  return !files.empty() && files[0] == state_of_files(files.begin() + 1, files.end()) &&
         fs::exists(folder_ / "headers.hpp.gch") && find_cached(folder_);
}

bool PrecompiledHeaders::make(const fs::path& work) {
  std::error_code failed;
  make_room(cache_);
  fs::create_directory(folder_, failed);
  std::vector<std::string> text;
  for (const std::string& header : headers_) text.push_back("#include " + header);
  // One that another process has made stays: a compiler compares its time.
  if (!write_lines(work / "headers.hpp", text)) return false;
  fs::create_hard_link(work / "headers.hpp", folder_ / "headers.hpp", failed);
  std::vector<std::string> command = command_;
  command.insert(command.end(), {"-MD", "-MF", work / "list", "-x", "c++-header", "-o",
                                 work / "headers.hpp.gch", folder_ / "headers.hpp"});
  const CommandEnd end = run_command(command, work / "output", request_.limits);
  if (request_.ended_by) *request_.ended_by = end.by;
  if (end.status != 0) return false;
  std::vector<std::string> files = parse_dependencies(contents(work / "list").value_or(""));
  std::set<std::string, std::less<>> names;
  for (const std::string& file : files) add_identifiers(contents(file).value_or(""), names);
  files.insert(files.begin(), state_of_files(files.begin(), files.end()));
  if (!write_lines(work / "names", names) || !write_lines(work / "files", files)) return false;
  for (const char* file : {"headers.hpp.gch", "names", "files"}) {
    fs::rename(work / file, folder_ / file, failed);
    if (failed) return false;
  }
  return true;
}

std::vector<std::string> PrecompiledHeaders::words() const {
  return {"-include", folder_ / "headers.hpp"};
}

void PrecompiledHeaders::take_out_own(std::vector<std::string>& files) const {
  const std::string start = folder_.string() + "/";
  std::erase_if(files, [&](const std::string& file) { return file.starts_with(start); });
}

bool PrecompiledHeaders::suit(const std::vector<std::string>& files) {
  const std::string own = include_folder().string() + "/plumb/";
  std::vector<std::string> of_user;
  for (const std::string& file : files)
    if (!file.starts_with(own)) of_user.push_back(file);
  const ScannedIncludes scan = scan_includes(fs::absolute(request_.file).string(), of_user);
  bool all_included = true, usable = true;
  if (!headers_.empty()) {
    const std::set<std::string> included(scan.headers.begin(), scan.headers.end());
    for (const std::string& header : headers_)
      all_included = all_included && included.contains(header);
    const std::vector<std::string> names = lines_of(folder_ / "names");
    for (const std::string& macro : scan.macros)
      usable = usable && !std::binary_search(names.begin(), names.end(), macro);
  }
  save(scan, usable);
  return all_included && usable;
}

void PrecompiledHeaders::give_up() {
  const std::vector<std::string> note = lines_of(note_);
  failed_ = note.size() > 1 ? note[1] : "";
  headers_.clear();
}

void PrecompiledHeaders::save(const ScannedIncludes& scan, bool usable) const {
  const std::string hash = hash_of(scan);
  std::vector<std::string> note{usable && hash != failed_ ? "usable" : "not", hash};
  note.insert(note.end(), scan.headers.begin(), scan.headers.end());
  const fs::path fresh = note_.string() + "-" + std::to_string(getpid());
  std::error_code ignored;
  if (write_lines(fresh, note)) fs::rename(fresh, note_, ignored);
  else fs::remove(fresh, ignored);
}

}  // namespace plumb
