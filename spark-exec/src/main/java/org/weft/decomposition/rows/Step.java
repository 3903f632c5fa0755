package org.weft.decomposition.rows;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.ejml.data.DMatrixRMaj;

/**
 * What happens to the rows of one mode at once. A statement on the tensor may make new rows. Then
 * operations change rows and add rows up, one range of rows after the other, where the rows lie.
 * The {@link Site} that runs the step keeps the rows and returns the sums.
 *
 * <pre>
 * Step.of(mode, "factor 1").product("M", mode, factors).rows("A", factor).small("P", inverse)
 *     .then(algebra.product("A", "M", "P"))
 *     .then(algebra.gram("G", "A", rank));
 * </pre>
 */
public final class Step {
  private final int mode;
  private final String about;
  private final Map<String, Rows> rows = new LinkedHashMap<>();
  private final Map<String, DMatrixRMaj> small = new LinkedHashMap<>();
  private final List<RowOperation> operations = new ArrayList<>();
  private Optional<Product> product = Optional.empty();

  /**
   * A statement's result.
   *
   * @param name of its rows: those of the step, or a name of its own for rows that go with the step
   * @param statement its number in the job
   * @param factors by mode; that of a mode whose rows the statement does not read is not looked at
   */
  public record Product(String name, int statement, List<? extends Rows> factors) {}

  private Step(int mode, String about) {
    this.mode = mode;
    this.about = about;
  }

  /**
   * A step that does nothing yet.
   *
   * @param about what it does, for people
   */
  public static Step of(int mode, String about) {
    return new Step(mode, about);
  }

  /** Begins with a statement of the job, whose rows are those of the step's mode. */
  public Step product(String name, int statement, List<? extends Rows> factors) {
    product = Optional.of(new Product(name, statement, factors));
    return this;
  }

  /** Names rows of the mode, which operations read or replace. */
  public Step rows(String name, Rows named) {
    if (named.mode() != mode) {
      throw new IllegalArgumentException(
          name + ": expected rows of mode " + mode + ", found those of mode " + named.mode());
    }
    rows.put(name, named);
    return this;
  }

  /** Names a small matrix. */
  public Step small(String name, DMatrixRMaj matrix) {
    small.put(name, matrix);
    return this;
  }

  /** Adds an operation; they are carried out in order. */
  public Step then(RowOperation operation) {
    operations.add(operation);
    return this;
  }

  public int mode() {
    return mode;
  }

  /** What it does, for people. */
  public String about() {
    return about;
  }

  public Optional<Product> product() {
    return product;
  }

  public Map<String, Rows> rows() {
    return rows;
  }

  public Map<String, DMatrixRMaj> small() {
    return small;
  }

  public List<RowOperation> operations() {
    return operations;
  }

  /** Names of rows that are replaced. */
  public Set<String> written() {
    Set<String> written = new HashSet<>();
    product.ifPresent(made -> written.add(made.name()));
    operations.forEach(operation -> written.addAll(operation.writes()));
    written.retainAll(rows.keySet());
    return written;
  }

  /** Names of rows whose values before the step matter. */
  public Set<String> read() {
    Set<String> made = new HashSet<>();
    Set<String> read = new HashSet<>();
    product.ifPresent(rowsOf -> made.add(rowsOf.name()));
    for (RowOperation operation : operations) {
      operation.reads().stream().filter(name -> !made.contains(name)).forEach(read::add);
      made.addAll(operation.writes());
    }
    read.retainAll(rows.keySet());
    return read;
  }
}
