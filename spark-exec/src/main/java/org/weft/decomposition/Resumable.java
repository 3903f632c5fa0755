package org.weft.decomposition;

import org.weft.decomposition.rows.Site;
import org.weft.planner.job.Job;
import org.weft.tensor.TensorShape;

/**
 * A method whose runs can be interrupted between sweeps.
 *
 * @param <M> the model that it ends with
 */
public interface Resumable<M> extends Method<M> {
  /** Runs from the latest state of the checkpoints, and offers the state after each sweep. */
  M run(Site site, Observer observer, Checkpoints checkpoints);

  @Override
  default M run(Site site, Observer observer) {
    return run(site, observer, Checkpoints.NONE);
  }

  /** The same method, whose runs begin with the state of these checkpoints and write to them. */
  default Method<M> keeping(Checkpoints checkpoints) {
    return new Keeping<>(this, checkpoints);
  }

  /** A method with checkpoints. */
  record Keeping<M>(Resumable<M> method, Checkpoints checkpoints) implements Method<M> {
    @Override
    public Job job(TensorShape shape) {
      return method.job(shape);
    }

    @Override
    public void checkOrder(int order) {
      method.checkOrder(order);
    }

    @Override
    public void check(TensorShape shape) {
      method.check(shape);
    }

    @Override
    public Memory memory(TensorShape shape) {
      return method.memory(shape);
    }

    @Override
    public String measure() {
      return method.measure();
    }

    @Override
    public M run(Site site, Observer observer) {
      return method.run(site, observer, checkpoints);
    }
  }
}
