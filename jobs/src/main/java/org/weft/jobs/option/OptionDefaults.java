package org.weft.jobs.option;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.weft.jobs.process.Surroundings;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Takes the default of option {@code --name} from the setting {@code weft.options.name}, so that a
 * site can change it in {@code application.conf} or with {@code -Dweft.options.name=value}.
 */
public final class OptionDefaults implements IDefaultValueProvider {
  private static final ConfigParseOptions SHIPPED_ORIGIN =
      ConfigParseOptions.defaults().setOriginDescription(SettingsCheck.SHIPPED);

  private static volatile @Nullable Config loaded;

  /** Defaults as they are now; {@link #settings} gives the same ones until the next are made. */
  public OptionDefaults() {
    loaded = null;
  }

  /**
   * The settings: system properties, then application.conf, then reference.conf. They are read once
   * in a run of a command.
   */
  public static Config settings() {
    Config present = loaded;
    if (present == null) {
      ConfigFactory.invalidateCaches();
      Config all = Surroundings.arePlain() ? shipped() : all();
      present = all.getConfig("weft");
      loaded = present;
    }
    return present;
  }

  private static Config all() {
    return ConfigFactory.load(OptionDefaults.class.getClassLoader());
  }

  /**
   * As {@link #all}, without looking through the class path for other files. The file is read as a
   * stream: to read an address, the JDK loads its table of file types.
   */
  private static Config shipped() {
    InputStream own = OptionDefaults.class.getResourceAsStream("/" + SettingsCheck.SHIPPED);
    try (Reader text = new InputStreamReader(Objects.requireNonNull(own), StandardCharsets.UTF_8)) {
      return ConfigFactory.defaultOverrides()
          .withFallback(ConfigFactory.parseReader(text, SHIPPED_ORIGIN))
          .resolve();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What an option is called among the settings. */
  static String nameOf(OptionSpec option) {
    return option.longestName().replaceFirst("^-+", "");
  }

  @Override
  public @Nullable String defaultValue(ArgSpec argument) {
    return argument instanceof OptionSpec option ? setting(option) : null;
  }

  /** The default of an option that this run has from its settings, if any. */
  public static @Nullable String setting(OptionSpec option) {
    Config options = settings().getConfig("options");
    String name = nameOf(option);
    return options.hasPath(name) ? options.getString(name) : null;
  }
}
