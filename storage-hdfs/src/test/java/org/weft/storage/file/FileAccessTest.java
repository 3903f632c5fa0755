package org.weft.storage.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class FileAccessTest {
  private static FileAccess of(String user) {
    Configuration configuration = new Configuration(false);
    configuration.set("weft.test.user", user);
    return FileAccess.of(configuration);
  }

  private static FileAccess arrived(FileAccess sent) throws IOException, ClassNotFoundException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(sent);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (FileAccess) in.readObject();
    }
  }

  @Test
  void tasksShareTheConfigurationOfTheirJobOnly() throws IOException, ClassNotFoundException {
    FileAccess first = arrived(of("ada"));
    assertThat(arrived(of("ada")).configuration()).isSameAs(first.configuration());
    assertThat(arrived(of("bob")).configuration().get("weft.test.user")).isEqualTo("bob");
    assertThat(arrived(of("ada")).configuration().get("weft.test.user")).isEqualTo("ada");
    assertThat(arrived(FileAccess.plain()).configuration().get("weft.test.user")).isNull();
  }
}
