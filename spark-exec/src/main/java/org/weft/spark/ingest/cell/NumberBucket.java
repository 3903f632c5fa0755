package org.weft.spark.ingest.cell;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;

/** Numbers as labels: exactly, or by half-open intervals {@code [from,to)}. */
sealed interface NumberBucket extends Bucket {
  /** The key of a finite number. */
  Object key(String column, double number) throws BadCell;

  @Override
  default KeyType keyType() {
    return KeyType.LONG;
  }

  @Override
  default Object key(String column, Object cell) throws BadCell {
    Double number = Cells.number(cell);
    if (number == null) {
      throw new BadCell(column, "expected a number");
    }
    if (!Double.isFinite(number)) {
      throw new BadCell(column, "expected a finite number");
    }
    return key(column, number.doubleValue());
  }

  private static String interval(String from, String to) {
    return "[" + from + "," + to + ")";
  }

  /** Every number is a label of its own. */
  record Exact() implements NumberBucket {
    @Override
    public KeyType keyType() {
      return KeyType.DOUBLE;
    }

    @Override
    public Object key(String column, double number) {
      return number + 0.0; // -0 is 0
    }

    /** Whole numbers with all their digits that a double cannot tell apart are not one label. */
    @Override
    public Object key(String column, Object cell) throws BadCell {
      Object key = NumberBucket.super.key(column, cell);
      double number = (Double) key;
      String text = cell.toString().strip();
      if (Math.abs(number) >= 1L << 53
          && text.matches("[+-]?\\d+")
          && new BigDecimal(number).compareTo(new BigDecimal(text)) != 0) {
        throw new BadCell(
            column, "expected a number that a double holds; leave out the bucket for such labels");
      }
      return key;
    }

    @Override
    public String label(Object key) {
      return Cells.decimal((Double) key);
    }
  }

  /** {@code [k width, (k + 1) width)}. */
  record Width(double width) implements NumberBucket {
    @Override
    public Object key(String column, double number) throws BadCell {
      double key = Math.floor(number / width);
      if (Math.abs(key) > 1L << 53) {
        throw new BadCell(column, "expected a number below 2^53 widths");
      }
      return (long) key;
    }

    @Override
    public String label(Object key) {
      return interval(edge((Long) key), edge((Long) key + 1));
    }

    private String edge(long number) {
      BigDecimal edge = BigDecimal.valueOf(width).multiply(BigDecimal.valueOf(number));
      return edge.signum() == 0 ? "0" : edge.stripTrailingZeros().toPlainString();
    }
  }

  /** {@code [base^k, base^(k+1))}, and 0 for itself. */
  record Logarithm(int base) implements NumberBucket {
    private static final long ZERO = -10_000;

    @Override
    public Object key(String column, double number) throws BadCell {
      if (number < 0) {
        throw new BadCell(column, "expected a number from 0 for a logarithmic bucket");
      }
      if (number == 0) {
        return ZERO;
      }
      if (base == 2 && number >= Double.MIN_NORMAL) {
        return (long) Math.getExponent(number);
      }
      BigDecimal exact = new BigDecimal(number);
      if (base == 10) {
        return (long) exact.precision() - exact.scale() - 1;
      }
      return (long) Math.getExponent(number * 0x1p60) - 60;
    }

    @Override
    public String label(Object key) {
      long exponent = (Long) key;
      return exponent == ZERO ? "0" : interval(power(exponent), power(exponent + 1));
    }

    private String power(long exponent) {
      BigDecimal power =
          BigDecimal.valueOf(base).pow(Math.toIntExact(exponent), MathContext.DECIMAL128);
      boolean plain = exponent > -20 && exponent < 63;
      return plain ? power.stripTrailingZeros().toPlainString() : power.toString();
    }
  }

  /** {@code <e0}, {@code [e0,e1)}, ..., {@code >=eN}. */
  record Edges(List<Double> edges) implements NumberBucket {
    public Edges {
      edges = List.copyOf(edges);
    }

    @Override
    public Object key(String column, double number) {
      long key = 0;
      for (double edge : edges) {
        key += number >= edge ? 1 : 0;
      }
      return key;
    }

    @Override
    public String label(Object key) {
      int at = Math.toIntExact((Long) key);
      if (at == 0) {
        return "<" + Cells.decimal(edges.get(0));
      }
      String from = Cells.decimal(edges.get(at - 1));
      return at == edges.size() ? ">=" + from : interval(from, Cells.decimal(edges.get(at)));
    }
  }
}
