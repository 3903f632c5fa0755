package org.weft.compiler.elf;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A shared library in the making, after chapters 4 and 5 of the System V ABI and of its AMD64
 * supplement. It has three parts that a process maps: tables of the loader and constants; code; and
 * addresses of what it imports, which are read-only after the loader has filled them in.
 *
 * <pre>
 *   offset 0         names, symbols, constants   read
 *   offset + 1 page  code, stubs                 execute
 *   offset + 2 pages dynamic section, addresses  write, then read
 * </pre>
 *
 * <p>In the file the parts lie side by side; in memory each is a page further than in the file, so
 * that no page has two of them.
 */
final class ElfLibrary {
  private static final String LIBC = "libc.so.6";

  private static final int PAGE = 4096;
  private static final int HEADER_BYTES = 64;
  private static final int SEGMENTS = 6;
  private static final int SEGMENT_BYTES = 56;
  private static final int SYMBOL_BYTES = 24;
  private static final int RELOCATION_BYTES = 24;
  private static final int CACHE_LINE = 64;

  /** A call of an import goes to a stub, which jumps to the import's address. */
  private static final int STUB_BYTES = 16;

  /** The parts, by the pages that they are further in memory than in the file. */
  private static final int TABLES = 0;

  private static final int CODE = 1;
  private static final int ADDRESSES = 2;

  /** Who may do what with a segment. */
  private static final int READ = 4;

  private static final int READ_WRITE = 6;
  private static final int READ_EXECUTE = 5;

  /** Kinds of segments. */
  private static final int LOAD = 1;

  private static final int DYNAMIC = 2;
  private static final int GNU_STACK = 0x6474e551;
  private static final int GNU_RELRO = 0x6474e552;

  /** Entries of the dynamic section. */
  private static final int NEEDED = 1;

  private static final int HASH = 4;
  private static final int STRTAB = 5;
  private static final int SYMTAB = 6;
  private static final int RELA = 7;
  private static final int RELASZ = 8;
  private static final int RELAENT = 9;
  private static final int STRSZ = 10;
  private static final int SYMENT = 11;
  private static final int FLAGS = 30;
  private static final int FLAGS_1 = 0x6ffffffb;

  /** A symbol that all see, bound at once; and the relocation that stores its address. */
  private static final int GLOBAL = 1;

  private static final int FUNCTION = 2;
  private static final int BIND_NOW = 8;
  private static final int NOW = 1;
  private static final int GLOB_DAT = 6;

  private final List<ElfObject> objects;
  private final Map<String, ElfLinker.Definition> globals;
  private final List<String> imports;
  private final List<ElfLinker.Definition> exports;

  /** Addresses of the sections of every object. */
  private final List<long[]> sections = new ArrayList<>();

  private final List<long[]> dynamic = new ArrayList<>();
  private long stubs;
  private long addresses;

  ElfLibrary(
      List<ElfObject> objects, Map<String, ElfLinker.Definition> globals, List<String> imports) {
    this.objects = objects;
    this.globals = globals;
    this.imports = imports;
    exports = globals.values().stream().filter(g -> g.symbol().exported()).toList();
    objects.forEach(object -> sections.add(new long[object.sections().size()]));
  }

  byte[] bytes() {
    List<Integer> names = new ArrayList<>();
    byte[] text = names(names);
    int symbols = 1 + imports.size() + exports.size();
    long symbolsAt = HEADER_BYTES + SEGMENTS * SEGMENT_BYTES;
    long relocationsAt = symbolsAt + (long) symbols * SYMBOL_BYTES;
    long hashAt = relocationsAt + (long) imports.size() * RELOCATION_BYTES;
    long namesAt = hashAt + 4L * (2 + 1 + symbols);
    long tablesEnd = placeSections(false, namesAt + text.length);
    long codeAt = aligned(tablesEnd, CACHE_LINE) + CODE * PAGE;
    stubs = aligned(placeSections(true, codeAt), STUB_BYTES);
    long codeEnd = stubs + (long) imports.size() * STUB_BYTES;
    long dynamicAt = aligned(codeEnd, STUB_BYTES) + (ADDRESSES - CODE) * PAGE;

    dynamic(HASH, hashAt);
    dynamic(STRTAB, namesAt);
    dynamic(STRSZ, text.length);
    dynamic(SYMTAB, symbolsAt);
    dynamic(SYMENT, SYMBOL_BYTES);
    if (!imports.isEmpty()) {
      dynamic(NEEDED, names.get(0));
      dynamic(RELA, relocationsAt);
      dynamic(RELASZ, (long) imports.size() * RELOCATION_BYTES);
      dynamic(RELAENT, RELOCATION_BYTES);
    }
    dynamic(FLAGS, BIND_NOW);
    dynamic(FLAGS_1, NOW);
    dynamic(0, 0);
    addresses = dynamicAt + 16L * dynamic.size();
    long end = addresses + 8L * imports.size();

    ByteBuffer out =
        ByteBuffer.allocate(Math.toIntExact(end - ADDRESSES * PAGE)).order(ByteOrder.LITTLE_ENDIAN);
    header(out);
    segment(out, LOAD, READ, TABLES, 0, tablesEnd, tablesEnd);
    segment(out, LOAD, READ_EXECUTE, CODE, codeAt, codeEnd, codeEnd);
    segment(out, LOAD, READ_WRITE, ADDRESSES, dynamicAt, end, aligned(end, PAGE));
    segment(out, DYNAMIC, READ_WRITE, ADDRESSES, dynamicAt, addresses, addresses);
    segment(out, GNU_RELRO, READ, ADDRESSES, dynamicAt, end, aligned(end, PAGE));
    segment(out, GNU_STACK, READ_WRITE, TABLES, 0, 0, 0);
    symbols(out, names);
    for (int number = 0; number < imports.size(); number++) {
      out.putLong(addresses + 8L * number).putInt(GLOB_DAT).putInt(1 + number).putLong(0);
    }
    // One chain of all symbols: there are few, and each is looked up once.
    out.putInt(1).putInt(symbols).putInt(symbols - 1);
    for (int number = 0; number < symbols; number++) {
      out.putInt(Math.max(0, number - 1));
    }
    out.put(text);
    sections(out);
    stubs(out);
    out.position(Math.toIntExact(dynamicAt - ADDRESSES * PAGE));
    dynamic.forEach(entry -> out.putLong(entry[0]).putLong(entry[1]));
    return out.array();
  }

