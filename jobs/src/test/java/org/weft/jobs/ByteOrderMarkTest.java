package org.weft.jobs;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Editors put a byte-order mark before a text: every text that a command reads may have one. */
class ByteOrderMarkTest extends FolderCase {
  private static final String MARK = "\uFEFF";

  /** FILE is the text with a mark, T a tensor of 2 x 2, DIR the folder. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "x.tns | 1 1 5\\n | stats FILE",
        "x.mtx | %%MatrixMarket matrix array real general\\n1 1\\n5\\n | stats FILE",
        "x.ta | def main() {\\n  var s = 2;\\n  print(s);\\n}\\n | run FILE",
        "x.yaml | name: x\\nsteps:\\n  - id: s\\n    run: stats T\\n    in: T\\n | workflow graph FILE",
        "x.conf | designs = [{ name = d, tile = [2, 2, 2], cycles = 9, clock-ghz = 1 }]\\n | codesign FILE",
        "x.tsv | stream\\t1e10\\tbytes/s\\n | stats T --machine FILE",
        "mode0.perm | 1\\n0\\n | reorder T --apply DIR",
        "x.labels | one\\ntwo\\n | cpd T --rank 1 --iterations 1 --labels 0=FILE --output DIR/m",
        "x.csv | a,b\\nx,y\\n | ingest FILE DIR/m.weft --mode a --mode b",
      })
  void isNoPartOfTheText(String name, String text, String command) {
    String tensor = Run.write(folder, "t.tns", "1 1 1\n2 2 2\n");
    String lines = text.replace("\\n", "\n").replace("\\t", "\t").replaceAll("\\bT\\b", tensor);
    String file = Run.write(folder, name, MARK + lines);
    Run.of(
            command
                .replace("DIR", folder.toString())
                .replace("FILE", file)
                .replaceAll("\\bT\\b", tensor)
                .split(" "))
        .succeeds();
  }
}
