package org.weft.spark.ingest.cell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.error.WeftException;
import org.weft.spark.ingest.ModeSpec;

class BucketTest {
  private static final TimeFormat ISO = new TimeFormat("iso", ZoneId.of("UTC"));

  private static Bucket bucket(String text) {
    return Bucket.parse(text, ISO).orElseThrow();
  }

  private static String label(Bucket bucket, Object cell) throws BadCell {
    return bucket.label(bucket.key("c", cell));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "text; a b ; a b",
        "number; 1.50; 1.5",
        "number; -0.0; 0",
        "number; 1e3; 1000",
        "number; 1e300; 1.0E300",
        "10; 29.9; [20,30)",
        "10; 30; [30,40)",
        "10; -0.1; [-10,0)",
        "0.1; 0.25; [0.2,0.3)",
        "1,10,100; 0.9; <1",
        "1,10,100; 1; [1,10)",
        "1,10,100; 99; [10,100)",
        "1,10,100; 100; >=100",
        "log2; 0; 0",
        "log2; 8; [8,16)",
        "log2; 7.999; [4,8)",
        "log2; 0.5; [0.5,1)",
        "log2; 536870912; [536870912,1073741824)",
        "log10; 1000; [1000,10000)",
        "log10; 999.999; [100,1000)",
        "log10; 0.001; [0.001,0.01)",
        "year; 2024-02-29; 2024",
        "quarter; 2024-03-31; 2024-Q1",
        "month; 2024-12-01; 2024-12",
        "week; 2024-12-30; 2025-W01",
        "week; 2021-01-03; 2020-W53",
        "day; 2024-01-31T23:59:59.999Z; 2024-01-31",
        "day; 2024-01-31T23:00-02:00; 2024-02-01",
        "hour; 2024-01-31 10:20; 2024-01-31T10:00",
        "minute; 1969-12-31T23:59:59; 1969-12-31T23:59",
        "weekday; 2024-01-01; Mon",
        "hour-of-day; 2024-01-01T09:30+0000; 09",
        "month-of-year; 2024-02-01; Feb"
      })
  void cellsHaveLabels(String bucket, String cell, String label) throws BadCell {
    assertThat(label(bucket(bucket), cell)).isEqualTo(label);
  }

  @ParameterizedTest
  @ValueSource(strings = {"year", "quarter", "month", "week", "day", "hour", "minute"})
  void labelsOfTimesSortAsTheTimesDo(String unit) throws BadCell {
    Random random = new Random(3);
    List<LocalDate> days = new ArrayList<>();
    for (int year = 1; year < 9_999; year += 1 + random.nextInt(40)) {
      days.add(LocalDate.ofYearDay(year, 10 + random.nextInt(350)));
    }
    List<String> labels = new ArrayList<>();
    for (LocalDate day : days) {
      labels.add(label(bucket(unit), day + "T07:05:00"));
    }
    assertThat(labels).isSorted();
  }

  @ParameterizedTest
  @ValueSource(longs = {-700_000_000_000L, -62_200_000_000L, -40_000_000_000L, 1, 253_402_300_800L})
  void yearsAreThoseOfDays(long epoch) throws BadCell {
    TimeFormat seconds = new TimeFormat("epoch", ZoneId.of("UTC"));
    String day = label(Bucket.parse("day", seconds).get(), Long.toString(epoch));
    String year = day.substring(0, day.length() - "-01-01".length());
    for (String unit : List.of("year", "quarter", "month")) {
      assertThat(label(Bucket.parse(unit, seconds).get(), Long.toString(epoch))).startsWith(year);
    }
    assertThat(label(Bucket.parse("year", seconds).get(), Long.toString(epoch))).isEqualTo(year);
  }

  @Test
  void typedCellsHaveTheLabelsOfTheirText() throws BadCell {
    assertThat(label(bucket("text"), 5L)).isEqualTo("5");
    assertThat(label(bucket("text"), 5.0)).isEqualTo("5");
    assertThat(label(bucket("text"), new BigDecimal("5.50"))).isEqualTo("5.5");
    assertThat(label(bucket("10"), new BigDecimal("29.9"))).isEqualTo("[20,30)");
    assertThat(label(bucket("day"), LocalDate.of(2024, 1, 31))).isEqualTo("2024-01-31");
    Bucket berlin = Bucket.parse("day", new TimeFormat("iso", ZoneId.of("Europe/Berlin"))).get();
    assertThat(label(berlin, Instant.parse("2024-01-31T23:30:00Z"))).isEqualTo("2024-02-01");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "dd.MM.yyyy; 31.01.2024",
        "uuuuMMdd HH; 20240131 10",
        "dd/MMM/yyyy:HH:mm:ss Z; 31/Jan/2024:10:00:00 +0100",
        "epoch; 1706691600",
        "epoch; 1706691600.75",
        "epoch-millis; 1706691600000"
      })
  void timesHaveFormats(String format, String cell) throws BadCell {
    Bucket day = Bucket.parse("day", new TimeFormat(format, ZoneId.of("UTC"))).get();
    assertThat(label(day, cell)).isEqualTo("2024-01-31");
  }

  @ParameterizedTest
  @CsvSource({
    "number,abc",
    "number,1d",
    "number,0x1p3",
    "number,NaN",
    "10,inf",
    "log2,-1",
    "day,2024-02-30",
    "day,1706691600",
    "day,yesterday",
    "0.001,1e300"
  })
  void otherCellsAreRejected(String bucket, String cell) {
    assertThatThrownBy(() -> bucket(bucket).key("c", cell))
        .isInstanceOf(BadCell.class)
        .hasMessageStartingWith("expected a");
  }

  @Test
  void labelsAreLines() {
    assertThatThrownBy(() -> bucket("text").key("c", "a\nb")).isInstanceOf(BadCell.class);
    assertThatThrownBy(() -> bucket("text").key("c", "a\r")).isInstanceOf(BadCell.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"fortnight", "0", "-1", "1,1", "2,1", "nan", "", "1,"})
  void whatIsNoBucketIsNone(String text) {
    assertThat(Bucket.parse(text, ISO)).isEqualTo(Optional.empty());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "a; a; a; TextBucket[]",
        "a=b; a; b; TextBucket[]",
        "a=b:c; a; b:c; TextBucket[]",
        "b:log2; b; b; Logarithm[base=2]",
        "a=b:c:10; a; b:c; Width[width=10.0]"
      })
  void modesAreParsed(String text, String name, String column, String bucket) {
    ModeSpec spec = ModeSpec.parse(text, ISO);
    assertThat(spec.name()).isEqualTo(name);
    assertThat(spec.column()).isEqualTo(column);
    assertThat(spec.bucket()).hasToString(bucket);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "=b", "a=", "a=:day"})
  void modesNeedNames(String text) {
    assertThatThrownBy(() -> ModeSpec.parse(text, ISO)).isInstanceOf(WeftException.class);
  }
}
