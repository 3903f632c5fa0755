package org.weft.jobs.file;

import static org.weft.jobs.output.Usage.usage;

import java.net.URI;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.weft.storage.container.Container;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;
import org.weft.storage.file.VersionName;

/**
 * Where the outputs of one command go. A folder appears as a whole, and is replaced only if it
 * holds nothing but its own files, so no output is inside of another, and none in the folder of a
 * tensor that is there.
 */
public final class OutputPlaces {
  private final Set<URI> places = new HashSet<>();

  /**
   * Adds the place of an output.
   *
   * @return whether no other output has this place
   * @throws org.weft.error.WeftException {@code USAGE} if it is inside of another, or the other way
   *     round
   */
  public boolean add(FileAccess files, String uri) {
    URI place = OutputCommit.place(files, uri);
    boolean first = places.add(place);
    for (URI other : places) {
      if (isInside(place, other) || isInside(other, place)) {
        URI outer = isInside(place, other) ? other : place;
        throw usage(
            "%s: expected a place for each output outside of the others, found another output"
                + " inside of %s",
            uri, outer.getPath());
      }
    }
    requireOutsideOfTensors(files, uri);
    return first;
  }

  /** Looks at the folders of the name and at those where its links lead. */
  private static void requireOutsideOfTensors(FileAccess files, String uri) {
    String tensor = VersionName.isOne(uri) ? uri.substring(0, uri.lastIndexOf('@')) : uri;
    Path name = files.path(tensor);
    requireOutsideOfTensors(files, uri, name);
    Path place = new Path(OutputCommit.place(files, tensor));
    if (!place.equals(name)) {
      requireOutsideOfTensors(files, uri, place);
    }
  }

  private static void requireOutsideOfTensors(FileAccess files, String uri, Path place) {
    for (Path at = place.getParent(); at != null; at = at.getParent()) {
      if (at.getName().endsWith(".weft") && Container.isThere(files, at.toString())) {
        throw usage("%s: expected a place outside of the tensor %s", uri, at.getName());
      }
    }
  }

  private static boolean isInside(URI place, URI folder) {
    return place.toString().startsWith(folder + "/");
  }
}
