package org.weft.storage;

import java.io.Serializable;
import java.util.List;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.text.Counts;

/**
 * One input file, opened once and ready to be read in parallel: travels to tasks.
 *
 * @param uri the file as the user named it
 * @param format name of its {@link TensorFileFormat}
 * @param header what its beginning says
 * @param splits byte ranges that together cover every entry exactly once; at least one
 */
public record InputPlan(
    String uri, String format, ReadOptions options, TensorHeader header, List<InputSplit> splits)
    implements Serializable {
  public InputPlan {
    splits = List.copyOf(splits);
  }

  /** The same entries, of which only a part is wanted. */
  public InputPlan wanting(ReadOptions.Wanted wanted) {
    return new InputPlan(uri, format, options.withWanted(wanted), header, splits);
  }

  /**
   * Checks the summary of all splits against the header. Readers of a plan with one split do so
   * themselves; whoever reads several merges their summaries and calls this.
   *
   * @throws WeftException {@code ENTRY_COUNT_MISMATCH}
   */
  public void verify(ReadSummary all) {
    if (header.records().isPresent() && header.declaredRecords() != all.records()) {
      throw new WeftException(
          ErrorCode.ENTRY_COUNT_MISMATCH,
          uri
              + ": expected "
              + Counts.plain(header.declaredRecords(), "entry")
              + ", as its header declares, found "
              + all.records()
              + (all.records() < header.declaredRecords()
                  ? "; the file is incomplete or its header wrong"
                  : "; the header is wrong or lines were added"));
    }
  }
}
