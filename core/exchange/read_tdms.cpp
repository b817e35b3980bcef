#include <algorithm>
#include <cmath>
#include <map>
#include <variant>

#include "core/base/error.h"
#include "core/base/file_bytes.h"
#include "core/base/numbers.h"
#include "core/exchange/byte_reader.h"
#include "core/exchange/members.h"

namespace hyb {
namespace {

constexpr std::uint32_t kMetaData = 0x02, kNewList = 0x04, kRawData = 0x08, kInterleaved = 0x20, kBigEndian = 0x40,
                        kDaqmx = 0x80;
constexpr std::uint64_t kUnfinished = ~std::uint64_t{0};
constexpr std::uint32_t kNoData = 0xFFFFFFFF, kAsBefore = 0, kFormatChanging = 0x1269, kDigitalLine = 0x126A;

/// Bytes of one value; 0 for types without a fixed width that can be read as a number.
std::size_t widthOf(std::uint32_t type) {
  switch (type) {
    case 1:
    case 5:
    case 0x21:
      return 1;
    case 2:
    case 6:
      return 2;
    case 3:
    case 7:
    case 9:
    case 0x19:
      return 4;
    case 4:
    case 8:
    case 10:
    case 0x1A:
      return 8;
    case 0x44:
      return 16;
    default:
      return 0;
  }
}

/// A time stamp in seconds since 1904-01-01 00:00 UTC.
double stampOf(ByteReader& bytes) {
  constexpr double kFraction = 0x1p-64;
  if (bytes.little()) {
    const auto fraction = bytes.value<std::uint64_t>();
    return static_cast<double>(bytes.value<std::int64_t>()) + kFraction * static_cast<double>(fraction);
  }
  const auto seconds = bytes.value<std::int64_t>();
  return static_cast<double>(seconds) + kFraction * static_cast<double>(bytes.value<std::uint64_t>());
}

double numberOfType(ByteReader& bytes, std::uint32_t type) {
  switch (type) {
    case 1:
      return bytes.value<std::int8_t>();
    case 2:
      return bytes.value<std::int16_t>();
    case 3:
      return bytes.value<std::int32_t>();
    case 4:
      return static_cast<double>(bytes.value<std::int64_t>());
    case 5:
    case 0x21:
      return bytes.value<std::uint8_t>();
    case 6:
      return bytes.value<std::uint16_t>();
    case 7:
      return bytes.value<std::uint32_t>();
    case 8:
      return static_cast<double>(bytes.value<std::uint64_t>());
    case 9:
    case 0x19:
      return static_cast<double>(bytes.value<float>());
    case 0x44:
      return stampOf(bytes);
    default:
      return bytes.value<double>();
  }
}

using Property = std::variant<double, std::string>;

struct TdmsObject {
  std::string path;
  std::map<std::string, Property> properties;
  // The index of the raw data that it had last.
  bool indexed = false;
  std::uint32_t type = 0;
  std::uint64_t count = 0;         // of each chunk
  std::uint64_t string_bytes = 0;  // of each chunk, of texts
  std::vector<double> values;
};

class TdmsFile {
 public:
  TdmsFile(std::string name, std::string_view bytes) : name_(std::move(name)), bytes_(bytes) {}

