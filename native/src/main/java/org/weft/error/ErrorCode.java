package org.weft.error;

/**
 * Every error that Weft reports to a person. Numbers are stable: they appear in logs and scripts,
 * and a number is never reused. The kind decides the exit status of the command line.
 */
public enum ErrorCode {
  USAGE(100, Kind.USER),
  INVALID_EXPRESSION(101, Kind.USER),
  INVALID_FORMAT(102, Kind.USER),
  SHAPE_MISMATCH(103, Kind.USER),
  OUTPUT_EXISTS(104, Kind.USER),
  INPUT_NOT_FOUND(105, Kind.USER),
  INVALID_SCHEDULE(110, Kind.USER),
  INVALID_WORKFLOW(111, Kind.USER),
  UNSUPPORTED_OPERATION(200, Kind.UNSUPPORTED),
  UNSUPPORTED_PLATFORM(201, Kind.UNSUPPORTED),
  /** A tensor has to be converted to another format before the statement can be compiled. */
  CONVERSION_REQUIRED(202, Kind.UNSUPPORTED),
  MALFORMED_INPUT(300, Kind.DATA),
  NONFINITE_VALUE(301, Kind.DATA),
  COORDINATE_OUT_OF_RANGE(302, Kind.DATA),
  ENTRY_COUNT_MISMATCH(303, Kind.DATA),
  TRUNCATED_INPUT(304, Kind.DATA),
  CORRUPT_INPUT(305, Kind.DATA),
  /** A model is further from another than a limit allows. */
  MODEL_DRIFT(306, Kind.DATA),
  /** The command of a workflow's step, or its input, is wrong. */
  STEP_REFUSED(307, Kind.DATA),
  /** A value is none that the tensor's type holds. */
  VALUE_OUT_OF_RANGE(308, Kind.DATA),
  OUT_OF_MEMORY(400, Kind.RESOURCE),
  WIDTH_OVERFLOW(401, Kind.RESOURCE),
  STORAGE_UNAVAILABLE(402, Kind.RESOURCE),
  /** Spark, or a part of it that a job needs, is gone or refuses. */
  CLUSTER_UNAVAILABLE(403, Kind.RESOURCE),
  /** Somebody ended or cancelled the work. */
  INTERRUPTED(404, Kind.RESOURCE),
  STEP_FAILED(405, Kind.RESOURCE),
  COMMIT_FAILED(500, Kind.COMMIT),
  COMMIT_CONFLICT(501, Kind.COMMIT),
  COMMIT_STATE_UNKNOWN(502, Kind.COMMIT),
  /** Another process runs the workflow. */
  WORKFLOW_LOCKED(600, Kind.LOCKED),
  /** An input of a run is not what it was when the run began. */
  INPUT_CHANGED(601, Kind.CHANGED),
  STEP_TIMEOUT(602, Kind.TIMEOUT),
  COMPILER_FAILURE(900, Kind.INTERNAL),
  KERNEL_FAILURE(901, Kind.INTERNAL),
  INTERNAL(999, Kind.INTERNAL);

  /** Who can act on an error. */
  public enum Kind {
    /** The command or program is wrong; exit status 2. */
    USER(2),
    /** A correct request that Weft cannot serve; exit status 2. */
    UNSUPPORTED(2),
    /** A file is wrong; exit status 2. */
    DATA(2),
    /** Memory, disk or a service is missing; exit status 1. */
    RESOURCE(1),
    /** An output could not be published; exit status 1. */
    COMMIT(1),
    /** Somebody else is at work; exit status 3. */
    LOCKED(3),
    /** The world has changed under a run; exit status 4. */
    CHANGED(4),
    /** It takes too long; exit status 5. */
    TIMEOUT(5),
    /** A bug of ours; exit status 1. */
    INTERNAL(1);

    private final int exitStatus;

    Kind(int exitStatus) {
      this.exitStatus = exitStatus;
    }

    public int exitStatus() {
      return exitStatus;
    }
  }

  private final int number;
  private final Kind kind;

  ErrorCode(int number, Kind kind) {
    this.number = number;
    this.kind = kind;
  }

  public int number() {
    return number;
  }

  public Kind kind() {
    return kind;
  }

  /** The code as it is printed: {@code WEFT-300}. */
  public String label() {
    return "WEFT-" + number;
  }
}
