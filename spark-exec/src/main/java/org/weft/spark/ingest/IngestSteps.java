package org.weft.spark.ingest;

import org.weft.engine.ProgressListener;

/** The steps of a job as its progress shows them. */
final class IngestSteps {
  private final IngestJob job;
  private final ProgressListener progress;
  private final boolean mayReject;
  private final boolean mayBeRare;
  private final int total;
  private int done;

  IngestSteps(IngestJob job, ProgressListener progress) {
    this.job = job;
    this.progress = progress;
    this.mayReject = job.maxRejects() > 0;
    this.mayBeRare = job.modes().stream().anyMatch(mode -> mode.minCount() > 0);
    this.total = 2 + (mayReject ? 1 : 0) + (mayBeRare ? 1 : 0) + job.modes().size();
  }

  private void step(String description) {
    progress.step(description, done++, total);
  }

  void read() {
    step("read " + job.source());
  }

  void rejects() {
    if (mayReject) {
      step("rejects of " + job.source());
    }
  }

  void rare() {
    if (mayBeRare) {
      step("drop rare labels");
    }
  }

  void labels(int mode) {
    step("labels of " + job.modes().get(mode).name());
  }

  void write() {
    step("write " + job.output());
  }
}
