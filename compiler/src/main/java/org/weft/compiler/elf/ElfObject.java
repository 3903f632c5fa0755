package org.weft.compiler.elf;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A relocatable object for x86-64: its code and constants, and what refers to what.
 *
 * @param sections those that a process maps
 * @param symbols all, by their numbers in the object
 */
record ElfObject(List<Section> sections, List<Symbol> symbols) {
  private static final int RELOCATABLE = 1;
  private static final int X86_64 = 62;

  private static final int PROGBITS = 1;
  private static final int SYMTAB = 2;
  private static final int RELA = 4;

  private static final long WRITABLE = 1;
  private static final long MAPPED = 2;
  private static final long EXECUTABLE = 4;
  private static final long THREAD_LOCAL = 0x400;

  private static final int UNDEFINED = 0;
  private static final int FIRST_RESERVED = 0xff00;
  private static final int ABSOLUTE = 0xfff1;

  private static final int LOCAL = 0;
  private static final int DEFAULT_VISIBILITY = 0;

  /** Distances of 32 bits, to a symbol and to a function wherever it is. */
  private static final int PC32 = 2;

  private static final int PLT32 = 4;

  /**
   * Bytes that a process maps.
   *
   * @param references to symbols, which are to be filled in
   */
  record Section(byte[] bytes, long align, boolean executable, List<Reference> references) {}

  /**
   * Four bytes at {@code at}: how far it is from there to {@code addend} past the symbol.
   *
   * @param symbol its number in the object
   */
  record Reference(int at, int symbol, long addend) {}

  /**
   * @param section the place of its section in {@link #sections}, or -1 if another object or a
   *     library defines the symbol, or if nothing refers to it
   * @param offset in the section, bytes
   * @param global whether other objects see the symbol
   * @param exported whether who opens the library sees it, too
   */
  record Symbol(
      String name,
      int section,
      long offset,
      long size,
      int type,
      boolean global,
      boolean exported) {
    boolean isDefined() {
      return section >= 0;
    }
  }

  /** The object in {@code bytes}; empty if it has anything that is not described here. */
  static Optional<ElfObject> read(byte[] bytes) {
    try {
      return new Reader(bytes).read();
    } catch (BufferUnderflowException | IndexOutOfBoundsException | IllegalArgumentException e) {
      return Optional.empty(); // not an object, or cut off
    }
  }

  private record Header(
      int type, long flags, int offset, int size, int link, int info, long align) {
    boolean isMapped() {
      return (flags & MAPPED) != 0;
    }
  }

  private static final class Reader {
    private final ByteBuffer in;
    private final List<Header> headers = new ArrayList<>();
    private final Map<Integer, Integer> numbers = new HashMap<>();
    private final List<Section> sections = new ArrayList<>();
    private final List<Symbol> symbols = new ArrayList<>();

    Reader(byte[] bytes) {
      in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    Optional<ElfObject> read() {
      boolean elf = in.getInt(0) == 0x464c457f && in.get(4) == 2 && in.get(5) == 1;
      if (!elf || in.getShort(16) != RELOCATABLE || in.getShort(18) != X86_64) {
        return Optional.empty();
      }
      int at = Math.toIntExact(in.getLong(40));
      int count = in.getShort(60);
      for (int number = 0; number < count; number++) {
        headers.add(header(at + 64 * number));
      }
      return mapped() && symbols() && references()
          ? Optional.of(new ElfObject(sections, symbols))
          : Optional.empty();
    }

    private Header header(int at) {
      return new Header(
          in.getInt(at + 4),
          in.getLong(at + 8),
          Math.toIntExact(in.getLong(at + 24)),
          Math.toIntExact(in.getLong(at + 32)),
          in.getInt(at + 40),
          in.getInt(at + 44),
          in.getLong(at + 48));
    }

    private boolean mapped() {
      for (int number = 0; number < headers.size(); number++) {
        Header header = headers.get(number);
        if (!header.isMapped()) {
          continue;
        }
        if (header.type() != PROGBITS || (header.flags() & (WRITABLE | THREAD_LOCAL)) != 0) {
          return false;
        }
        numbers.put(number, sections.size());
        byte[] bytes = new byte[header.size()];
        in.get(header.offset(), bytes);
        boolean executable = (header.flags() & EXECUTABLE) != 0;
        sections.add(
            new Section(bytes, Math.max(1, header.align()), executable, new ArrayList<>()));
      }
      return true;
    }

    private boolean symbols() {
      for (Header table : headers) {
        if (table.type() != SYMTAB) {
          continue;
        }
        int names = headers.get(table.link()).offset();
        for (int at = table.offset(); at < table.offset() + table.size(); at += 24) {
          int where = Short.toUnsignedInt(in.getShort(at + 6));
          if (where >= FIRST_RESERVED && where != ABSOLUTE) {
            return false;
          }
          boolean global = (in.get(at + 4) >> 4) != LOCAL;
          symbols.add(
              new Symbol(
                  text(names + in.getInt(at)),
                  where == UNDEFINED ? -1 : numbers.getOrDefault(where, -1),
                  in.getLong(at + 8),
                  in.getLong(at + 16),
                  in.get(at + 4) & 15,
                  global,
                  global && (in.get(at + 5) & 3) == DEFAULT_VISIBILITY));
        }
      }
      return true;
    }

    private boolean references() {
      for (Header table : headers) {
        Integer of = table.type() == RELA ? numbers.get(table.info()) : null;
        if (of == null) {
          continue;
        }
        for (int at = table.offset(); at < table.offset() + table.size(); at += 24) {
          int type = in.getInt(at + 8);
          if (type != PC32 && type != PLT32) {
            return false;
          }
          sections
              .get(of)
              .references()
              .add(
                  new Reference(
                      Math.toIntExact(in.getLong(at)), in.getInt(at + 12), in.getLong(at + 16)));
        }
      }
      return true;
    }

    private String text(int at) {
      int end = at;
      while (in.get(end) != 0) {
        end++;
      }
      byte[] bytes = new byte[end - at];
      in.get(at, bytes);
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }
}
