package org.weft.storage.container;

import com.google.auto.service.AutoService;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.BlockReader;
import org.weft.storage.InputPlan;
import org.weft.storage.InputSplit;
import org.weft.storage.Labels;
import org.weft.storage.ReadOptions;
import org.weft.storage.SourceFile;
import org.weft.storage.TensorFileFormat;
import org.weft.storage.TensorHeader;
import org.weft.storage.TensorOutput;
import org.weft.storage.TensorWriter;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.Existing;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;
import org.weft.storage.file.VersionName;

/** Containers as one of the formats that commands read and write: a split for each part. */
@AutoService(TensorFileFormat.class)
public final class ContainerFormat implements TensorFileFormat {
  @Override
  public String name() {
    return "Weft tensor container";
  }

  @Override
  public String extension() {
    return ".weft";
  }

  @Override
  public boolean compressible() {
    return false;
  }

  /** The folder, or one version's manifest in it. */
  @Override
  public boolean takes(String name) {
    return name.endsWith(".weft")
        || name.endsWith(".weft/")
        || name.matches(".*\\.weft/+manifest-[0-9]+\\.json")
        || VersionName.isOne(name);
  }

  @Override
  public void requireThere(FileAccess access, String uri) {
    if (ManifestFile.version(access.path(uri).getName()) > 0) {
      Container.open(access, uri); // says which versions there are
    }
  }

  @Override
  public boolean isFolder() {
    return true;
  }

  @Override
  public TensorHeader readHeader(SourceFile file, ReadOptions options) {
    TensorFileFormat.refuseZeroBased(file.uri(), options.zeroBased(), name());
    Container container = Container.open(file.access(), file.uri());
    long nonfinite = container.manifest().statistics().nonfinite();
    if (nonfinite > 0 && !options.allowNonfinite()) {
      throw new WeftException(
          ErrorCode.NONFINITE_VALUE,
          file.uri()
              + ": expected finite values, found "
              + nonfinite
              + " that are not; to keep them, allow non-finite values (--allow-nonfinite)");
    }
    return new TensorHeader(
        container.shape().order(), container.shape(), container.entries(), 0, container);
  }

  @Override
  public List<InputSplit> splits(SourceFile file, TensorHeader header, long splitBytes) {
    Container container = container(header);
    List<InputSplit> splits = new ArrayList<>();
    for (int part = 0; part < container.partCount(); part++) {
      splits.add(
          new InputSplit(
              container.file(part).toString(), container.offset(part), container.bytes(part), 0));
    }
    return splits.isEmpty() ? List.of(new InputSplit(file.uri(), 0, 0, 0)) : splits;
  }

  private static Container container(TensorHeader header) {
    return (Container) Objects.requireNonNull(header.details());
  }

  @Override
  public BlockReader read(SourceFile file, InputPlan plan, InputSplit split) {
    Container container = container(plan.header());
    int part = container.partCount() == 0 ? -1 : plan.splits().indexOf(split);
    return new ContainerReader(container, part, plan.options());
  }

  @Override
  public Map<Integer, Labels> labels(SourceFile file) {
    Container container = Container.open(file.access(), file.uri());
    return container.original().labels(container.labels().all());
  }

  @Override
  public Map<Integer, int[]> permutations(SourceFile file) {
    return Container.open(file.access(), file.uri()).permutations();
  }

  @Override
  public List<String> modeNames(SourceFile file) {
    return Container.open(file.access(), file.uri()).modeNames();
  }

  @Override
  public TensorOutput create(
      FileAccess access, String uri, Existing existing, int order, WriteOptions options) {
    requireFolder(uri, options.zeroBased());
    ContainerTransaction transaction = ContainerTransaction.begin(access, uri, existing);
    boolean ready = false;
    try {
      TensorOutput made = new ContainerOutput(transaction, order, options);
      ready = true;
      return made;
    } finally {
      if (!ready) {
        transaction.close();
      }
    }
  }

  @Override
  public void checkOutput(FileAccess access, String uri, boolean overwrite) {
    requireFolder(uri, false);
    ContainerTransaction.requireNew(access, uri, overwrite ? Existing.REPLACE : Existing.REFUSE);
    OutputCommit.probeInside(access, uri);
  }

  @Override
  public void checkAppend(FileAccess access, String uri) {
    requireFolder(uri, false);
    Container.open(access, uri);
    OutputCommit.probeInside(access, uri);
  }

  private void requireFolder(String uri, boolean zeroBased) {
    TensorFileFormat.refuseZeroBased(uri, zeroBased, name());
    if (uri.endsWith(".json") || VersionName.isOne(uri)) {
      throw new WeftException(
          ErrorCode.USAGE, uri + ": versions do not change; name the folder to write a new one");
    }
  }

  @Override
  public TensorWriter write(OutputStream out, String name, int order, WriteOptions options)
      throws IOException {
    throw new UnsupportedOperationException("a container is a folder: " + name);
  }
}
