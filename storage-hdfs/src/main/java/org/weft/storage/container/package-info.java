/**
 * The tensor container {@code .weft}: a folder with a manifest per version and data files of level
 * arrays, specified in {@code FORMAT.md}. Read {@link org.weft.storage.container.Container}, which
 * opens one, then {@link org.weft.storage.container.Manifest}, which says everything about it;
 * {@link org.weft.storage.container.ContainerTransaction} makes versions.
 *
 * <p>Invariants: a version never changes once its manifest has its name; files are written once and
 * shared by versions; no byte is believed before its check sum is verified, and no length is
 * allocated before it is known to lie inside its file.
 */
@NullMarked
package org.weft.storage.container;

import org.jspecify.annotations.NullMarked;
