/** The nightly sample on a cluster whose processes die. */
@NullMarked
package org.weft.it.nightly;

import org.jspecify.annotations.NullMarked;
