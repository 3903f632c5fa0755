/**
 * The folder of a decomposition: factors, labels and a summary; and a pointer to one that is
 * published.
 *
 * <p>Read {@link org.weft.storage.model.ModelOutput} first, then {@link
 * org.weft.storage.model.ModelFolder}.
 */
@NullMarked
package org.weft.storage.model;

import org.jspecify.annotations.NullMarked;
