package org.weft.storage.file;

/** What an output does about one that exists already. */
public enum Existing {
  /** It is an error, now or at commit. */
  REFUSE,
  /** It is replaced. */
  REPLACE,
  /** Its entries stay, the new ones are added; containers only, and one must exist. */
  APPEND,
  /** It stays and this one is dropped: for outputs that several attempts may make. */
  KEEP
}
