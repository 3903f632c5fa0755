package org.weft.storage.file;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.WeakHashMap;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.UnsupportedFileSystemException;
import org.apache.hadoop.hdfs.DFSUtilClient;
import org.apache.hadoop.io.Text;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * The way to every file system that Hadoop knows: a Hadoop configuration that travels with tasks,
 * and the rule that turns what a person types into a path. Thread-safe, serialisable.
 *
 * <p>Local files are opened without Hadoop's checksum layer: outputs have no {@code .crc} files
 * beside them, and inputs written by other programs need none.
 */
public final class FileAccess implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*:/.*");

  private static final String LOCAL = "file";
  private static final String HDFS = "hdfs";
  private static final int HOSTS = 3;

  /**
   * Ours, by Hadoop's file system in whose place it is, as long as that is in use: a configuration
   * without Hadoop's cache makes one for each call.
   */
  private static final Map<FileSystem, FileSystem> OURS =
      Collections.synchronizedMap(new WeakHashMap<>());

  /** A configuration; empty for Hadoop's defaults, which a process reads when it needs them. */
  private final byte[] properties;

  /** Where names without a scheme begin: the working directory of the process that made this. */
  private final String folder;

  private transient volatile @Nullable Configuration loaded;

  /** What arrived in this process last: a task reads the configuration of the task before. */
  private static volatile @Nullable FileAccess arrived;

  private FileAccess(byte[] properties, @Nullable Configuration loaded) {
    this.properties = properties;
    this.folder = new File("").getAbsolutePath();
    this.loaded = loaded;
  }

  /**
   * Access with Hadoop's defaults, for a process that is known to have no {@code core-site.xml} on
   * its class path. Local files are opened without reading the defaults, which takes longer than a
   * small job.
   */
  public static FileAccess plain() {
    return new FileAccess(new byte[0], null);
  }

  /** Access with a copy of {@code configuration}; later changes to it are not seen. */
  public static FileAccess of(Configuration configuration) {
    return new FileAccess(written(configuration), new Configuration(configuration));
  }

  /** Names and values, by name. {@link Configuration#write} compresses each setting by itself. */
  private static byte[] written(Configuration configuration) {
    TreeMap<String, String> settings = new TreeMap<>();
    configuration.forEach(setting -> settings.put(setting.getKey(), setting.getValue()));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeInt(settings.size());
      for (Map.Entry<String, String> setting : settings.entrySet()) {
        Text.writeString(out, setting.getKey());
        Text.writeString(out, setting.getValue());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static Configuration read(byte[] properties) {
    Configuration read = new Configuration(false);
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(properties))) {
      for (int rest = in.readInt(); rest > 0; rest--) {
        read.set(Text.readString(in), Text.readString(in));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return read;
  }

  /** Access with Hadoop's defaults and the {@code core-site.xml} on the class path, if any. */
  public static FileAccess local() {
    return Defaults.ACCESS;
  }

  /**
   * A copy of Hadoop's defaults with the {@code core-site.xml} on the class path, if any. A process
   * reads the files once.
   */
  public static Configuration defaults() {
    return new Configuration(Defaults.READ);
  }

  private static final class Defaults {
    private static final Configuration READ = new Configuration();
    private static final FileAccess ACCESS;

    static {
      READ.size(); // the files are read when a setting is first asked for
      ACCESS = of(READ);
    }
  }

  /** The configuration; shared, not to be changed. */
  public Configuration configuration() {
    Configuration present = loaded;
    if (present == null && isPlain()) {
      present = new Configuration();
      loaded = present;
    } else if (present == null) {
      present = read(properties);
      loaded = present;
    }
    return present;
  }

  private Object readResolve() {
    FileAccess before = arrived;
    if (before != null
        && before.folder.equals(folder)
        && Arrays.equals(before.properties, properties)) {
      return before;
    }
    arrived = this;
    return this;
  }

  private boolean isPlain() {
    return properties.length == 0;
  }

  /** The error of a name without any character. */
  public static WeftException emptyName() {
    return new WeftException(ErrorCode.USAGE, "expected a path or URI, found an empty one");
  }

  /**
   * The path of {@code uri}. Text with a scheme followed by a slash ({@code hdfs://host:port/a},
   * {@code file:/a}) is a Hadoop URI; anything else is a local file, whatever {@code fs.defaultFS}
   * says. It is relative to the working directory of the driver, also on executors. {@code
   * x.weft@3} is version 3 of a container.
   */
  public Path path(String name) {
    String uri = VersionName.resolved(name);
    if (uri.isEmpty()) {
      throw emptyName();
    }
    try {
      if (SCHEME.matcher(uri).matches()) {
        return new Path(uri);
      }
      String local = uri.startsWith("file:") ? uri.substring("file:".length()) : uri;
      File file = new File(local);
      File full = file.isAbsolute() ? file : new File(folder, local);
      URI absolute = full.toPath().normalize().toUri();
      return new Path(LOCAL, "", absolute.getPath());
    } catch (InvalidPathException e) {
      // Java decodes names by the language of its environment, and cannot encode what that lacks.
      boolean isOfLanguage = uri.indexOf('\0') < 0;
      String remedy = isOfLanguage ? "; start Java with LC_ALL=C.UTF-8 in its environment" : "";
      throw notAPath(uri, e.getReason() + remedy, e);
    } catch (IllegalArgumentException e) {
      throw notAPath(uri, String.valueOf(e.getMessage()), e);
    }
  }

  private static WeftException notAPath(String uri, String why, IllegalArgumentException e) {
    return new WeftException(
        ErrorCode.USAGE, "expected a path or Hadoop URI, found '" + uri + "': " + why, e);
  }

  /** The file system that holds {@code path}; shared, not to be closed. */
  public FileSystem fileSystem(Path path) {
    if (isPlain() && LOCAL.equals(path.toUri().getScheme())) {
      return PlainLocal.SYSTEM;
    }
    if (HDFS.equals(path.toUri().getScheme())) {
      requireHdfsName(path);
    }
    UnfinishedOutputs.beforeHadoopCloses();
    try {
      FileSystem fs = path.getFileSystem(configuration());
      return fs instanceof LocalFileSystem local ? local(local.getRawFileSystem()) : fs;
    } catch (UnsupportedFileSystemException e) {
      throw new WeftException(
          ErrorCode.USAGE,
          path
              + ": no file system is configured for scheme '"
              + path.toUri().getScheme()
              + "'; use file:, hdfs:, or add its connector to the class path",
          e);
    } catch (IOException e) {
      throw unavailable(path.toString(), e);
    } catch (RuntimeException | NoClassDefFoundError e) {
      throw StorageFault.unusable(path, e);
    }
  }

  /** Hadoop's file system for local files, or in its place ours with the same settings. */
  private static FileSystem local(FileSystem hadoops) throws IOException {
    if (hadoops.getClass() != RawLocalFileSystem.class) {
      return hadoops;
    }
    FileSystem ours = OURS.get(hadoops);
    if (ours == null) {
      ours = new LocalFiles();
      ours.initialize(ours.getUri(), hadoops.getConf());
      OURS.put(hadoops, ours);
    }
    return ours;
  }

  private static void requireHdfsName(Path path) {
    String name = path.toUri().getPath();
    if (!DFSUtilClient.isValidName(name)) {
      throw new WeftException(
          ErrorCode.USAGE,
          path
              + ": expected a path that HDFS can have, "
              + (name.contains(":")
                  ? "found ':' in a name, which HDFS does not allow"
                  : "found '" + name + "'")
              + "; name another place");
    }
  }

  /**
   * Where {@code path} is, for an error that begins with its {@code name}; nothing if that says so.
   */
  public static String place(String name, Path path) {
    return name.equals(path.toString()) ? "" : " at " + path;
  }

  /**
   * Where {@code path} is on this machine, if {@code fs} is Hadoop's local file system as it is:
   * its files may be opened without Hadoop. Empty for other file systems and for wrapped ones.
   */
  public static Optional<java.nio.file.Path> onDisk(FileSystem fs, Path path) {
    return fs.getClass() == RawLocalFileSystem.class || fs.getClass() == LocalFiles.class
        ? Optional.of(((RawLocalFileSystem) fs).pathToFile(path).toPath())
        : Optional.empty();
  }

  /** The hosts that hold the byte {@code offset} of a file, three at most; none if it is local. */
  public List<String> hosts(Path path, long offset) {
    try {
      BlockLocation[] blocks = fileSystem(path).getFileBlockLocations(path, offset, 1);
      if (blocks == null || blocks.length == 0) {
        return List.of();
      }
      return Arrays.stream(blocks[0].getHosts())
          .filter(host -> !host.equals("localhost"))
          .limit(HOSTS)
          .toList();
    } catch (FileNotFoundException e) {
      return List.of(); // for whoever reads it to say
    } catch (IOException e) {
      throw unavailable(path.toString(), e);
    }
  }

  /** An input or output failure that is nobody's mistake in the data, as one clear error. */
  public static WeftException unavailable(String where, IOException cause) {
    return StorageFault.of(where, cause);
  }

  /** Local files without any setting of Hadoop's; made when first used. */
  private static final class PlainLocal {
    static final FileSystem SYSTEM = start();

    /**
     * Hadoop's first file system looks up one number among Hadoop's default settings. To parse them
     * takes longer than the rest of the start, and this loader does not find them.
     */
    private static FileSystem start() {
      Thread thread = Thread.currentThread();
      ClassLoader loader = thread.getContextClassLoader();
      thread.setContextClassLoader(ClassLoader.getPlatformClassLoader());
      try {
        FileSystem system = new LocalFiles();
        system.initialize(system.getUri(), new Configuration(false));
        return system;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } finally {
        thread.setContextClassLoader(loader);
      }
    }
  }
}
