package org.weft.spark.ingest.cell;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.Month;
import java.time.ZoneOffset;
import java.time.format.TextStyle;
import java.time.temporal.ChronoUnit;
import java.time.temporal.IsoFields;
import java.util.Locale;

/** Times by calendar unit; labels of the first seven sort as their times do. */
record TimeBucket(Unit unit, TimeFormat format) implements Bucket {
  /** A calendar unit, or a place in one that comes again. */
  enum Unit {
    YEAR("year"),
    QUARTER("quarter"),
    MONTH("month"),
    /** ISO 8601: Monday to Sunday; of the year that has its Thursday. */
    WEEK("week"),
    DAY("day"),
    HOUR("hour"),
    MINUTE("minute"),
    WEEKDAY("weekday"),
    HOUR_OF_DAY("hour-of-day"),
    MONTH_OF_YEAR("month-of-year");

    private final String text;

    Unit(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }
  }

  private static final int MONTHS = 12;
  private static final int QUARTERS = 4;

  @Override
  public KeyType keyType() {
    return KeyType.LONG;
  }

  @Override
  public Object key(String column, Object cell) throws BadCell {
    LocalDateTime time = format.time(cell);
    if (time == null) {
      throw new BadCell(column, "expected a time");
    }
    return key(time);
  }

  private long key(LocalDateTime time) {
    return switch (unit) {
      case YEAR -> time.getYear();
      case QUARTER -> (long) time.getYear() * QUARTERS + time.get(IsoFields.QUARTER_OF_YEAR) - 1;
      case MONTH -> (long) time.getYear() * MONTHS + time.getMonthValue() - 1;
      case WEEK -> time.toLocalDate().with(DayOfWeek.MONDAY).toEpochDay();
      case DAY -> time.toLocalDate().toEpochDay();
      case HOUR -> Math.floorDiv(time.toEpochSecond(ZoneOffset.UTC), 3600L);
      case MINUTE -> Math.floorDiv(time.toEpochSecond(ZoneOffset.UTC), 60L);
      case WEEKDAY -> time.getDayOfWeek().getValue();
      case HOUR_OF_DAY -> time.getHour();
      case MONTH_OF_YEAR -> time.getMonthValue();
    };
  }

  @Override
  public String label(Object key) {
    long k = (Long) key;
    return switch (unit) {
      case YEAR -> year(k);
      case QUARTER -> year(Math.floorDiv(k, QUARTERS)) + "-Q" + (Math.floorMod(k, QUARTERS) + 1);
      case MONTH -> year(Math.floorDiv(k, MONTHS)) + "-" + two(Math.floorMod(k, MONTHS) + 1);
      case WEEK -> {
        LocalDate monday = LocalDate.ofEpochDay(k);
        yield year(monday.get(IsoFields.WEEK_BASED_YEAR))
            + "-W"
            + two(monday.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR));
      }
      case DAY -> LocalDate.ofEpochDay(k).toString();
      case HOUR -> epoch(k * 3600).truncatedTo(ChronoUnit.HOURS).toString();
      case MINUTE -> epoch(k * 60).toString();
      case WEEKDAY ->
          DayOfWeek.of(Math.toIntExact(k)).getDisplayName(TextStyle.SHORT, Locale.ENGLISH);
      case HOUR_OF_DAY -> two(k);
      case MONTH_OF_YEAR ->
          Month.of(Math.toIntExact(k)).getDisplayName(TextStyle.SHORT, Locale.ENGLISH);
    };
  }

  /** As in the labels of days: of four digits, and with a sign outside of 0 to 9999. */
  private static String year(long year) {
    String first = LocalDate.of(Math.toIntExact(year), 1, 1).toString();
    return first.substring(0, first.length() - "-01-01".length());
  }

  private static String two(long number) {
    return String.format(Locale.ROOT, "%02d", number);
  }

  private static LocalDateTime epoch(long seconds) {
    return LocalDateTime.ofEpochSecond(seconds, 0, ZoneOffset.UTC);
  }
}
