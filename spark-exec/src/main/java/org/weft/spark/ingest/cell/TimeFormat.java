package org.weft.spark.ingest.cell;

import java.io.Serializable;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
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
      TemporalAccessor parsed =
          formatter()
              .parseBest(
                  cell.toString().strip(),
                  ZonedDateTime::from,
                  LocalDateTime::from,
                  LocalDate::from);
      if (parsed instanceof ZonedDateTime zoned) {
        return zoned.withZoneSameInstant(zone).toLocalDateTime();
      }
      return parsed instanceof LocalDate date ? date.atStartOfDay() : (LocalDateTime) parsed;
    } catch (DateTimeException e) {
      return null;
    }
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
