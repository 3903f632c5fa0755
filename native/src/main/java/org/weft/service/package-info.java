/** Finding the parts of Weft that other parts know by an interface only. */
@NullMarked
package org.weft.service;

import org.jspecify.annotations.NullMarked;
