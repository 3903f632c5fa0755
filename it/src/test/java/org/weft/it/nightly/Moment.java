package org.weft.it.nightly;

import java.io.IOException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** When a kill comes: while an output of some kind is unfinished, or whenever. */
enum Moment {
  WHENEVER(""),
  TENSOR("work/.events.weft.*"),
  CHECKPOINT("work/state-*/.*"),
  MODEL("work/.model-*"),
  COMPARISON("work/.drift-*"),
  PUBLICATION("work/.current.*"),
  RECORD("state/done/.*");

  private final String hidden;

  Moment(String hidden) {
    this.hidden = hidden;
  }

  /** Whether the output is unfinished now: it has its hidden name. */
  boolean isNow(FileSystem hdfs, String folder) throws IOException {
    if (this == WHENEVER) {
      return true;
    }
    FileStatus[] found = hdfs.globStatus(new Path(folder + "/" + hidden));
    return found != null && found.length > 0;
  }
}
