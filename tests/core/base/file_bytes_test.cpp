#include "core/file_bytes.h"

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
};

HYB_SUITE(file_bytes, FileBytesTest)
#include "file_bytes_test.moc"
