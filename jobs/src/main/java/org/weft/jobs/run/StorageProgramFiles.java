package org.weft.jobs.run;

import static org.weft.jobs.output.Usage.usage;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.weft.compiler.program.space.CommonModes;
import org.weft.compiler.program.space.ModeIdentity;
import org.weft.compiler.program.space.ProgramFiles;
import org.weft.jobs.file.InputNames;
import org.weft.jobs.file.KeptModes;
import org.weft.jobs.file.OutputPlaces;
import org.weft.jobs.file.ProgramModes;
import org.weft.jobs.file.ResultOutput;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.output.Console;
import org.weft.jobs.output.EntryLines;
import org.weft.storage.InputPlan;
import org.weft.storage.Labels;
import org.weft.storage.SourceFile;
import org.weft.storage.TensorFiles;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.Devices;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;
import org.weft.text.ByteOrderMark;

/** The files of programs through the storage layer: any path and format that it knows. */
public final class StorageProgramFiles implements ProgramFiles {
  private final FileAccess files;
  private final CommonOptions options;
  private final Console console;
  private final ProgramModes modes;
  private final OutputPlaces outputs = new OutputPlaces();

  public StorageProgramFiles(FileAccess files, CommonOptions options, Console console) {
    this.files = files;
    this.options = options;
    this.console = console;
    this.modes = new ProgramModes(files);
  }

  @Override
  public Entries read(String uri, ValueType type) {
    InputPlan plan =
        TensorFiles.open(files, uri, options.readOptions().forOneOfSeveral(uri).withType(type));
    TensorFiles.AllEntries all = TensorFiles.readAll(files, plan);
    TensorShape shape = all.summary().shape(plan.header());
    return new Entries(
        shape, plan.header().shape().isPresent(), all.blocks(), modes.of(uri, shape.order()));
  }

  @Override
  public BufferedReader openText(String uri) {
    try {
      return reader(SourceFile.find(files, uri, true));
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  /** The text of a file, compressed or not. */
  public static String text(FileAccess files, String uri) {
    SourceFile file = SourceFile.find(files, uri, true);
    try (BufferedReader reader = reader(file)) {
      StringBuilder text = new StringBuilder();
      char[] buffer = new char[1 << 13];
      for (int n = reader.read(buffer); n >= 0; n = reader.read(buffer)) {
        text.append(buffer, 0, n);
      }
      return text.toString();
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  /** The characters of {@code file} after a byte-order mark; the caller closes the reader. */
  public static BufferedReader reader(SourceFile file) throws IOException {
    BufferedReader reader =
        new BufferedReader(new InputStreamReader(file.open(0), StandardCharsets.UTF_8));
    reader.mark(1);
    if (reader.read() != ByteOrderMark.CHARACTER) {
      reader.reset();
    }
    return reader;
  }

  @Override
  public CommonModes common(List<List<CommonModes.InputMode>> compared) {
    return modes.common(compared);
  }

  /** What the modes of a file stand for. */
  List<Optional<ModeIdentity>> modes(String uri, int order) {
    return modes.of(uri, order);
  }

  @Override
  public boolean print(
      TensorStorage tensor, List<Optional<ModeIdentity>> modes, Consumer<String> output) {
    Map<Integer, Labels> labels = KeptModes.of(modes).labels();
    if (labels.isEmpty()) {
      return false;
    }
    EntryLines lines =
        new EntryLines(output, tensor.format().valueType(), options.zeroBased, labels);
    lines.add(tensor);
    lines.flush();
    return true;
  }

  @Override
  public void checkOutput(String uri) {
    TensorFiles.requireWritableExtension(uri);
    boolean first = outputs.add(files, uri);
    if (!first && !options.overwrite && !Devices.isDevice(files, uri)) {
      throw usage(
          "%s: expected one write, or --overwrite to keep what the last one writes, found two",
          uri);
    }
    TensorFiles.checkOutput(files, uri, options.overwrite);
  }

  @Override
  public void write(String uri, TensorStorage tensor, List<Optional<ModeIdentity>> modes) {
    KeptModes kept = KeptModes.of(modes);
    InputNames.noteDropped(console, uri, kept.names(), kept.labels());
    WriteOptions write = kept.written(uri, tensor.format().valueType(), options.zeroBased);
    ResultOutput.write(files, uri, options.overwrite, tensor, write);
  }
}
