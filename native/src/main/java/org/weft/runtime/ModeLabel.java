package org.weft.runtime;

import java.io.Serializable;

/**
 * The label of a mode. All modes of a kernel's tensors with one label have one size.
 *
 * @param size the size that the kernel was compiled for; -1 for any
 */
public record ModeLabel(String name, long size) implements Serializable {}
