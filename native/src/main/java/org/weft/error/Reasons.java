package org.weft.error;

import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Why something failed, in words for a user: what the system said, without names of classes. */
public final class Reasons {
  private Reasons() {}

  /**
   * The message of {@code failure}; of a file system's one the file and the reason. Only a failure
   * that says nothing is called by the name of its class.
   */
  public static String of(Throwable failure) {
    String message = failure.getMessage();
    if (message == null || message.isBlank()) {
      return failure.getClass().getSimpleName();
    }
    return failure instanceof FileSystemException file && file.getReason() == null
        ? message + why(file)
        : message;
  }

  private static String why(FileSystemException failure) {
    if (failure instanceof NoSuchFileException) {
      return ": there is no such file";
    }
    if (failure instanceof AccessDeniedException) {
      return ": access is denied";
    }
    if (failure instanceof NotDirectoryException) {
      return ": it is not a folder";
    }
    return failure instanceof FileAlreadyExistsException ? ": it exists already" : "";
  }
}
