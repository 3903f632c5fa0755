package org.weft.storage;

import java.util.Arrays;
import java.util.Random;
import org.weft.error.WeftException;

/** Bytes that no writer made. */
final class Fuzz {
  private static final String TOKENS = "0 1 -1 1e999 nan\t\n\r\n#%;.+e 99999999999999999999 2 3\n";

  private Fuzz() {}

  static byte[] bytes(Random random, byte[] good) {
    byte[] bytes = Arrays.copyOf(good, good.length);
    switch (random.nextInt(4)) {
      case 0 -> random.nextBytes(bytes);
      case 1 -> {
        for (int i = 0; i <= random.nextInt(4); i++) {
          bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        }
      }
      case 2 -> {
        int at = random.nextInt(bytes.length);
        for (int i = at; i < Math.min(bytes.length, at + 9); i++) {
          bytes[i] = (byte) TOKENS.charAt(random.nextInt(TOKENS.length()));
        }
      }
      default -> {
        for (int i = 0; i < bytes.length; i++) {
          bytes[i] = (byte) TOKENS.charAt(random.nextInt(TOKENS.length()));
        }
      }
    }
    return bytes;
  }

  /** Any other exception is the caller's failure. */
  static void readOrWeftException(String uri) throws Exception {
    try {
      Entries.read(TensorFiles.open(Entries.ACCESS, uri, ReadOptions.defaults(), 40));
    } catch (WeftException refused) {
      if (refused.getMessage() == null || !refused.getMessage().contains(uri)) {
        throw new AssertionError("an error that does not name its file", refused);
      }
    }
  }
}
