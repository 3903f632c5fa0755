package org.weft.reorder;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * Reverse Cuthill-McKee (Cuthill and McKee, "Reducing the bandwidth of sparse symmetric matrices",
 * 1969; reversed as George showed in 1971), on the graph whose vertices are the slices of all
 * modes, two of them adjacent when they share an entry.
 *
 * <p>For a matrix that is the bipartite graph of rows and columns, so that rows and columns which
 * were shuffled independently of each other are found again, and the matrix need be neither square
 * nor symmetric. Each component starts at a pseudo-peripheral vertex (George and Liu 1979); slices
 * are taken breadth first, those of fewer entries before their siblings. Slices without entries
 * come last. Cost {@code O(order entries)} a search, a handful of searches per component that has
 * more than one slice of some mode, and the sort of each vertex's neighbours.
 */
final class CuthillMcKeeOrder implements Reorderer {
  /** Searches for a better start of one component. */
  private static final int SEARCHES = 4;

  /** Components of fewer vertices start anywhere: a search would cost more than it gains. */
  private static final int SMALL = 8;

  @Override
  public String name() {
    return "rcm";
  }

  @Override
  public List<Permutation> reorder(TensorShape shape, List<CooBlock> blocks) {
    return new Search(new EntryTable(shape, blocks)).permutations();
  }

  /** One run. Vertex {@code base[m] + c} is coordinate c of mode m. */
  private static final class Search {
    private final EntryTable table;
    private final Slices[] slices;
    private final int[] base;
    private final int[] queue;
    private final int[] mark; // the number of the search that saw a vertex last
    private int searches;
    private int from; // the component being searched: queue[from, to)
    private int to;
    private int lastLevel; // where its last level begins
    private int levels;

    Search(EntryTable table) {
      this.table = table;
      slices = Slices.ofEveryMode(table);
      base = new int[table.order() + 1];
      for (int m = 0; m < table.order(); m++) {
        base[m + 1] = Math.addExact(base[m], table.modeSize(m));
      }
      queue = new int[base[table.order()]];
      mark = new int[queue.length];
    }

    List<Permutation> permutations() {
      int found = visitAll();
      List<Permutation> permutations = new ArrayList<>();
      int[][] order = new int[table.order()][];
      int[] filled = new int[table.order()];
      for (int m = 0; m < order.length; m++) {
        order[m] = new int[table.modeSize(m)];
      }
      for (int at = found - 1; at >= 0; at--) {
        int m = mode(queue[at]);
        order[m][filled[m]++] = queue[at] - base[m];
      }
      for (int m = 0; m < order.length; m++) {
        for (int c = 0; c < order[m].length; c++) {
          if (slices[m].degree(c) == 0) {
            order[m][filled[m]++] = c;
          }
        }
        permutations.add(Permutation.ofOrder(order[m]));
      }
      return permutations;
    }

    /** Puts every vertex that has entries into the queue, component after component. */
    private int visitAll() {
      boolean[] done = new boolean[queue.length];
      int count = 0;
      for (int vertex = 0; vertex < queue.length; vertex++) {
        if (done[vertex] || degree(vertex) == 0) {
          continue;
        }
        search(peripheral(vertex, count), count);
        for (int at = count; at < to; at++) {
          done[queue[at]] = true;
        }
        count = to;
      }
      return count;
    }

    /** A vertex of the component of {@code start} that is far from another. */
    private int peripheral(int start, int at) {
      int vertex = start;
      int depth = -1;
      for (int round = 0; round < SEARCHES; round++) {
        search(vertex, at);
        if (levels <= depth || to - from < SMALL) {
          break;
        }
        depth = levels;
        int best = queue[lastLevel];
        for (int q = lastLevel; q < to; q++) {
          best = degree(queue[q]) < degree(best) ? queue[q] : best;
        }
        vertex = best;
      }
      return vertex;
    }

    private void search(int start, int at) {
      searches++;
      from = at;
      to = at;
      add(start);
      levels = 0;
      lastLevel = from;
      int levelEnd = to;
      for (int next = from; next < to; next++) {
        if (next == levelEnd) {
          levels++;
          lastLevel = next;
          levelEnd = to;
        }
        int first = to;
        addNeighbours(queue[next]);
        sortByDegree(first, to);
      }
    }

    private void add(int vertex) {
      mark[vertex] = searches;
      queue[to++] = vertex;
    }

    private void addNeighbours(int vertex) {
      int m = mode(vertex);
      Slices own = slices[m];
      int c = vertex - base[m];
      for (int at = own.begin(c); at < own.end(c); at++) {
        int entry = own.entry(at);
        for (int other = 0; other < table.order(); other++) {
          int neighbour = base[other] + table.column(other)[entry];
          if (other != m && mark[neighbour] != searches) {
            add(neighbour);
          }
        }
      }
    }

    /** Sorts a part of the queue by degree, ties by vertex. */
    private void sortByDegree(int begin, int end) {
      if (end - begin < 2) {
        return;
      }
      long[] keys = new long[end - begin];
      for (int i = 0; i < keys.length; i++) {
        keys[i] = (long) degree(queue[begin + i]) << 32 | queue[begin + i];
      }
      Arrays.sort(keys);
      for (int i = 0; i < keys.length; i++) {
        queue[begin + i] = (int) keys[i];
      }
    }

    private int degree(int vertex) {
      int m = mode(vertex);
      return slices[m].degree(vertex - base[m]);
    }

    private int mode(int vertex) {
      int m = 0;
      while (vertex >= base[m + 1]) {
        m++;
      }
      return m;
    }
  }
}
