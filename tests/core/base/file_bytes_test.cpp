#include "core/base/file_bytes.h"

#include <QTemporaryDir>
#include <fstream>

#include "tests/support/suite.h"

using namespace hyb;

class FileBytesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void allBytesOrNone() {
    const QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath("bytes").toStdString();
    QVERIFY(!bytesOf(file));
    std::string bytes("\r\n\0\xFF", 4);
    bytes.resize(100'000, '\x1A');
    std::ofstream(file, std::ios::binary) << bytes;
    QVERIFY(bytesOf(file) == bytes);
    std::filesystem::resize_file(file, 0);
    QVERIFY(bytesOf(file) == std::string());
    QVERIFY(!bytesOf(folder.path().toStdString()));
    QVERIFY(!bytesOf("/dev/zero"));  // has no end
  }

  /// Text of Windows in two or four bytes a character, with its mark or without.
  void wideTextIsNamed() {
    using namespace std::string_literals;
    for (const std::string& text : {"\xFF\xFE{\0"s, "\xFE\xFF\0{"s, "{\0\n\0\"\0"s.replace(2, 2, " \0"s), "\0{\0 "s})
      QVERIFY2(wideTextFault(text).find("UTF-16") != std::string::npos, text.c_str());
    QVERIFY(wideTextFault("\xFF\xFE\0\0{\0\0\0"s).find("UTF-32") != std::string::npos);
    for (const std::string& text : {""s, "{"s, "{}"s, "\xEF\xBB\xBF{}"s, "1,2\n3,4\n"s, "\0\0\0\0"s, "ab\0\0"s})
      QVERIFY2(wideTextFault(text).empty(), text.c_str());
  }
};

HYB_SUITE(file_bytes, FileBytesTest)
#include "file_bytes_test.moc"
