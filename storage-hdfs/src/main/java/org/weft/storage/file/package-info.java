/**
 * Files on any Hadoop file system: reached, published whole, and told apart by their contents.
 *
 * <p>{@link org.weft.storage.file.FileAccess} reaches the file systems and words their errors.
 * {@link org.weft.storage.file.OutputCommit} publishes an output by a rename, and removes what a
 * killed writer left. {@link org.weft.storage.file.Fingerprints} are check sums of files and
 * folders. Read {@code OutputCommit} first.
 *
 * <p>Invariants: an output appears whole or not at all; nothing here knows what is in a file.
 */
@NullMarked
package org.weft.storage.file;

import org.jspecify.annotations.NullMarked;
