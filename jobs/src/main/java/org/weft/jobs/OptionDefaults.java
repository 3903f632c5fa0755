package org.weft.jobs;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Takes the default of option {@code --name} from the setting {@code weft.options.name}, so that a
 * site can change it in {@code application.conf} or with {@code -Dweft.options.name=value}.
 */
final class OptionDefaults implements IDefaultValueProvider {

  /** The settings: system properties, then application.conf, then reference.conf. */
  static Config settings() {
    ConfigFactory.invalidateCaches();
    return ConfigFactory.load(OptionDefaults.class.getClassLoader()).getConfig("weft");
  }

  @Override
  public @Nullable String defaultValue(ArgSpec argument) {
    if (!(argument instanceof OptionSpec option)) {
      return null;
    }
    Config options = settings().getConfig("options");
    String name = option.longestName().replaceFirst("^-+", "");
    return options.hasPath(name) ? options.getString(name) : null;
  }
}
