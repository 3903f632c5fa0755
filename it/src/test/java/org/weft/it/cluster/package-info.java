/**
 * HDFS and standalone Spark on real processes, as the suites see them.
 *
 * <p>Read {@link org.weft.it.cluster.TestCluster} first: it is what a suite may do to a cluster.
 * {@link org.weft.it.cluster.ProcessCluster} starts child JVMs on 127.0.0.1 from Maven's jars;
 * {@link org.weft.it.cluster.ContainerCluster} starts the same roles with Testcontainers. {@link
 * org.weft.it.cluster.ClusterExtension} gives one cluster to all suites of a JVM and prints the
 * servers' logs when a test fails.
 *
 * <p>Invariants: every process belongs to exactly one cluster, dies at {@code close()} and at the
 * latest with the test JVM; a cluster listens on loopback only; Hadoop's server class path and
 * Spark's never meet.
 */
@NullMarked
package org.weft.it.cluster;

import org.jspecify.annotations.NullMarked;
