package org.weft.jobs.command;

import java.util.List;
import java.util.Optional;
import org.weft.jobs.output.Console;
import picocli.CommandLine;

/** What commands get from {@code weft} itself. */
public interface CommandRoot {
  /** Where the run says what it has to say. */
  Console console();

  /** All commands as the shell has them, to be described. */
  CommandLine allCommands();

  /** What is wrong with the words of a command, without running it; empty if nothing is. */
  Optional<String> misuse(List<String> words);
}