  void read() {
    while (bytes_.left() > 0 && segment()) {
    }
  }
  std::vector<TdmsObject> objects;
  std::vector<std::string> notes;

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw InputError(name_, why); }
  /// False: the file ends here.
  bool segment() {
    const std::size_t begin = bytes_.place();
    try {
      bytes_.setLittle(true);
      const std::string tag = bytes_.text(4);
      if (tag == "TDSh") refuse("is the index of a TDMS file; give the file of the same name that ends with .tdms.");
      if (tag != "TDSm") {
        if (begin == 0) refuse("is not a TDMS file.");
        notes.push_back("Byte " + std::to_string(begin) + ": no segment begins here; what follows was left out.");
        return false;
      }
      const auto mask = bytes_.value<std::uint32_t>();
      bytes_.setLittle((mask & kBigEndian) == 0);
      const auto version = bytes_.value<std::uint32_t>();
      if (version != 4712 && version != 4713)
        refuse("has TDMS version " + std::to_string(version) +
               "; 4712 and 4713 are read. Save it again with a program "
               "that writes one of them.");
      const auto length = bytes_.value<std::uint64_t>(), raw_at = bytes_.value<std::uint64_t>();
      const std::size_t start = bytes_.place();
      const bool unfinished = length == kUnfinished || length > bytes_.left();
      if (unfinished)
        notes.push_back(
            "The last segment was not finished: the program that wrote it ended early. What is there of "
            "it was read.");
      if ((mask & kMetaData) != 0)
        metadata((mask & kNewList) != 0);
      else if (list_.empty() && (mask & kRawData) != 0)
        refuse("byte " + std::to_string(begin) + ": a segment repeats the channels of one before, and there is none.");
      if ((mask & kDaqmx) != 0) refuseDaqmx();
      if (!unfinished && raw_at > length)
        refuse("byte " + std::to_string(begin) + ": the segment has fewer bytes than its head says.");
      const std::size_t end = unfinished ? bytes_.place() + bytes_.left() : start + static_cast<std::size_t>(length);
      if ((mask & kRawData) != 0) {
        if (raw_at > end - start) return false;
        bytes_.goTo(start + static_cast<std::size_t>(raw_at));
        rawData(end, (mask & kInterleaved) != 0, unfinished);
      }
      bytes_.goTo(end);
      return !unfinished;
    } catch (const EndOfBytes&) {
      if (begin == 0) refuse("ends within its first segment; copy it again.");
      notes.push_back("Byte " + std::to_string(begin) +
                      ": the file ends within the head of this segment, which was "
                      "left out.");
      return false;
    }
  }
  [[noreturn]] void refuseDaqmx() const {
    refuse("was recorded as raw DAQ data; save it again from LabVIEW or DIAdem as scaled data.");
  }

  std::string word() { return bytes_.text(bytes_.value<std::uint32_t>()); }

  void metadata(bool new_list) {
    if (new_list) list_.clear();
    const auto count = bytes_.value<std::uint32_t>();
    for (std::uint32_t k = 0; k < count; ++k) {
      const std::string path = word();
      const auto known = std::ranges::find(objects, path, &TdmsObject::path);
      const auto place = static_cast<std::size_t>(known - objects.begin());
      if (known == objects.end()) objects.push_back({path, {}, false, 0, 0, 0, {}});
      index(place);
      const auto properties = bytes_.value<std::uint32_t>();
      for (std::uint32_t p = 0; p < properties; ++p) {
        const std::string name = word();
        const auto type = bytes_.value<std::uint32_t>();
        if (type == 0x20)
          objects[place].properties[name] = word();
        else if (widthOf(type) > 0)
          objects[place].properties[name] = numberOfType(bytes_, type);
        else
          refuse(path + ": its property \"" + name + "\" has the type " + std::to_string(type) +
                 ", which is not read.");
      }
    }
  }
  /// The raw data index of an object.
  void index(std::size_t place) {
    TdmsObject& object = objects[place];
    const auto head = bytes_.value<std::uint32_t>();
    const auto listed = std::ranges::find(list_, place);
    if (head == kNoData) {
      if (listed != list_.end()) list_.erase(listed);
      return;
    }
    if (head == kFormatChanging || head == kDigitalLine) refuseDaqmx();
    if (head == kAsBefore) {
      if (!object.indexed) refuse(object.path + ": repeats an index that it never had.");
    } else {
      const auto type = bytes_.value<std::uint32_t>();
      if (object.indexed && type != object.type)
        refuse(object.path + ": its type changes within the file, from " + std::to_string(object.type) + " to " +
               std::to_string(type) + ".");
      object.type = type;
      (void)bytes_.value<std::uint32_t>();  // dimension, always 1
      object.count = bytes_.value<std::uint64_t>();
      if (type == 0x20)
        object.string_bytes = bytes_.value<std::uint64_t>();
      else if (widthOf(type) == 0)
        refuse(object.path + ": values of type " + std::to_string(type) +
               " are not read; save the channel as numbers.");
      object.indexed = true;
    }
    if (listed == list_.end()) list_.push_back(place);
  }

