/**
 * Level formats: the storage of one mode of a tensor, described by capabilities and properties as
 * in Chou, Kjolstad and Amarasinghe, "Format abstraction for sparse tensor algebra compilers".
 * Start with {@link org.weft.tensor.level.LevelFormat}; one file per format. A position may be
 * without a coordinate (not compact): hash tables, bitmaps, the padding of ELL.
 */
@NullMarked
package org.weft.tensor.level;

import org.jspecify.annotations.NullMarked;
