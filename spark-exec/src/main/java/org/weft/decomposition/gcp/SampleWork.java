package org.weft.decomposition.gcp;

import java.util.function.Consumer;
import org.weft.decomposition.Method;
import org.weft.decomposition.rows.Site;
import org.weft.planner.job.Job;
import org.weft.tensor.TensorShape;

/**
 * The part of an iteration that runs on a sample of the zeros: it has all statements of a run,
 * which has asked for the memory of the rows.
 */
record SampleWork(Gcp gcp, Consumer<Site> work) implements Method<Boolean> {
  @Override
  public Job job(TensorShape shape) {
    return gcp.whole(shape, "gcp sample");
  }

  @Override
  public void check(TensorShape shape) {
    gcp.check(shape);
  }

  @Override
  public Boolean run(Site site, Observer observer) {
    work.accept(site);
    return true;
  }
}