  std::uint64_t chunkBytes(const TdmsObject& object) const {
    if (object.type == 0x20) return object.string_bytes;
    if (object.count > kUnfinished / 16) refuse(object.path + ": claims " + std::to_string(object.count) + " values.");
    return object.count * widthOf(object.type);
  }
  void takeValues(TdmsObject& object, std::uint64_t count) {
    for (std::uint64_t k = 0; k < count; ++k) object.values.push_back(numberOfType(bytes_, object.type));
  }
  void rawData(std::size_t end, bool interleaved, bool unfinished) {
    std::uint64_t chunk = 0;
    for (const std::size_t place : list_) {
      const std::uint64_t bytes = chunkBytes(objects[place]);
      if (bytes > kUnfinished - chunk) refuse("claims more values than a file can hold.");
      chunk += bytes;
    }
    std::uint64_t left = end - bytes_.place();
    if (chunk == 0) {
      if (left > 0 && !list_.empty()) refuse("has values of channels that claim none.");
      return;
    }
    if (interleaved) return rowsOfChannels(left);
    for (; left >= chunk; left -= chunk)
      for (const std::size_t place : list_) wholeChunk(objects[place]);
    if (left == 0) return;
    const std::uint64_t rest = left;
    for (const std::size_t place : list_) {
      TdmsObject& object = objects[place];
      const std::size_t width = widthOf(object.type);
      if (width == 0) {  // a text ends an unfinished segment
        if (unfinished) break;
        continue;
      }
      // In a finished segment each channel has its share; else one after the other until the bytes end.
      const std::uint64_t count =
          unfinished ? std::min(object.count, left / width)
                     : static_cast<std::uint64_t>(static_cast<double>(object.count) * static_cast<double>(rest) /
                                                  static_cast<double>(chunk));
      const std::uint64_t now = std::min(count, left / width);
      takeValues(object, now);
      left -= now * width;
      if (unfinished && now < object.count) break;
    }
  }
  void wholeChunk(TdmsObject& object) {
    if (object.type == 0x20)
      (void)bytes_.take(object.string_bytes);
    else
      takeValues(object, object.count);
  }
  void rowsOfChannels(std::uint64_t left) {
    std::uint64_t row = 0;
    for (const std::size_t place : list_) {
      if (objects[place].type == 0x20) refuse(objects[place].path + ": interleaved texts are not read.");
      row += widthOf(objects[place].type);
    }
    for (; left >= row; left -= row)
      for (const std::size_t place : list_) takeValues(objects[place], 1);
  }

  std::string name_;
  ByteReader bytes_;
  std::vector<std::size_t> list_;  // of objects with raw data in this segment, in their order
};

/// The names in a path: "/'Rig'/'force''s raw'" has two.
std::vector<std::string> namesOf(const std::string& path) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] != '\'') continue;
    std::string& name = names.emplace_back();
    for (++i; i < path.size(); ++i) {
      if (path[i] != '\'')
        name += path[i];
      else if (i + 1 < path.size() && path[i + 1] == '\'')
        name += path[i++];
      else
        break;
    }
  }
  return names;
}

std::optional<double> number(const TdmsObject& object, const std::string& property) {
  const auto found = object.properties.find(property);
  if (found == object.properties.end() || !std::holds_alternative<double>(found->second)) return std::nullopt;
  return std::get<double>(found->second);
}
std::string words(const TdmsObject& object, const std::string& property) {
  const auto found = object.properties.find(property);
  return found != object.properties.end() && std::holds_alternative<std::string>(found->second)
             ? std::get<std::string>(found->second)
             : std::string();
}

/// Applies the scales of a channel, which are chained from the raw values on. Throws InputError for kinds of scales
/// that are not read.
void scale(const std::string& file, TdmsObject& object) {
  const double count = number(object, "NI_Number_Of_Scales").value_or(0.0);
  if (!(count >= 1.0) || count > 100.0 || words(object, "NI_Scaling_Status") == "scaled") return;
  const std::string place = file + ": " + object.path;
  constexpr double kRaw = 4294967295.0;
  const std::vector<double> raw = object.values;
  std::vector<std::vector<double>> scaled;
  for (int k = 0; k < static_cast<int>(count); ++k) {
    const std::string front = "NI_Scale[" + std::to_string(k) + "]_";
    const std::string kind = words(object, front + "Scale_Type");
    if (kind != "Linear" && kind != "Polynomial")
      throw InputError(place, "has a scale of the kind \"" + kind +
                                  "\", which is not read; save the channel as scaled data from LabVIEW or DIAdem.");
    const double source = number(object, front + kind + "_Input_Source").value_or(kRaw);
    const auto before = static_cast<std::size_t>(std::min(source, kRaw));
    if (source != kRaw && !(source < static_cast<double>(scaled.size())))
      throw InputError(place, "has a scale whose input comes after it.");
    std::vector<double> values = source == kRaw ? raw : scaled[before];
    std::vector<double> factors;
    if (kind == "Linear") {
      factors = {number(object, front + "Linear_Y_Intercept").value_or(0.0),
                 number(object, front + "Linear_Slope").value_or(1.0)};
    } else {
      const double size = number(object, front + "Polynomial_Coefficients_Size").value_or(0.0);
      for (int c = 0; c < static_cast<int>(std::min(size, 100.0)); ++c)
        factors.push_back(number(object, front + "Polynomial_Coefficients[" + std::to_string(c) + "]").value_or(0.0));
    }
    for (double& value : values) {
      double sum = 0.0;
      for (auto factor = factors.rbegin(); factor != factors.rend(); ++factor) sum = sum * value + *factor;
      value = sum;
    }
    scaled.push_back(std::move(values));
  }
  object.values = scaled.back();
}

