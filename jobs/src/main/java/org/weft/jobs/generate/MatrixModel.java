package org.weft.jobs.generate;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage.EntryVisitor;

/**
 * What a synthetic square matrix looks like: one of the kinds of table 5 of Chou et al. 2018.
 * Entries come row by row, sorted and without duplicates; values are uniform multiples of 0.01 in
 * (0, 10], and the diagonal of a structured kind is stored. Memory is one row, or one number per
 * row for {@code power-law}.
 *
 * @param kind where the entries are
 * @param rows rows and columns
 * @param nonzeros stored entries; met up to the rounding of each row, and of the border of a band
 */
public record MatrixModel(Kind kind, long rows, long nonzeros) implements Generated {
  private static final int BLOCK = 3; // unknowns of a mesh node
  private static final double MOST_ROWS = 1 << 30;

  /** Kinds of matrices. */
  public enum Kind {
    /**
     * Full diagonals: the main one, its neighbours, and pairs at distances that grow by sqrt(rows),
     * as discretised operators on a grid have (ecology1, atmosmodd).
     */
    BANDED(1_000_000, 4_996_000),
    /**
     * Dense 3 x 3 blocks in clusters of three near the diagonal, as meshes of solids have (cant,
     * consph, pwtk).
     */
    FEM(200_000, 9_600_000),
    /**
     * Rows and columns both drawn by power laws with exponents 0.8 and 0.9, scattered over the
     * matrix: few rows and columns hold many entries (webbase).
     */
    POWER_LAW(1_000_000, 3_440_000),
    /** Every row has the same entries, in columns drawn uniformly. */
    UNIFORM(8_192, 671_088);

    private final long rows;
    private final long nonzeros;

    Kind(long rows, long nonzeros) {
      this.rows = rows;
      this.nonzeros = nonzeros;
    }

    /** As typed: {@code power-law}. */
    public String label() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  public MatrixModel {
    if (rows < 1 || rows > MOST_ROWS || nonzeros < 1 || nonzeros > (double) rows * rows) {
      throw new WeftException(
          ErrorCode.USAGE,
          String.format(
              Locale.ROOT,
              "expected 1 to 2^30 rows and 1 to rows^2 nonzeros of a %s matrix, found %d and %d",
              kind.label(),
              rows,
              nonzeros));
    }
  }

  /** The names of the kinds. */
  public static List<String> names() {
    return Arrays.stream(Kind.values()).map(Kind::label).toList();
  }

  /** The kind of that name in its own size; empty if there is none. */
  public static Optional<MatrixModel> of(String name) {
    return Arrays.stream(Kind.values())
        .filter(kind -> kind.label().equals(name.toLowerCase(Locale.ROOT)))
        .findFirst()
        .map(kind -> new MatrixModel(kind, kind.rows, kind.nonzeros));
  }

  @Override
  public TensorShape sizes() {
    return TensorShape.of(rows, rows);
  }

  @Override
  public String describe() {
    return kind.label();
  }

  /** This kind with another count of nonzeros in as many rows. */
  @Override
  public MatrixModel withNonzeros(long count) {
    return new MatrixModel(kind, rows, count);
  }

  /** {@code factor} times the rows and the nonzeros: rows stay as full as they are. */
  @Override
  public MatrixModel scaled(double factor) {
    if (!(factor > 0) || Double.isInfinite(factor)) {
      throw new WeftException(
          ErrorCode.USAGE, "expected --scale above 0, found " + factor + "; 0.01 is a hundredth");
    }
    long scaledRows = Math.max(1, Math.round(rows * factor));
    long scaled = Math.max(1, Math.round(nonzeros * factor));
    return new MatrixModel(
        kind, scaledRows, (long) Math.min(scaled, (double) scaledRows * scaledRows));
  }

  @Override
  public void generate(long seed, EntryVisitor sink) {
    RandomGenerator random = SkewedTensor.random(seed);
    Row row = new Row(random, sink);
    switch (kind) {
      case BANDED -> banded(row);
      case FEM -> fem(random, row);
      case POWER_LAW -> powerLaw(random, row);
      case UNIFORM -> {
        for (long i = 0; i < rows; i++) {
          long count = nonzeros * (i + 1) / rows - nonzeros * i / rows;
          draw(i, count, random, row, u -> (long) (u * rows));
        }
      }
    }
  }

  private void banded(Row row) {
    long diagonals = Math.max(1, Math.round(nonzeros / (double) rows));
    long step = Math.max(2, Math.round(Math.sqrt(rows)));
    for (long i = 0; i < rows; i++) {
      for (long d = 0; d < diagonals; d++) {
        long pair = (d + 1) / 2;
        long distance = pair <= 1 ? pair : (pair - 1) * step;
        row.add(i + (d % 2 == 0 ? distance : -distance));
      }
      row.visit(i);
    }
  }

