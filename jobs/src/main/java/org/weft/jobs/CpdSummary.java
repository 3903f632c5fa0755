package org.weft.jobs;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.weft.engine.CpdResult;
import org.weft.planner.CpdJob;
import org.weft.tensor.TensorStatistics;

/** What {@code summary.json} of a decomposition says. Times are in seconds. */
final class CpdSummary {
  private final Map<String, Object> content;

  private CpdSummary(Map<String, Object> content) {
    this.content = content;
  }

  static CpdSummary of(
      String input,
      List<String> modeNames,
      List<String> command,
      CpdJob job,
      TensorStatistics statistics,
      CpdResult result,
      double seconds) {
    List<Double> fits = result.fits();
    Map<String, Object> content = new LinkedHashMap<>();
    content.put("command", "weft " + String.join(" ", command));
    content.put("input", input);
    if (!modeNames.isEmpty()) {
      content.put("modes", modeNames);
    }
    content.put("dims", statistics.shape().toArray());
    content.put("nnz", result.report().nonzeros());
    content.put("norm", result.norm());
    content.put("rank", job.rank());
    content.put("nonnegative", job.nonnegative());
    content.put("tolerance", job.tolerance());
    content.put("seed", job.seed());
    content.put("type", job.valueType().keyword());
    content.put("fit", fits.isEmpty() ? 0 : fits.get(fits.size() - 1));
    content.put("fits", fits);
    content.put("iterations", fits.size());
    content.put("iteration_seconds", result.seconds());
    content.put("converged", result.converged());
    content.put("lambda", result.lambda());
    content.put("times", times(result, seconds));
    content.put("peak_memory_bytes", result.report().peakMemoryBytes());
    content.put("operand_rows_fetched", result.report().operandRowsFetched());
    content.put("kernel_nonzeros_per_second", result.report().nonzerosPerSecond());
    content.put("versions", Versions.all());
    return new CpdSummary(content);
  }

  private static Map<String, Double> times(CpdResult result, double seconds) {
    Map<String, Double> times = new LinkedHashMap<>();
    times.put("total", seconds);
    result.report().phaseNanos().forEach((phase, nanos) -> times.put(phase, nanos * 1e-9));
    return times;
  }

  /** Written value by value: an object mapper takes longer to start than a small job. */
  byte[] json() throws IOException {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
      json.useDefaultPrettyPrinter();
      write(json, content);
    }
    return text.append('\n').toString().getBytes(StandardCharsets.UTF_8);
  }

  private static void write(JsonGenerator json, Object value) throws IOException {
    if (value instanceof Map<?, ?> map) {
      json.writeStartObject();
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        json.writeFieldName(String.valueOf(entry.getKey()));
        write(json, Objects.requireNonNull(entry.getValue()));
      }
      json.writeEndObject();
    } else if (value instanceof Iterable<?> values) {
      json.writeStartArray();
      for (Object element : values) {
        write(json, Objects.requireNonNull(element));
      }
      json.writeEndArray();
    } else if (value instanceof double[] numbers) {
      json.writeArray(numbers, 0, numbers.length);
    } else if (value instanceof long[] numbers) {
      json.writeArray(numbers, 0, numbers.length);
    } else {
      json.writePOJO(value);
    }
  }
}
