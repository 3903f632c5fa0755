package org.weft.spark.output;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.weft.spark.wire.Wire;
import org.weft.storage.TensorFiles;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.JoinedFiles;
import org.weft.storage.file.OutputCommit;

/**
 * A text file of which each task makes a part, from the blocks that it has just computed. Short
 * parts come to the driver, so that the file has no small blocks without need. Driver side, but for
 * {@link #name} and {@link #shortBytes}.
 *
 * @param blocks in the order of the file
 * @param part what a task does
 */
record FileOfParts<T>(JavaRDD<T> blocks, Part<T> part) {
  private static final int SHORT_BYTES = 1 << 19;
  private static final int ALL_SHORT_BYTES = 1 << 26;

  /** What a task makes of its blocks. */
  @FunctionalInterface
  interface Part<T> extends Serializable {
    WrittenPart of(OutputTask task, Iterator<T> blocks);
  }

  /** Text of one of so many parts that comes to the driver. */
  static int shortBytes(int parts) {
    return Math.min(SHORT_BYTES, ALL_SHORT_BYTES / Math.max(1, parts));
  }

  /** Where the file of a part is. */
  static String name(String file, int part) {
    return file + ".part-" + part;
  }

  /** Whether {@code file} can be made of parts where it is to be. */
  boolean isOffered(FileAccess files, String file, WriteOptions options) {
    return TensorFiles.isJoinable(file, options)
        && (blocks.getNumPartitions() == 1 || JoinedFiles.areOffered(files, file));
  }

  /** Makes {@code file}. */
  void write(FileAccess files, String file, OutputTask task) throws IOException {
    Part<T> each = part;
    List<WrittenPart> parts = Wire.collect(blocks, some -> List.of(each.of(task, some)).iterator());
    List<String> names = written(files, parts, file);
    if (names.isEmpty()) {
      task.writeNothing();
    } else {
      JoinedFiles.join(files, names, file);
    }
  }

  /** The files of the parts; neighbouring short ones have one, which is written now. */
  private static List<String> written(FileAccess files, List<WrittenPart> parts, String file)
      throws IOException {
    List<String> names = new ArrayList<>();
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    for (int part = 0; part < parts.size(); part++) {
      if (parts.get(part).isFile()) {
        writeShort(files, text, file, names);
        names.add(name(file, part));
      } else {
        text.writeBytes(parts.get(part).text());
      }
    }
    writeShort(files, text, file, names);
    return names;
  }

  private static void writeShort(
      FileAccess files, ByteArrayOutputStream text, String file, List<String> names)
      throws IOException {
    if (text.size() == 0) {
      return;
    }
    String name = file + ".short-" + names.size();
    try (OutputCommit output = OutputCommit.attempt(files, name)) {
      try (OutputStream out = output.create()) {
        text.writeTo(out);
      }
      output.commit();
    }
    text.reset();
    names.add(name);
  }
}