  /** Names that end with a 0; and their places: that of libc, of imports, of exports. */
  private byte[] names(List<Integer> places) {
    List<String> names = new ArrayList<>();
    names.add(LIBC);
    names.addAll(imports);
    exports.forEach(export -> names.add(export.symbol().name()));
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    text.write(0);
    for (String name : names) {
      places.add(text.size());
      text.writeBytes(name.getBytes(StandardCharsets.UTF_8));
      text.write(0);
    }
    return text.toByteArray();
  }

  private void dynamic(long tag, long value) {
    dynamic.add(new long[] {tag, value});
  }

  private static long aligned(long at, long align) {
    return (at + align - 1) / align * align;
  }

  /** Gives code or constants their addresses from {@code from} on; where they end. */
  private long placeSections(boolean executable, long from) {
    long end = from;
    for (int object = 0; object < objects.size(); object++) {
      List<ElfObject.Section> own = objects.get(object).sections();
      for (int number = 0; number < own.size(); number++) {
        if (own.get(number).executable() == executable) {
          long at = aligned(end, own.get(number).align());
          sections.get(object)[number] = at;
          end = at + own.get(number).bytes().length;
        }
      }
    }
    return end;
  }

  private static void header(ByteBuffer out) {
    out.putInt(0x464c457f); // 0x7f "ELF"
    out.put((byte) 2).put((byte) 1).put((byte) 1); // 64 bits, little-endian, version 1
    out.position(16);
    out.putShort((short) 3).putShort((short) 62).putInt(1); // a shared library for x86-64
    out.putLong(0).putLong(HEADER_BYTES).putLong(0); // no entry; segments; no sections
    out.putInt(0).putShort((short) HEADER_BYTES);
    out.putShort((short) SEGMENT_BYTES).putShort((short) SEGMENTS);
    out.putShort((short) 64).putShort((short) 0).putShort((short) 0);
  }

  /** What of the file goes where in memory: from {@code at} to {@code end}, zeros to {@code to}. */
  private static void segment(
      ByteBuffer out, int kind, int rights, int part, long at, long end, long to) {
    out.putInt(kind).putInt(rights);
    out.putLong(at - (long) part * PAGE).putLong(at).putLong(at);
    out.putLong(end - at).putLong(to - at).putLong(kind == LOAD ? PAGE : 8);
  }

  private void symbols(ByteBuffer out, List<Integer> names) {
    out.position(out.position() + SYMBOL_BYTES); // the first is none
    for (int number = 0; number < imports.size(); number++) {
      out.putInt(names.get(1 + number)).put((byte) (GLOBAL << 4 | FUNCTION)).put((byte) 0);
      out.putShort((short) 0).putLong(0).putLong(0);
    }
    for (int number = 0; number < exports.size(); number++) {
      ElfObject.Symbol symbol = exports.get(number).symbol();
      out.putInt(names.get(1 + imports.size() + number));
      out.put((byte) (GLOBAL << 4 | symbol.type())).put((byte) 0);
      out.putShort((short) 1); // defined somewhere
      out.putLong(address(exports.get(number))).putLong(symbol.size());
    }
  }

  private long address(ElfLinker.Definition definition) {
    ElfObject.Symbol symbol = definition.symbol();
    return sections.get(definition.object())[symbol.section()] + symbol.offset();
  }

  /** Code and constants, with all distances filled in. */
  private void sections(ByteBuffer out) {
    for (int object = 0; object < objects.size(); object++) {
      List<ElfObject.Section> own = objects.get(object).sections();
      for (int number = 0; number < own.size(); number++) {
        ElfObject.Section section = own.get(number);
        long address = sections.get(object)[number];
        int at = Math.toIntExact(address - (section.executable() ? CODE : TABLES) * PAGE);
        out.position(at).put(section.bytes());
        for (ElfObject.Reference reference : section.references()) {
          long target = target(object, objects.get(object).symbols().get(reference.symbol()));
          long distance = target + reference.addend() - (address + reference.at());
          out.putInt(at + reference.at(), Math.toIntExact(distance));
        }
      }
    }
  }

  private long target(int object, ElfObject.Symbol symbol) {
    if (symbol.isDefined()) {
      return address(new ElfLinker.Definition(object, symbol));
    }
    ElfLinker.Definition elsewhere = globals.get(symbol.name());
    return elsewhere != null
        ? address(elsewhere)
        : stubs + (long) imports.indexOf(symbol.name()) * STUB_BYTES;
  }

  /** {@code jmp *address(%rip)} for every import. */
  private void stubs(ByteBuffer out) {
    for (int number = 0; number < imports.size(); number++) {
      long stub = stubs + (long) number * STUB_BYTES;
      long next = stub + 6;
      out.position(Math.toIntExact(stub - CODE * PAGE));
      out.put((byte) 0xff).put((byte) 0x25);
      out.putInt(Math.toIntExact(addresses + 8L * number - next));
    }
  }
}
