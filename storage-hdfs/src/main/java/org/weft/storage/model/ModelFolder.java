package org.weft.storage.model;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.Path;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.Labels;
import org.weft.storage.file.FileAccess;
import org.weft.storage.npy.NpyFile;
import org.weft.storage.npy.NpyRows;
import org.weft.tensor.DenseMatrix;
import org.weft.text.Counts;

/** Reads the folder that a decomposition wrote: {@link ModelOutput}. */
public final class ModelFolder {
  /** Member of the summary: types of labels, by number of the mode. */
  public static final String LABEL_TYPES = "label_types";

  static final String INFORMATION = "information.npy";

  private final FileAccess files;
  private final String uri;
  private final JsonNode summary;

  private ModelFolder(FileAccess files, String uri, JsonNode summary) {
    this.files = files;
    this.uri = uri;
    this.summary = summary;
  }

  /**
   * Opens a model.
   *
   * @param given its folder, or a {@link ModelPointer}
   * @throws WeftException {@code INPUT_NOT_FOUND}, {@code MALFORMED_INPUT}, {@code
   *     UNSUPPORTED_OPERATION} for one of a newer Weft
   */
  public static ModelFolder open(FileAccess files, String given) {
    String uri = ModelPointer.resolve(files, given);
    String name = at(uri, "summary.json");
    Path path = files.path(name);
    try (InputStream in = files.fileSystem(path).open(path)) {
      JsonNode summary = new ObjectMapper().readTree(in);
      int schema = summary.path("schema").asInt();
      if (schema > ModelSummary.SCHEMA) {
        throw new WeftException(
            ErrorCode.UNSUPPORTED_OPERATION,
            name
                + ": expected schema "
                + ModelSummary.SCHEMA
                + ", found "
                + schema
                + "; it was written by a newer Weft, read it with that");
      }
      if (summary.path("dims").size() == 0) {
        throw new WeftException(
            ErrorCode.MALFORMED_INPUT,
            name + ": expected the mode sizes of a decomposition as dims, found none");
      }
      return new ModelFolder(files, uri, summary);
    } catch (FileNotFoundException e) {
      throw new WeftException(
          ErrorCode.INPUT_NOT_FOUND,
          uri
              + ": expected the folder of a decomposition, found no summary.json"
              + FileAccess.place(uri, files.path(uri))
              + "; check the path",
          e);
    } catch (JsonProcessingException e) {
      throw new WeftException(
          ErrorCode.MALFORMED_INPUT,
          place(name, e)
              + ": expected JSON as weft cpd and weft tucker write it, found "
              + (e instanceof JsonEOFException ? "the end of the file" : "other text")
              + "; copy the model again, or make it anew",
          e);
    } catch (IOException e) {
      throw FileAccess.unavailable(name, e);
    }
  }

  /** {@code summary.json:3:14}: file, line and column, from 1, where reading JSON ended. */
  private static String place(String name, JsonProcessingException failure) {
    JsonLocation at = failure.getLocation();
    return at == null || at.getLineNr() < 1
        ? name
        : name + ":" + at.getLineNr() + ":" + Math.max(1, at.getColumnNr());
  }

  private static String at(String uri, String name) {
    return (uri.endsWith("/") ? uri : uri + "/") + name;
  }

  /** Where a file of the folder is. */
  public String at(String name) {
    return at(uri, name);
  }

  public String uri() {
    return uri;
  }

  /** What {@code summary.json} says. */
  public JsonNode summary() {
    return summary;
  }

  /** Whether all factors were to be nonnegative. */
  public boolean isNonnegative() {
    return summary.path("nonnegative").asBoolean();
  }

  public int order() {
    return summary.path("dims").size();
  }

  /** The command that made it. */
  public String method() {
    return summary.path("method").asText("unknown");
  }

  /** Whether some of its modes have constraints of their own. */
  public boolean isConstrained() {
    return summary.path("constraints").size() > 0;
  }

  /** The name of a mode. */
  public String modeName(int mode) {
    return summary.path("modes").path(mode).asText("mode" + mode);
  }

  public double[] lambda() throws IOException {
    Path path = files.path(at("lambda.npy"));
    if (!files.fileSystem(path).exists(path)) {
      throw new WeftException(
          ErrorCode.USAGE,
          uri
              + ": expected a model with weights of components, as weft cpd writes, found one of"
              + " method '"
              + method()
              + "' without lambda.npy");
    }
    DenseMatrix column = NpyFile.read(files, path.toString());
    double[] lambda =
        IntStream.range(0, Math.toIntExact(column.rows()))
            .mapToDouble(r -> column.get(r, 0))
            .toArray();
    NpyFile.requireFinite(path.toString(), lambda);
    return lambda;
  }

  /**
   * The factor of a mode.
   *
   * @param rank columns that it must have
   * @throws WeftException {@code SHAPE_MISMATCH}, {@code INPUT_NOT_FOUND}, {@code NONFINITE_VALUE}
   */
  public DenseMatrix factor(int mode, int rank) {
    String name = at("mode" + mode + ".npy");
    DenseMatrix factor = NpyFile.read(files, name);
    requireShape(name, mode, rank, factor.rows(), factor.columns());
    for (int c = 0; c < factor.chunkCount(); c++) {
      NpyFile.requireFinite(name, factor.chunk(c));
    }
    return factor;
  }

