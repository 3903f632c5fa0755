package org.weft.spark.ingest.cell;

import java.io.Serializable;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalQueries;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How cells say a time, and in which zone days begin. {@code iso}: {@code 2024-01-31}, with {@code
 * T} or a blank a time of day, with an offset or none, which means the zone; {@code epoch} and
 * {@code epoch-millis}: numbers since 1970; anything else is a pattern of {@link
 * DateTimeFormatter}. Columns that hold times need no format.
 */
public final class TimeFormat implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final int NO_NUMBER = -100_000;

  private final String pattern;
  private final ZoneId zone;
  private transient @Nullable DateTimeFormatter formatter;

  /**
   * @throws IllegalArgumentException if {@code pattern} is none
   */
  public TimeFormat(String pattern, ZoneId zone) {
    this.pattern = pattern;
    this.zone = zone;
    if (!isEpoch()) {
      formatter();
    }
  }

  private boolean isEpoch() {
    return pattern.startsWith("epoch");
  }

  /** The time of {@code cell} on the clocks of the zone; null if it says none. */
  @Nullable LocalDateTime time(Object cell) {
    try {
      if (cell instanceof Instant instant) {
        return LocalDateTime.ofInstant(instant, zone);
      }
      if (cell instanceof LocalDateTime local) {
        return local;
      }
      if (cell instanceof LocalDate date) {
        return date.atStartOfDay();
      }
      if (isEpoch() || cell instanceof Number) {
        return epoch(Cells.number(cell));
      }
      String text = cell.toString().strip();
      LocalDateTime plain = pattern.equals("iso") ? plain(text) : null;
      return plain != null ? plain : time(formatter().parse(text));
    } catch (DateTimeException e) {
      return null;
    }
  }

  /**
   * The time in {@code 2024-01-31}, or in {@code 2024-01-31 15:59} with seconds or without, which
   * is what most tables have and takes a tenth of the time of a formatter; null for any other text.
   */
  private static @Nullable LocalDateTime plain(String text) {
    int length = text.length();
    boolean date = length == 10 || length == 16 || length == 19;
    if (!date || text.charAt(4) != '-' || text.charAt(7) != '-') {
      return null;
    }
    int year = 100 * two(text, 0) + two(text, 2);
    int month = two(text, 5);
    int day = two(text, 8);
    int hour = 0;
    int minute = 0;
    int second = 0;
    if (length > 10) {
      char between = text.charAt(10);
      if ((between != 'T' && between != ' ') || text.charAt(13) != ':') {
        return null;
      }
      hour = two(text, 11);
      minute = two(text, 14);
      if (length > 16) {
        second = text.charAt(16) == ':' ? two(text, 17) : NO_NUMBER;
      }
    }
    return Math.min(Math.min(year, Math.min(month, day)), Math.min(hour, Math.min(minute, second)))
            < 0
        ? null
        : LocalDateTime.of(year, month, day, hour, minute, second);
  }

  /** The number of two digits; less than any number if they are none. */
  private static int two(String text, int at) {
    int tens = text.charAt(at) - '0';
    int ones = text.charAt(at + 1) - '0';
    boolean digits = tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9;
    return digits ? 10 * tens + ones : NO_NUMBER;
  }

  /**
   * Asks for what was parsed: {@code parseBest} makes an exception for what was not, which takes
   * more time than parsing.
   */
  private @Nullable LocalDateTime time(TemporalAccessor parsed) {
    LocalDate date = parsed.query(TemporalQueries.localDate());
    LocalTime time = parsed.query(TemporalQueries.localTime());
    if (date == null || time == null) {
      return date == null ? null : date.atStartOfDay();
    }
    return parsed.query(TemporalQueries.zone()) == null
        ? LocalDateTime.of(date, time)
        : ZonedDateTime.from(parsed).withZoneSameInstant(zone).toLocalDateTime();
  }

  private @Nullable LocalDateTime epoch(@Nullable Double number) {
    if (number == null || !Double.isFinite(number) || Math.abs(number) > 1e15) {
      return null;
    }
    double millis = pattern.equals("epoch-millis") ? number : number * 1000;
    return LocalDateTime.ofInstant(Instant.ofEpochMilli((long) Math.floor(millis)), zone);
  }

  private DateTimeFormatter formatter() {
    DateTimeFormatter present = formatter;
    if (present == null) {
      present = pattern.equals("iso") ? iso() : ofPattern(pattern);
      formatter = present;
    }
    return present;
  }

  /** Strict: there is no 30th of February. Years without an era are of ours. */
  private static DateTimeFormatter ofPattern(String pattern) {
    return new DateTimeFormatterBuilder()
        .appendPattern(pattern)
        .parseDefaulting(ChronoField.ERA, 1)
        .toFormatter(Locale.ENGLISH)
        .withResolverStyle(ResolverStyle.STRICT);
  }

  private static DateTimeFormatter iso() {
    return new DateTimeFormatterBuilder()
        .append(DateTimeFormatter.ISO_LOCAL_DATE)
        .optionalStart()
        .appendPattern("['T'][' ']HH:mm")
        .optionalStart()
        .appendPattern(":ss")
        .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
        .optionalEnd()
        .appendPattern("[XXX][XX][X]")
        .optionalEnd()
        .toFormatter(Locale.ROOT)
        .withResolverStyle(ResolverStyle.STRICT);
  }
}