  /** Each row of blocks has its diagonal block and clusters of three at a few short distances. */
  private void fem(RandomGenerator random, Row row) {
    long nodes = (rows + BLOCK - 1) / BLOCK;
    long neighbours = Math.max(1, Math.round(nonzeros / (double) (BLOCK * rows)));
    long reach = Math.max(1, Math.min(2000, nodes / 8));
    long[] blocks = new long[(int) Math.min(neighbours, nodes)];
    for (long node = 0; node < nodes; node++) {
      int count = 0;
      blocks[count++] = node;
      for (int tries = 0; count < blocks.length && tries < 8 * blocks.length; tries++) {
        long distance = random.nextLong(-reach, reach + 1) / random.nextInt(1, 9);
        for (int k = 0; k < 3 && count < blocks.length; k++) {
          long other = node + distance + k;
          if (other >= 0 && other < nodes && !contains(blocks, count, other)) {
            blocks[count++] = other;
          }
        }
      }
      for (long i = node * BLOCK; i < Math.min(rows, (node + 1) * BLOCK); i++) {
        for (int b = 0; b < count; b++) {
          for (int k = 0; k < BLOCK; k++) {
            row.add(blocks[b] * BLOCK + k);
          }
        }
        row.visit(i);
      }
    }
  }

  private static boolean contains(long[] blocks, int count, long block) {
    for (int b = 0; b < count; b++) {
      if (blocks[b] == block) {
        return true;
      }
    }
    return false;
  }

  private void powerLaw(RandomGenerator random, Row row) {
    Scatter rowPlaces = new Scatter(rows, random.nextLong());
    Scatter columnPlaces = new Scatter(rows, random.nextLong());
    PowerLaw rowLaw = new PowerLaw(0.8);
    PowerLaw.Range columns = new PowerLaw(0.9).range(0, rows);
    double all = rowLaw.mass(0, rows);
    int[] counts = new int[(int) rows];
    for (int rank = 0; rank < rows; rank++) {
      double share = nonzeros * (rowLaw.mass(rank, rank + 1) / all);
      double most = Math.min(rows, 1 + rows / 2.0);
      counts[(int) rowPlaces.place(rank)] = (int) Math.min(most, share + random.nextDouble());
    }
    for (int i = 0; i < rows; i++) {
      draw(i, counts[i], random, row, u -> columnPlaces.place(columns.quantile(u)));
    }
  }

  private interface Column {
    long of(double uniform);
  }

  /** A row of {@code count} distinct columns; those that repeat too often go to the next free. */
  private void draw(long i, long count, RandomGenerator random, Row row, Column column) {
    int missing = (int) Math.min(count, rows);
    for (int tries = 0; tries < 8 && row.size() < missing; tries++) {
      for (int k = row.size(); k < missing; k++) {
        row.add(column.of(random.nextDouble()));
      }
      row.sort();
    }
    row.fill(missing);
    row.visit(i);
  }

  /** The columns of one row. */
  private final class Row {
    private final RandomGenerator random;
    private final EntryVisitor sink;
    private final long[] entry = new long[2];
    private long[] columns = new long[64];
    private int size;

    Row(RandomGenerator random, EntryVisitor sink) {
      this.random = random;
      this.sink = sink;
    }

    int size() {
      return size;
    }

    /** Takes a column that is inside the matrix. */
    void add(long column) {
      if (column < 0 || column >= rows) {
        return;
      }
      if (size == columns.length) {
        columns = Arrays.copyOf(columns, 2 * size);
      }
      columns[size++] = column;
    }

    /** Sorts, and drops repetitions. */
    void sort() {
      Arrays.sort(columns, 0, size);
      int kept = 0;
      for (int k = 0; k < size; k++) {
        if (k == 0 || columns[k] != columns[k - 1]) {
          columns[kept++] = columns[k];
        }
      }
      size = kept;
    }

    /** Adds the lowest free columns until there are {@code count}; sorted before and after. */
    void fill(int count) {
      int sorted = size;
      long free = 0;
      for (int k = 0; size < count; free++) {
        if (k < sorted && columns[k] == free) {
          k++;
        } else {
          add(free);
        }
      }
    }

    void visit(long i) {
      sort();
      for (int k = 0; k < size; k++) {
        entry[0] = i;
        entry[1] = columns[k];
        sink.visit(entry, (1 + random.nextInt(1000)) / 100.0);
      }
      size = 0;
    }
  }
}