  /** As {@link #factor}, to be read by ranges of rows. */
  public NpyRows rows(int mode, int rank) {
    String name = at("mode" + mode + ".npy");
    NpyRows rows = NpyRows.open(files, name);
    requireShape(name, mode, rank, rows.rows(), rows.columns());
    return rows;
  }

  private void requireShape(String name, int mode, int rank, long rows, int columns) {
    if (columns != rank) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          name
              + ": expected a column for each of "
              + Counts.plain(rank, "component")
              + ", found "
              + columns);
    }
    requireRows(name, mode, rows);
  }

  private void requireRows(String name, int mode, long found) {
    if (found != size(mode)) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          name
              + ": expected a row for each of "
              + Counts.plain(size(mode), "slice")
              + ", as summary.json says, found "
              + found
              + "; copy the model again");
    }
  }

  private long size(int mode) {
    return summary.path("dims").path(mode).asLong(-1);
  }

  /** Whether {@code weft complete} made it. */
  public boolean isCompletion() {
    return method().equals("complete");
  }

  /** Whether cells that the tensor lacks are unknown, and not zeros. */
  public boolean hasUnknownCells() {
    return isCompletion() || summary.path("zeros").asText().equals("0");
  }

  /** Whether a core couples the factors, and not a weight for each component. */
  public boolean isTucker() {
    return method().equals("tucker");
  }

  /** Columns of the factors of a Tucker decomposition, by mode. */
  public int[] ranks() {
    return IntStream.range(0, order())
        .map(mode -> summary.path("ranks").path(mode).asInt())
        .toArray();
  }

  /**
   * The core of a Tucker decomposition, row-major: {@code R_0 x R_1 x ...}.
   *
   * @throws WeftException {@code SHAPE_MISMATCH}, {@code INPUT_NOT_FOUND}, {@code NONFINITE_VALUE}
   */
  public double[] core() {
    String name = at("core.npy");
    double[] core = NpyFile.readArray(files, name, IntStream.of(ranks()).asLongStream().toArray());
    NpyFile.requireFinite(name, core);
    return core;
  }

  /** The type of Spark SQL that the labels of a mode had, if it was not that of text. */
  public Optional<String> labelType(int mode) {
    String type = summary.path(LABEL_TYPES).path("" + mode).asText();
    return Optional.of(type).filter(known -> !known.isEmpty());
  }

  /** What {@code summary.json} says, to be written again. */
  public ModelSummary content() {
    return new ModelSummary(
        List.of(), new ObjectMapper().convertValue(summary, new TypeReference<>() {}));
  }

  /** The labels of a mode, if the model has them: the first cells of its table. */
  public Optional<Labels> labels(int mode) throws IOException {
    Path table = files.path(at("mode" + mode + ".tsv"));
    if (!files.fileSystem(table).exists(table)) {
      return Optional.empty();
    }
    Labels.Builder labels = new Labels.Builder();
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(files.fileSystem(table).open(table), StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        labels.add(line.substring(0, Math.max(0, line.indexOf('\t'))));
      }
    }
    Labels found = labels.build();
    requireRows(table.toString(), mode, found.size());
    return Optional.of(found);
  }

  /** The labels of all modes that have labels, by mode. */
  public Map<Integer, Labels> labels() throws IOException {
    Map<Integer, Labels> all = new TreeMap<>();
    for (int mode = 0; mode < order(); mode++) {
      Optional<Labels> own = labels(mode);
      if (own.isPresent()) {
        all.put(mode, own.get());
      }
    }
    return all;
  }

  /** The names of all modes. */
  public List<String> modeNames() {
    return IntStream.range(0, order()).mapToObj(this::modeName).toList();
  }

  /**
   * What an update has left for the next one.
   *
   * @return for each mode R x R numbers; none if the model is not one of {@code weft cpd --append}
   * @throws WeftException {@code SHAPE_MISMATCH}, {@code INPUT_NOT_FOUND}
   */
  public double[][] information() throws IOException {
    if (!summary.has("append")) {
      return new double[0][];
    }
    int rank = lambda().length;
    String name = at(INFORMATION);
    DenseMatrix stacked = NpyFile.read(files, name);
    if (stacked.rows() != (long) order() * rank || stacked.columns() != rank) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          String.format(
              Locale.ROOT,
              "%s: expected %d x %d numbers, R x R for each mode, found %d x %d; copy the model"
                  + " again",
              name,
              order() * rank,
              rank,
              stacked.rows(),
              stacked.columns()));
    }
    double[][] information = new double[order()][rank * rank];
    for (int row = 0; row < order() * rank; row++) {
      stacked.copyRow(row, information[row / rank], row % rank * rank);
    }
    return information;
  }

  /** As {@link #information} reads it. */
  static DenseMatrix stacked(double[][] information, int rank) {
    DenseMatrix stacked = DenseMatrix.zeros((long) information.length * rank, rank);
    for (int row = 0; row < stacked.rows(); row++) {
      stacked.setRow(row, information[row / rank], row % rank * rank);
    }
    return stacked;
  }
}
