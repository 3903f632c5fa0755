package org.weft.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import org.junit.jupiter.api.Test;

final class ReasonsTest {
  @Test
  void aReasonHasNoNameOfAClass() {
    assertThat(Reasons.of(new IOException("No space left on device")))
        .isEqualTo("No space left on device");
    assertThat(Reasons.of(new FileSystemException("/a/b", null, "Read-only file system")))
        .isEqualTo("/a/b: Read-only file system");
    assertThat(Reasons.of(new AccessDeniedException("/a/b"))).isEqualTo("/a/b: access is denied");
    assertThat(Reasons.of(new NoSuchFileException("/a/b")))
        .isEqualTo("/a/b: there is no such file");
    assertThat(Reasons.of(new FileAlreadyExistsException("/a/b")))
        .isEqualTo("/a/b: it exists already");
    assertThat(Reasons.of(new NotDirectoryException("/a/b"))).isEqualTo("/a/b: it is not a folder");
    assertThat(Reasons.of(new WeftException(ErrorCode.USAGE, "expected 1, found 2")))
        .isEqualTo("expected 1, found 2");
  }

  @Test
  void aFailureWithoutWordsIsCalledByItsClass() {
    assertThat(Reasons.of(new ClosedChannelException())).isEqualTo("ClosedChannelException");
    assertThat(Reasons.of(new IOException(" "))).isEqualTo("IOException");
  }
}
