/**
 * What a run leaves in the folder of a model: {@link org.weft.engine.model.FactorFiles}, and {@link
 * org.weft.engine.model.RunSummary}.
 */
@NullMarked
package org.weft.engine.model;

import org.jspecify.annotations.NullMarked;
