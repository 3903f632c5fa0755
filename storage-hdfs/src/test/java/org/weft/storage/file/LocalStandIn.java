package org.weft.storage.file;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;

/** The local file system under another scheme. */
public abstract class LocalStandIn extends FilterFileSystem {
  private final String scheme;

  protected LocalStandIn(String scheme, RawLocalFileSystem local) {
    super(local);
    this.scheme = scheme;
  }

  /** Files of which those of a scheme are in a file system of that class, a new one each time. */
  protected static FileAccess access(String scheme, Class<? extends LocalStandIn> system) {
    Configuration configuration = new Configuration();
    configuration.set("fs." + scheme + ".impl", system.getName());
    configuration.setBoolean("fs." + scheme + ".impl.disable.cache", true);
    return FileAccess.of(configuration);
  }

  @Override
  public void initialize(URI name, Configuration configuration) throws IOException {
    fs.initialize(URI.create("file:///"), configuration);
    setConf(configuration);
  }

  @Override
  public URI getUri() {
    return URI.create(scheme + ":///");
  }

  @Override
  protected void checkPath(Path path) {}
}
