package org.weft.jobs.workflow;

import org.weft.storage.file.Fingerprints;

/** Names of records in a {@link StateFolder}. */
final class StateNames {
  static final String RUNS = "runs";
  static final String DONE = "done";
  static final String OWNED = "owned";

  private StateNames() {}

  static String run(String run) {
    return RUNS + "/" + run + "/run.json";
  }

  static String step(String run, String step) {
    return RUNS + "/" + run + "/steps/" + step + ".json";
  }

  static String log(String run, int start) {
    return RUNS + "/" + run + "/log-" + start + ".jsonl";
  }

  static String done(String key) {
    return DONE + "/" + key + ".json";
  }

  /**
   * @param uri qualified
   */
  static String owned(String uri) {
    return OWNED + "/" + Fingerprints.sha256(uri) + ".json";
  }

  /** What to do about a record that is damaged. */
  static String remedy(String name) {
    if (name.endsWith("/run.json")) {
      return "remove its folder and start a new run, which keeps the steps that are done";
    }
    if (name.startsWith(OWNED + "/")) {
      return "remove the file, and the output that the step makes";
    }
    return name.startsWith(RUNS + "/") || name.startsWith(DONE + "/")
        ? "remove the file to have its step run again"
        : "remove the file if no run is at work";
  }
}
