/** Text that other programs read: JSON and tab-separated values. */
@NullMarked
package org.weft.storage.document;

import org.jspecify.annotations.NullMarked;
