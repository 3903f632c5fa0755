package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.jobs.process.Surroundings;

/** Which command lines do without Spark and without settings of their own. */
class SurroundingsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "stats x.tns",
        "cpd hdfs://h:9000/x.tns --rank 3 --output out -q",
        "eval y(i)=A(i,j)*x(j) --input A=ingest.mtx --threads 2",
        "explain mttkrp x --mode 0 --rank 16",
        "top factors",
        "report factors page.html --tensor x.weft",
        "--help"
      })
  void smallJobsArePlain(String line) {
    assertThat(Surroundings.isPlain(List.of(line.split(" ")), Set.of("java.home", "weft.spark")))
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "stats x.tns --master local[2]",
        "stats --master=local x.tns",
        "stats x.tns -v",
        "stats -qv x.tns",
        "stats x.tns --verbose",
        "cpd x --rank 3 --output out --factors-table t.parquet",
        "cpd x --rank 3 --output out --factors-table=t.parquet",
        "stats @more"
      })
  void whatAsksForSparkIsNot(String line) {
    assertThat(Surroundings.isPlain(List.of(line.split(" ")), Set.of())).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "spark.master",
        "spark.hadoop.fs.file.impl",
        "weft.master",
        "config.file",
        "log4j2.configurationFile",
        "log4j.configurationFile"
      })
  void settingsOfTheirOwnAreNot(String property) {
    assertThat(Surroundings.isPlain(List.of("stats", "x.tns"), Set.of(property))).isFalse();
  }

  @Test
  void withoutTheLauncherNothingIsPlainAndNothingIsAdded() {
    String before = System.getProperty("java.class.path");
    Surroundings.prepare(new String[] {"stats", "x.tns"});
    Surroundings.addSpark();
    assertThat(Surroundings.arePlain()).isFalse();
    assertThat(System.getProperty("java.class.path")).isEqualTo(before);
  }
}
