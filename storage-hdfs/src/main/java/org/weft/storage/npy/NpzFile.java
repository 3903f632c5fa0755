package org.weft.storage.npy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.SourceFile;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.DenseMatrix;

/**
 * Named dense matrices in one file: NumPy's {@code .npz}, a zip archive of {@code NAME.npy}, as
 * {@code numpy.savez} and {@code savez_compressed} write and {@code numpy.load} opens it.
 */
public final class NpzFile {
  private static final String MEMBER = ".npy";

  private NpzFile() {}

  /** Writes {@code arrays} in their order, uncompressed sizes last, as zip does; does not close. */
  public static void write(OutputStream out, Map<String, DenseMatrix> arrays) throws IOException {
    ZipOutputStream zip = new ZipOutputStream(out);
    for (Map.Entry<String, DenseMatrix> array : arrays.entrySet()) {
      ZipEntry member = new ZipEntry(array.getKey() + MEMBER);
      member.setTime(0);
      zip.putNextEntry(member);
      NpyFile.write(zip, array.getValue());
      zip.closeEntry();
    }
    zip.finish();
  }

  /**
   * Reads all arrays of {@code uri}, in the order of the file; a one-dimensional array is a column.
   *
   * @throws WeftException {@code INPUT_NOT_FOUND}, {@code SHAPE_MISMATCH} for more than two
   *     dimensions, or kind DATA for an archive or an array that is damaged
   */
  public static Map<String, DenseMatrix> read(FileAccess access, String uri) {
    SourceFile file = SourceFile.find(access, uri, false);
    Map<String, DenseMatrix> arrays = new LinkedHashMap<>();
    try (InputStream raw = file.open(0);
        ZipInputStream zip = new ZipInputStream(raw)) {
      for (ZipEntry member = zip.getNextEntry(); member != null; member = zip.getNextEntry()) {
        String name = member.getName();
        if (name.endsWith(MEMBER)) {
          DenseMatrix array = NpyFile.read(zip, uri + "(" + name + ")");
          arrays.put(name.substring(0, name.length() - MEMBER.length()), array);
        }
        zip.closeEntry();
      }
    } catch (ZipException | java.io.EOFException | IllegalArgumentException e) {
      throw new WeftException(
          ErrorCode.CORRUPT_INPUT,
          uri
              + ": expected a zip archive of NumPy arrays, found a damaged one ("
              + e.getMessage()
              + "); copy it again",
          e);
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
    if (arrays.isEmpty()) {
      throw new WeftException(
          ErrorCode.MALFORMED_INPUT,
          uri + ": expected a zip archive of NumPy arrays (NAME.npy), found none in it");
    }
    return arrays;
  }
}