/// "2026-11-29T10:11:12.500Z" of seconds since 1904.
std::string isoOf(double stamp) {
  constexpr double kFrom1904To1970 = 2'082'844'800.0;
  const double unix_s = stamp - kFrom1904To1970;
  const auto seconds = static_cast<std::time_t>(std::floor(unix_s));
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &utc);
  const int milli = static_cast<int>(1000.0 * (unix_s - std::floor(unix_s)));
  std::string fraction = std::to_string(1000 + milli);
  return std::string(text.data()) + "." + fraction.substr(1) + "Z";
}

}  // namespace

/// TDMS as National Instruments publishes it: plain numeric segments, linear and polynomial scales. One table for each
/// group of channels with one time base.
ForeignFile readTdms(const std::filesystem::path& path) {
  const std::optional<std::string> bytes = bytesOf(path);
  if (!bytes) throw InputError(path.string(), "cannot be read.");
  TdmsFile file(path.string(), *bytes);
  file.read();
  ForeignFile found;
  struct Key {
    std::string group;
    std::size_t rows;
    std::optional<double> step, offset;
    bool operator==(const Key&) const = default;
  };
  std::vector<Key> keys;
  std::vector<std::vector<Channel>> channels;
  std::vector<std::vector<std::vector<double>>> columns;
  std::vector<std::vector<std::pair<std::string, std::string>>> facts;
  std::vector<std::pair<std::string, std::string>> of_file;
  for (TdmsObject& object : file.objects) {
    const std::vector<std::string> names = namesOf(object.path);
    if (names.empty())
      for (const auto& [name, value] : object.properties)
        if (const auto* text = std::get_if<std::string>(&value)) of_file.emplace_back(name, *text);
    if (names.size() < 2) continue;
    if (object.type == 0x20) {
      found.notes.push_back("Channel \"" + names[1] + "\" is text and was left out.");
      continue;
    }
    if (object.values.empty()) continue;
    scale(path.string(), object);
    // Channels of an unfinished file end a few values apart; their table ends with the shortest.
    const Key key{names[0], file.notes.empty() ? object.values.size() : 0, number(object, "wf_increment"),
                  number(object, "wf_start_offset")};
    const auto place = static_cast<std::size_t>(std::ranges::find(keys, key) - keys.begin());
    if (place == keys.size()) {
      keys.push_back(key);
      channels.emplace_back();
      columns.emplace_back();
      facts.emplace_back();
    }
    if (const std::optional<double> stamp = number(object, "wf_start_time"); stamp && facts[place].empty())
      facts[place].emplace_back("started_at", isoOf(*stamp));
    Channel channel{names[1], words(object, "unit_string"), words(object, "description")};
    channels[place].push_back(std::move(channel));
    columns[place].push_back(std::move(object.values));
  }
  for (std::size_t k = 0; k < keys.size(); ++k) {
    Table table = tableInMemory(std::move(channels[k]), std::move(columns[k]));
    table.title = keys[k].group;
    if (keys[k].step.value_or(0.0) > 0.0) {
      table.rate_hz = 1.0 / *keys[k].step;
      table.start_s = keys[k].offset.value_or(0.0);
    }
    table.facts = std::move(facts[k]);
    table.facts.insert(table.facts.end(), of_file.begin(), of_file.end());
    found.tables.push_back(std::move(table));
  }
  found.notes.insert(found.notes.end(), file.notes.begin(), file.notes.end());
  if (found.tables.empty()) throw InputError(path.string(), "has no channel with numbers.");
  return found;
}

}  // namespace hyb
