package org.weft.spark.ingest.cell;

import org.weft.storage.Labels;

/** The text of a cell is its label. */
public record TextBucket() implements Bucket {
  @Override
  public KeyType keyType() {
    return KeyType.TEXT;
  }

  @Override
  public Object key(String column, Object cell) throws BadCell {
    String text = Cells.text(cell);
    if (!Labels.isLine(text)) {
      throw new BadCell(column, "expected a label of one line and of at most 1 MiB");
    }
    return text;
  }

  @Override
  public String label(Object key) {
    return (String) key;
  }
}
