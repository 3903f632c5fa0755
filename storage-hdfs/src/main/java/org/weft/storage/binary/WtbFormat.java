package org.weft.storage.binary;

import com.google.auto.service.AutoService;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.weft.storage.BlockReader;
import org.weft.storage.InputPlan;
import org.weft.storage.InputSplit;
import org.weft.storage.Labels;
import org.weft.storage.ReadOptions;
import org.weft.storage.SingleFileFormat;
import org.weft.storage.SourceFile;
import org.weft.storage.TensorFileFormat;
import org.weft.storage.TensorHeader;
import org.weft.storage.TensorWriter;
import org.weft.storage.WriteOptions;

/**
 * Binary coordinates: {@code file := header block* section* footer tail}, specified in {@code
 * FORMAT.md}. Splits are runs of whole blocks.
 */
@AutoService(TensorFileFormat.class)
public final class WtbFormat extends SingleFileFormat {
  /** Made by the service loader. */
  public WtbFormat() {
    super("Weft binary coordinates", false, ".wtb");
  }

  @Override
  public TensorHeader readHeader(SourceFile file, ReadOptions options) throws IOException {
    TensorFileFormat.refuseZeroBased(file.uri(), options.zeroBased(), name());
    WtbFooter footer = WtbFooter.read(file);
    return new TensorHeader(
        footer.shape().order(), footer.shape(), footer.entries(), WtbFooter.HEADER_BYTES, null);
  }

  @Override
  public List<InputSplit> splits(SourceFile file, TensorHeader header, long splitBytes)
      throws IOException {
    List<InputSplit> splits = new ArrayList<>();
    long start = WtbFooter.HEADER_BYTES;
    long end = start;
    for (WtbFooter.Block block : WtbFooter.read(file).blocks()) {
      if (end > start && end - start + block.bytes() > splitBytes) {
        splits.add(new InputSplit(file.uri(), start, end - start, file.length()));
        start = end;
      }
      end += block.bytes();
    }
    if (end > start || splits.isEmpty()) {
      splits.add(new InputSplit(file.uri(), start, end - start, file.length()));
    }
    return splits;
  }

  @Override
  public BlockReader read(SourceFile file, InputPlan plan, InputSplit split) throws IOException {
    return new WtbReader(file, plan, split);
  }

  @Override
  public Map<Integer, Labels> labels(SourceFile file) throws IOException {
    Map<Integer, Labels> labels = new HashMap<>();
    for (WtbFooter.Section section : WtbFooter.read(file).sections()) {
      if (section.kind() != WtbFooter.LABELS) {
        continue;
      }
      if (section.bytes() > Integer.MAX_VALUE - 8) {
        throw WtbFooter.corrupt(file, "labels of " + section.bytes() + " bytes", section.offset());
      }
      ByteBuffer text = WtbFooter.bytes(file, section.offset(), (int) section.bytes());
      int check = WtbBlock.checkSum(text.array(), 0, text.capacity());
      if (check != section.check()) {
        throw WtbFooter.mismatch(
            file, "the labels of mode " + section.mode(), section.offset(), section.check(), check);
      }
      labels.put(section.mode(), Labels.read(new ByteArrayInputStream(text.array()), file.uri()));
    }
    return labels;
  }

  @Override
  public TensorWriter write(OutputStream out, String name, int order, WriteOptions options)
      throws IOException {
    TensorFileFormat.refuseZeroBased(name, options.zeroBased(), name());
    return new WtbWriter(out, order, options);
  }
}
