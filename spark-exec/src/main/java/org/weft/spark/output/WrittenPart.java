package org.weft.spark.output;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * A part of a text file that a task has made: text that is short, or a file of its own.
 *
 * @param isFile whether the text is in the file of the part
 * @param text otherwise; empty for a part without entries
 */
@SuppressWarnings("ArrayRecordComponent") // compared with nothing
public record WrittenPart(boolean isFile, byte[] text) {
  public void writeTo(DataOutput out) throws IOException {
    out.writeBoolean(isFile);
    out.writeInt(text.length);
    out.write(text);
  }

  public static WrittenPart readFrom(DataInput in) throws IOException {
    boolean isFile = in.readBoolean();
    byte[] text = new byte[in.readInt()];
    in.readFully(text);
    return new WrittenPart(isFile, text);
  }
}
