/**
 * Where values go: memory, a register, a workspace, or a result that is appended.
 *
 * <p>A loop nest tells a {@link Sink} of its loops and puts values into it. Workspaces collect the
 * cells of a sparse temporary that come in any order. {@link AppendSink} stores a coordinate of a
 * result only when a value below the coordinate is stored. {@link BucketSink}, {@link EntryList}
 * and {@link Assembly} make results whose entries come out of order. Read {@link Sink} first.
 */
@NullMarked
package org.weft.compiler.lower.sink;

import org.jspecify.annotations.NullMarked;
