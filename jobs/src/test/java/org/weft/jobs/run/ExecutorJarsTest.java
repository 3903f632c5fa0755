package org.weft.jobs.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.spark.SparkConf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which jars executors get where nobody, or somebody, has named jars. */
class ExecutorJarsTest {
  private static final String LAUNCHER = "weft.launcher";
  private static final String CONNECTOR = "file:/opt/lib/connector.jar";

  /** One of the jars that tasks need and that is a jar in tests, too. */
  private static final String NEEDED = "/config-";

  private String before = "";

  @BeforeEach
  void keepLauncher() {
    before = System.getProperty(LAUNCHER, "");
    System.clearProperty(LAUNCHER);
  }

  @AfterEach
  void putLauncherBack() {
    if (before.isEmpty()) {
      System.clearProperty(LAUNCHER);
    } else {
      System.setProperty(LAUNCHER, before);
    }
  }

  /** A connector for an object store, which says nothing about Weft's own jars. */
  @Test
  void theLauncherAddsThemToJarsOfTheUser() {
    System.setProperty(LAUNCHER, "bin/weft");
    String added = jars("spark://h:7077", CONNECTOR);
    assertThat(added).startsWith(CONNECTOR + ",").containsOnlyOnce(NEEDED);
    assertThat(jars("spark://h:7077", "")).containsOnlyOnce(NEEDED);
    assertThat(jars("spark://h:7077", added)).isEqualTo(added);
  }

  @Test
  void nothingIsAddedWhereAllIsThere() {
    System.setProperty(LAUNCHER, "bin/weft");
    String all = CONNECTOR + ",file:/opt/weft-executor.jar";
    assertThat(jars("spark://h:7077", all)).isEqualTo(all);
    assertThat(jars("local[2]", CONNECTOR)).isEqualTo(CONNECTOR);
  }

  /** It sends the jar of the application, and the driver's class path has the large one. */
  @Test
  void sparkSubmitNamesThem() {
    assertThat(jars("spark://h:7077", CONNECTOR)).isEqualTo(CONNECTOR);
  }

  private static String jars(String master, String named) {
    SparkConf conf = new SparkConf(false).set("spark.master", master);
    if (!named.isEmpty()) {
      conf.set("spark.jars", named);
    }
    ExecutorJars.add(conf);
    return conf.get("spark.jars", "");
  }
}
