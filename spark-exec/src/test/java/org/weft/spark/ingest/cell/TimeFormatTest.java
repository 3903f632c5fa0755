package org.weft.spark.ingest.cell;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;
import java.time.temporal.TemporalAccessor;
import java.util.Locale;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Times as {@code java.time} reads them, whichever way Weft reads them. */
class TimeFormatTest {
  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
  private static final String[] TIMES = {
    "2024-02-29",
    "2023-02-29",
    "0000-01-01",
    "2024-13-01",
    "2024-01-31 15:59",
    "2024-01-31T15:59",
    "2024-01-31T24:00",
    "2024-01-31 15:59:60",
    "2024-01-31T15:59:07",
    "2024-01-31T15:59:07.25",
    "2024-01-31T15:59Z",
    "2024-01-31T15:59+02",
    "2024-03-31 02:30",
    "2024-01-31T15:59:07+05:30",
    "2024-01-31T15:59:07.123456789-0800",
    "12024-01-31",
    "2024-01-3115:59",
    "2024-01-31 "
  };

  @Test
  void timesAreThoseOfJavaTime() {
    String characters = "0123456789-:T +Z.,t٣";
    Random random = new Random(41);
    TimeFormat format = new TimeFormat("iso", BERLIN);
    int read = 0;
    for (int n = 0; n < 20_000; n++) {
      StringBuilder text = new StringBuilder(TIMES[n % TIMES.length]);
      for (int changes = random.nextInt(3); changes > 0; changes--) {
        char other = characters.charAt(random.nextInt(characters.length()));
        text.setCharAt(random.nextInt(text.length()), other);
      }
      LocalDateTime found = format.time(text.toString());
      assertThat(found).as(text.toString()).isEqualTo(expected(text.toString().strip()));
      read += found == null ? 0 : 1;
    }
    assertThat(read).isBetween(5_000, 15_000);
  }

  /** A pattern may have a date, a time beside it, and a zone; without a date there is no time. */
  @Test
  void patternsHaveWhatTheyHave() {
    assertThat(time("dd.MM.uuuu", "31.01.2024")).isEqualTo(LocalDateTime.of(2024, 1, 31, 0, 0));
    assertThat(time("dd.MM.uuuu HH:mm", "31.01.2024 15:59"))
        .isEqualTo(LocalDateTime.of(2024, 1, 31, 15, 59));
    assertThat(time("dd.MM.uuuu HH:mm XXX", "31.01.2024 15:59 +05:30"))
        .isEqualTo(LocalDateTime.of(2024, 1, 31, 11, 29));
    assertThat(time("dd.MM.uuuu XXX", "31.01.2024 +05:30"))
        .isEqualTo(LocalDateTime.of(2024, 1, 31, 0, 0));
    assertThat(time("HH:mm", "15:59")).isNull();
    assertThat(time("dd.MM.uuuu", "30.02.2024")).isNull();
  }

  private static @Nullable LocalDateTime time(String pattern, String text) {
    return new TimeFormat(pattern, BERLIN).time(text);
  }

  private static @Nullable LocalDateTime expected(String text) {
    DateTimeFormatter iso =
        DateTimeFormatter.ofPattern(
                "uuuu-MM-dd[['T'][' ']HH:mm[:ss[.SSSSSSSSS][.SSSSSSSS][.SSSSSSS][.SSSSSS][.SSSSS]"
                    + "[.SSSS][.SSS][.SS][.S]][XXX][XX][X]]",
                Locale.ROOT)
            .withResolverStyle(ResolverStyle.STRICT);
    try {
      TemporalAccessor parsed =
          iso.parseBest(text, ZonedDateTime::from, LocalDateTime::from, LocalDate::from);
      if (parsed instanceof ZonedDateTime zoned) {
        return zoned.withZoneSameInstant(BERLIN).toLocalDateTime();
      }
      return parsed instanceof LocalDate date ? date.atStartOfDay() : (LocalDateTime) parsed;
    } catch (DateTimeException e) {
      return null;
    }
  }
}
