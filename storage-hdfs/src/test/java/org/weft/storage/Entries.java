package org.weft.storage;

import java.util.ArrayList;
import java.util.List;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;

/** Entries as text, so that a failing comparison shows them. */
public final class Entries {
  public static final FileAccess ACCESS = FileAccess.local();

  private Entries() {}

  public static List<String> read(InputPlan plan) throws Exception {
    List<String> entries = new ArrayList<>();
    ReadSummary all = null;
    for (InputSplit split : plan.splits()) {
      try (BlockReader reader = TensorFiles.read(ACCESS, plan, split)) {
        while (reader.hasNext()) {
          describe(reader.next(), entries);
        }
        all = all == null ? reader.summary() : all.merge(reader.summary());
      }
    }
    plan.verify(all);
    return entries;
  }

  public static void describe(CooBlock block, List<String> into) {
    for (int e = 0; e < block.size(); e++) {
      StringBuilder text = new StringBuilder();
      for (int mode = 0; mode < block.order(); mode++) {
        text.append(block.coordinate(mode, e)).append(' ');
      }
      into.add(text.append(block.value(e)).toString());
    }
  }
}
