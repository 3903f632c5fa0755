package org.weft.jobs.file;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.program.space.ModeIdentity;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.Labels;
import org.weft.storage.ModeNames;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.FileAccess;

/**
 * What a file says of one of its modes.
 *
 * @param tensor that has the mode, as messages name it
 * @param name of the mode, or empty
 */
public record FileMode(String tensor, String name, @Nullable Labels labels)
    implements ModeIdentity {

  /** The modes of {@code uri}; those of which it says nothing are empty. */
  public static List<Optional<ModeIdentity>> of(
      FileAccess files, String uri, int order, String tensor) {
    return of(files, uri, order, tensor, labels(files, uri));
  }

  /** As above, with labels that were read already. */
  static List<Optional<ModeIdentity>> of(
      FileAccess files, String uri, int order, String tensor, Map<Integer, Labels> labels) {
    if (!mayHaveLabels(uri)) {
      return List.of();
    }
    List<String> names = TensorFiles.modeNames(files, uri);
    List<Optional<ModeIdentity>> modes = new ArrayList<>();
    for (int mode = 0; mode < order; mode++) {
      String name = mode < names.size() ? names.get(mode) : "";
      String given = ModeNames.isNamed(name, mode) ? name : "";
      modes.add(
          given.isEmpty() && !labels.containsKey(mode)
              ? Optional.empty()
              : Optional.of(new FileMode(tensor, given, labels.get(mode))));
    }
    return modes;
  }

  static boolean mayHaveLabels(String uri) {
    return uri.matches("(?i).*\\.(weft|wtb)(/.*|@[0-9]+/*)?");
  }

  /** The labels of {@code uri} by mode; empty for most formats. */
  static Map<Integer, Labels> labels(FileAccess files, String uri) {
    return mayHaveLabels(uri) ? TensorFiles.labels(files, uri) : Map.of();
  }

  /** The mode with the labels of all modes that it is compared with. */
  FileMode with(Optional<Labels> all) {
    return all.isPresent() ? new FileMode(tensor, name, all.get()) : this;
  }

  @Override
  public FileMode and(ModeIdentity other, String label) {
    FileMode that = (FileMode) other;
    Labels ours = labels;
    Labels theirs = that.labels;
    if (ours != null && theirs != null && !ours.sameAs(theirs)) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          String.format(
              Locale.ROOT,
              "%s: expected the same labels in the same order in %s and %s, because a slice counts"
                  + " coordinates, found different labels; leave out the slice, or ingest both"
                  + " tables together",
              label,
              tensor,
              that.tensor));
    }
    String called = name.isEmpty() ? that.name : name;
    return new FileMode(ours == null ? that.tensor : tensor, called, ours == null ? theirs : ours);
  }

  @Override
  public FileMode part(long start, long step, long count) {
    Labels whole = labels;
    if (whole == null) {
      return this;
    }
    Labels.Builder part = new Labels.Builder();
    for (long c = 0; c < count && start + c * step < whole.size(); c++) {
      part.add(whole.utf8(start + c * step));
    }
    return new FileMode(tensor, name, part.build());
  }
}
