/**
 * Who may import whom, as the design says: module by module, and package by package.
 *
 * <p>Maven keeps most of it (a module sees only what its POM names); these rules keep the rest.
 */
@NullMarked
package org.weft.it.architecture;

import org.jspecify.annotations.NullMarked;
