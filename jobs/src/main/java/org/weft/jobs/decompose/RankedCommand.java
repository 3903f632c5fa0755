package org.weft.jobs.decompose;

import picocli.CommandLine.Option;

/** A command that makes a model with the number of components that {@code --rank} says. */
abstract class RankedCommand extends ModelCommand {
  @Option(
      order = -2,
      names = "--rank",
      required = true,
      paramLabel = "R",
      description = "The number of components.")
  int rank;

  @Override
  final int rank() {
    return rank;
  }
}
