#include "text.h"

#include <emmintrin.h>
#include <string.h>

#ifdef __clang__
#define WEFT_UNROLL _Pragma("clang loop unroll(full)")
#else
#define WEFT_UNROLL
#endif

namespace weft {
namespace {

constexpr int most_fixed_order = 5;
constexpr int64_t chunk = 8192;
constexpr int coordinate_digits = 18; /* every number of so many digits fits */
constexpr int significant_digits = 19;
constexpr int least_power = -342;
constexpr int greatest_power = 308;
constexpr int exact_powers = 23;
constexpr int exponent_cap = 100000;
constexpr int64_t exact_integer = int64_t{1} << 53;
constexpr int first_column = 15;

constexpr double tens[exact_powers] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

enum Outcome { all_read = 0, no_room = 1, left_to_caller = 2 };

enum Field { real = 0, integer = 1, pattern = 2, exact = 3 };

struct Power {
  uint64_t high;
  uint64_t low;
};

bool is_blank(char c) { return c == ' ' || (c >= 9 && c <= 13 && c != '\n'); }

bool ends_token(char c) { return c == ' ' || (c >= 9 && c <= 13); }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* A carriage return is a blank in front of a line feed alone: elsewhere the line is the caller's. */
const char *skip_blanks(const char *p) {
  while (is_blank(*p) && (*p != '\r' || p[1] == '\n')) p++;
  return p;
}

/* The digits at the beginning of eight bytes. */
struct Digits {
  uint64_t values; /* a digit in each byte, up to the first byte that is none */
  int count;

  explicit Digits(const char *p) {
    uint64_t bytes;
    memcpy(&bytes, p, sizeof bytes);
    values = bytes ^ 0x3030303030303030u;
    /* The lowest marked byte is right; a carry can only mark bytes above one that is no digit. */
    uint64_t other = ((values + 0x7676767676767676u) | values) & 0x8080808080808080u;
    count = other == 0 ? 8 : __builtin_ctzll(other) / 8;
  }

  /* Their number; count > 0. Pairs, then fours, then eight digits at once. */
  uint64_t number() const {
    uint64_t d = values << (64 - 8 * count);
    d = d * 10 + (d >> 8);
    return (((d & 0x000000FF000000FFu) * 0x000F424000000064u) +
            ((d >> 16 & 0x000000FF000000FFu) * 0x0000271000000001u)) >>
           32;
  }
};

/* Reads digits on, up to `most` with those that went before; null if there are more. */
const char *more_digits(const char *p, uint64_t *number, int *count, int most) {
  while (is_digit(*p)) {
    if (++*count > most) return nullptr;
    *number = *number * 10 + static_cast<uint64_t>(*p - '0');
    p++;
  }
  return p;
}

/* A coordinate as the file has it, of 18 digits at most; null if it is something else. */
inline const char *coordinate(const char *p, uint64_t *number) {
  Digits digits(p);
  if (__builtin_expect(digits.count == 0, 0)) return nullptr;
  *number = digits.number();
  p += digits.count;
  if (__builtin_expect(digits.count == 8, 0)) {
    int count = 8;
    p = more_digits(p, number, &count, coordinate_digits);
  }
  return p;
}

/* The double nearest to significand * 10^power, by the method of Eisel and Lemire (D. Lemire,
 * Number parsing at a gigabyte per second, Software: Practice and Experience 51, 2021). False where
 * it cannot tell, and for results that are not normal numbers. */
bool nearest(uint64_t significand, int power, const Power *powers, double *result) {
  if (significand == 0) {
    *result = 0;
    return true;
  }
  if (power < least_power || power > greatest_power) return false;
  int zeros = __builtin_clzll(significand);
  significand <<= zeros;
  const Power &five = powers[power - least_power];
  using uint128 = unsigned __int128;
  uint128 product = static_cast<uint128>(significand) * five.high;
  if ((static_cast<uint64_t>(product >> 64) & 0x1FF) == 0x1FF) {
    product += static_cast<uint64_t>(static_cast<uint128>(significand) * five.low >> 64);
  }
  uint64_t high = static_cast<uint64_t>(product >> 64);
  uint64_t low = static_cast<uint64_t>(product);
  if (low == ~uint64_t{0} && (power < -27 || power > 55)) return false;
  int upper = static_cast<int>(high >> 63);
  int shift = upper + 64 - 52 - 3;
  uint64_t mantissa = high >> shift;
  /* floor(power log2(10)), exact in this range. */
  int exponent = ((217706 * power) >> 16) + 63 + upper - zeros + 1023;
  if (exponent <= 0) return false;
  /* Halfway between two doubles: to the even one. */
  if (low <= 1 && power >= -4 && power <= 23 && (mantissa & 3) == 1 && mantissa << shift == high) {
    mantissa &= ~uint64_t{1};
  }
  mantissa = (mantissa + (mantissa & 1)) >> 1;
  if (mantissa >= uint64_t{1} << 53) {
    mantissa = uint64_t{1} << 52;
    exponent++;
  }
  if (exponent >= 0x7FF) return false;
  uint64_t bits = (mantissa & ((uint64_t{1} << 52) - 1)) | static_cast<uint64_t>(exponent) << 52;
  memcpy(result, &bits, sizeof bits);
  return true;
}

/* Any decimal number; null if it is none, has more than 19 significant digits, or is not finite. */
const char *any_real(const char *p, const Power *powers, double *value) {
  bool negative = *p == '-';
  if (negative || *p == '+') p++;
  const char *first = p;
  while (*p == '0') p++;
  int zeros = static_cast<int>(p - first > 0);
  uint64_t significand = 0;
  int count = 0;
  int power = 0;
  p = more_digits(p, &significand, &count, significant_digits);
  if (p == nullptr) return nullptr;
  if (*p == '.') {
    const char *fraction = ++p;
    if (count == 0) {
      while (*p == '0') p++;
      zeros += static_cast<int>(p - fraction > 0);
    }
    p = more_digits(p, &significand, &count, significant_digits);
    if (p == nullptr || p - fraction > exponent_cap) return nullptr;
    power = -static_cast<int>(p - fraction);
  }
  if (count + zeros == 0) return nullptr;
  if ((*p | 0x20) == 'e') {
    p++;
    bool down = *p == '-';
    if (down || *p == '+') p++;
    if (!is_digit(*p)) return nullptr;
    int exponent = 0;
    for (; is_digit(*p); p++) {
      if (exponent < exponent_cap) exponent = exponent * 10 + (*p - '0');
    }
    power += down ? -exponent : exponent;
  }
  if (!ends_token(*p)) return nullptr;
  double magnitude;
  if (significand <= exact_integer && power > -exact_powers && power < exact_powers) {
    /* Both operands are exact, so the quotient is rounded once (Clinger, PLDI 1990). */
    magnitude = static_cast<double>(static_cast<int64_t>(significand));
    magnitude = power < 0 ? magnitude / tens[-power] : magnitude * tens[power];
  } else if (!nearest(significand, power, powers, &magnitude)) {
    return nullptr;
  }
  *value = negative ? -magnitude : magnitude;
  return p;
}

/* The usual number, of at most 7 digits before the point and 7 behind it; the rest is any_real's. */
inline const char *real_number(const char *p, const Power *powers, double *value) {
  const char *at = p + (*p == '-');
  Digits whole(at);
  if (__builtin_expect(whole.count == 0 || whole.count == 8, 0)) return any_real(p, powers, value);
  uint64_t significand = whole.number();
  at += whole.count;
  double magnitude;
  if (*at == '.') {
    Digits fraction(++at);
    if (__builtin_expect(fraction.count == 0 || fraction.count == 8, 0)) {
      return any_real(p, powers, value);
    }
    at += fraction.count;
    constexpr uint64_t whole_tens[8] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    significand = significand * whole_tens[fraction.count] + fraction.number();
    magnitude = static_cast<double>(static_cast<int64_t>(significand)) / tens[fraction.count];
  } else {
    magnitude = static_cast<double>(static_cast<int64_t>(significand));
  }
  if (__builtin_expect(!ends_token(*at), 0)) return any_real(p, powers, value);
  *value = *p == '-' ? -magnitude : magnitude;
  return at;
}

/* An integer of at most 18 digits. */
const char *exact_number(const char *p, int64_t *value) {
  bool negative = *p == '-';
  if (negative || *p == '+') p++;
  uint64_t number = 0;
  int count = 0;
  p = more_digits(p, &number, &count, coordinate_digits);
  if (p == nullptr || count == 0) return nullptr;
  int64_t magnitude = static_cast<int64_t>(number);
  *value = negative ? -magnitude : magnitude;
  return p;
}

/* As above, as a double, which may round it. */
const char *integer_number(const char *p, double *value) {
  bool negative = *p == '-';
  int64_t number = 0;
  p = exact_number(p, &number);
  double magnitude = static_cast<double>(negative ? -number : number);
  *value = negative ? -magnitude : magnitude;
  return p;
}

struct Column {
  char *data;
  int64_t bytes;
  int64_t last;
  int64_t found;
};

struct Lines {
  int64_t *args;
  const char *end;
  int64_t order;
  int64_t field;
  int64_t mirror;
  char comment;
  char other_comment;
  int64_t base;
  int64_t room;
  double *values;
  const Power *powers;
  double largest;

  explicit Lines(int64_t *a)
      : args(a),
        end(reinterpret_cast<const char *>(a[2])),
        order(a[3]),
        field(a[4]),
        mirror(a[5]),
        comment(static_cast<char>(a[6])),
        other_comment(static_cast<char>(a[6] >> 8)),
        base(a[7]),
        room(a[9] - (a[5] != 0)),
        values(reinterpret_cast<double *>(a[12])),
        powers(reinterpret_cast<const Power *>(a[13])) {
    memcpy(&largest, a + 14, sizeof largest);
  }

  Column column(int64_t m) const {
    const int64_t *at = args + first_column + 4 * m;
    return {reinterpret_cast<char *>(at[0]), at[1], at[2], at[3]};
  }

  void store(int64_t m, int64_t entry, int64_t coordinate) const {
    const int64_t *at = args + first_column + 4 * m;
    if (at[1] == 4) {
      reinterpret_cast<int32_t *>(at[0])[entry] = static_cast<int32_t>(coordinate);
    } else {
      reinterpret_cast<int64_t *>(at[0])[entry] = coordinate;
    }
  }

  int64_t load(int64_t m, int64_t entry) const {
    const int64_t *at = args + first_column + 4 * m;
    return at[1] == 4 ? reinterpret_cast<const int32_t *>(at[0])[entry]
                      : reinterpret_cast<const int64_t *>(at[0])[entry];
  }

  /* Adds the mirror image of entry `entry` behind it; 1 if it has one, -1 if the entry is wrong. */
  int mirrored(int64_t entry) const {
    int64_t row = load(0, entry);
    int64_t column = load(1, entry);
    if (row == column) return mirror < 0 ? -1 : 0;
    int64_t *first = args + first_column;
    int64_t *second = first + 4;
    int64_t most = row > column ? row : column;
    if ((first[1] == 4 || second[1] == 4) && most > INT32_MAX) return -1;
    if (column > first[3]) first[3] = column;
    if (row > second[3]) second[3] = row;
    store(0, entry + 1, column);
    store(1, entry + 1, row);
    if (field == exact) {
      int64_t number;
      memcpy(&number, values + entry, sizeof number);
      number = mirror < 0 ? -number : number;
      memcpy(values + entry + 1, &number, sizeof number);
    } else {
      values[entry + 1] = mirror < 0 ? -values[entry] : values[entry];
    }
    return 1;
  }

  bool is_held(double value) const { return __builtin_fabs(value) <= largest; }

  const char *value(const char *p, double *into) const {
    if (field == real || field == integer) {
      p = field == real ? real_number(p, powers, into) : integer_number(p, into);
      return p == nullptr || is_held(*into) ? p : nullptr;
    }
    if (field == exact) {
      int64_t number = 0;
      p = exact_number(p, &number);
      memcpy(into, &number, sizeof number);
      return p;
    }
    *into = 1;
    return p;
  }
};

/* Reads one line, whatever it holds. */
struct LineReader {
  explicit LineReader(const Lines &lines)
      : lines(lines), size(lines.args[8]), records(lines.args[10]), count(lines.args[11]) {}

  /* Reads the line at p; null if it is the caller's. */
  const char *line(const char *p) {
    p = skip_blanks(p);
    if (*p == lines.comment || *p == lines.other_comment) {
      const char *feed =
          static_cast<const char *>(memchr(p, '\n', static_cast<size_t>(lines.end - p)));
      const char *carriage =
          static_cast<const char *>(memchr(p, '\r', static_cast<size_t>(feed - p)));
      if (carriage != nullptr && carriage + 1 != feed) return nullptr;
      p = feed;
    }
    if (*p == '\n') {
      count++;
      return p + 1;
    }
    uint64_t number;
    for (int64_t m = 0; m < lines.order; m++) {
      p = coordinate(p, &number);
      if (p == nullptr || !ends_token(*p)) return nullptr;
      int64_t at = static_cast<int64_t>(number) - lines.base;
      int64_t *column = lines.args + first_column + 4 * m;
      if (at < 0 || at > column[2]) return nullptr;
      lines.store(m, size, at);
      p = skip_blanks(p);
    }
    p = lines.value(p, lines.values + size);
    if (p == nullptr) return nullptr;
    p = skip_blanks(p);
    if (*p != '\n') return nullptr;
    int more = lines.mirror == 0 ? 0 : lines.mirrored(size);
    if (more < 0) return nullptr;
    for (int64_t m = 0; m < lines.order; m++) {
      int64_t *column = lines.args + first_column + 4 * m;
      int64_t at = lines.load(m, size);
      if (at > column[3]) column[3] = at;
    }
    size += 1 + more;
    records++;
    count++;
    return p + 1;
  }

  bool full() const { return size >= lines.room; }

  Outcome finish(Outcome outcome, const char *next) const {
    lines.args[1] = reinterpret_cast<int64_t>(next);
    lines.args[8] = size;
    lines.args[10] = records;
    lines.args[11] = count;
    return outcome;
  }

  const Lines &lines;
  int64_t size;
  int64_t records;
  int64_t count;
};

Outcome parse_any(const Lines &lines) {
  LineReader reader(lines);
  const char *p = reinterpret_cast<const char *>(lines.args[1]);
  while (p < lines.end) {
    if (reader.full()) return reader.finish(no_room, p);
    const char *next = reader.line(p);
    if (next == nullptr) return reader.finish(left_to_caller, p);
    p = next;
  }
  return reader.finish(all_read, p);
}

/* Where the white space and control characters of 64 bytes are, a bit for each. */
inline uint64_t separators(const char *p) {
  const __m128i space = _mm_set1_epi8(' ');
  uint64_t mask = 0;
  for (int i = 0; i < 4; i++) {
    __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i *>(p + 16 * i));
    __m128i found = _mm_cmpeq_epi8(_mm_min_epu8(bytes, space), bytes);
    mask |= static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(found))) << (16 * i);
  }
  return mask;
}

/* The places of all separators in n bytes, n a multiple of 64; `into` has room for n + 8. */
int64_t find_separators(const char *p, int64_t n, uint32_t *into) {
  uint32_t *out = into;
  for (int64_t i = 0; i < n; i += 64) {
    uint64_t mask = separators(p + i);
    int found = __builtin_popcountll(mask);
    uint32_t *next = out + found;
    uint32_t base = static_cast<uint32_t>(i);
    /* Eight at once, needed or not, cost less than a loop that nobody can predict. */
    for (int more = found; more > 0; more -= 8) {
WEFT_UNROLL
      for (int k = 0; k < 8; k++) {
        out[k] = base + static_cast<uint32_t>(__builtin_ctzll(mask | uint64_t{1} << 63));
        mask &= mask - 1;
      }
      out += 8;
    }
    out = next;
  }
  return out - into;
}

/* A token of 1 to 8 digits between separators: its number, and bits in `bad` if it is none. */
inline int64_t token_number(const char *p, uint32_t length, uint64_t *bad) {
  uint64_t bytes;
  memcpy(&bytes, p, sizeof bytes);
  uint64_t d = (bytes ^ 0x3030303030303030u) << (-8 * length & 63);
  *bad |= ((d + 0x7676767676767676u) | d) & 0x8080808080808080u;
  *bad |= length - 1 > 7;
  d = d * 10 + (d >> 8);
  return static_cast<int64_t>((((d & 0x000000FF000000FFu) * 0x000F424000000064u) +
                               ((d >> 16 & 0x000000FF000000FFu) * 0x0000271000000001u)) >>
                              32);
}

/* A token of up to 8 bytes behind its sign, digits with or without a point among them; bits in `bad`
 * if it is something else. */
inline double token_decimal(const char *p, uint32_t length, uint64_t *bad) {
  bool negative = *p == '-';
  p += negative;
  length -= negative;
  uint64_t bytes;
  memcpy(&bytes, p, sizeof bytes);
  uint64_t d = bytes ^ 0x3030303030303030u;
  uint64_t other = d ^ 0x1E1E1E1E1E1E1E1Eu; /* '.' ^ '0' */
  uint64_t points = (other - 0x0101010101010101u) & ~other & 0x8080808080808080u;
  uint32_t whole = points == 0 ? 8 : static_cast<uint32_t>(__builtin_ctzll(points)) >> 3;
  bool point = whole < length;
  uint64_t before = point ? (uint64_t{1} << (8 * (whole & 7))) - 1 : ~uint64_t{0};
  d = (d & before) | (d >> 8 & ~before); /* without the point */
  uint32_t digits = length - point;
  uint32_t fraction = point ? digits - whole : 0;
  d <<= -8 * digits & 63;
  *bad |= ((d + 0x7676767676767676u) | d) & 0x8080808080808080u;
  *bad |= (length > 8) | (digits - 1 > 7);
  d = d * 10 + (d >> 8);
  uint64_t number = (((d & 0x000000FF000000FFu) * 0x000F424000000064u) +
                     ((d >> 16 & 0x000000FF000000FFu) * 0x0000271000000001u)) >>
                    32;
  double value = static_cast<double>(static_cast<int64_t>(number)) / tens[fraction & 7];
  return negative ? -value : value;
}

/* Lines with 4-byte columns. The separators of a piece of text are found first; a line with one
 * blank between its tokens, none of them long, is then read without a branch that depends on its
 * digits. LineReader reads the others. */
template <int order>
class PieceReader {
 public:
  explicit PieceReader(const Lines &lines) : lines(lines), reader(lines) {
    for (int m = 0; m < order; m++) {
      Column column = lines.column(m);
      columns[m] = reinterpret_cast<int32_t *>(column.data);
      last[m] = column.last;
      found[m] = column.found;
    }
  }

  Outcome read() {
    const char *p = reinterpret_cast<const char *>(lines.args[1]);
    Outcome outcome = all_read;
    while (p < lines.end && outcome == all_read) outcome = piece(p);
    for (int m = 0; m < order; m++) {
      int64_t *column = lines.args + first_column + 3 + 4 * m;
      if (found[m] > *column) *column = found[m];
    }
    return reader.finish(outcome, p);
  }

 private:
  /* Reads lines from p on, one at least, as far as the separators of the piece show them. */
  Outcome piece(const char *&p) {
    int64_t left = (lines.end - p) & ~int64_t{63};
    const char *text = p;
    int64_t count = find_separators(p, left < chunk ? left : chunk, places);
    int64_t k = 0;
    do {
      p = text + usual_lines(text, static_cast<uint32_t>(p - text), &k, count);
      if (p > text && k + order + 1 >= count) return all_read;
      if (reader.full()) return no_room;
      const char *next = reader.line(p);
      if (next == nullptr) return left_to_caller;
      p = next;
      while (k < count && places[k] < p - text) k++;
    } while (k + order + 1 < count);
    return all_read;
  }

  /* Reads lines from place `from` on, whose first separator is number *k, up to one that is not
   * usual. Returns where that starts. */
  uint32_t usual_lines(const char *text, uint32_t from, int64_t *first, int64_t count) {
    int64_t size = reader.size;
    int64_t k = *first;
    if (lines.field != real) return from;
    for (; k + order + 1 < count && size < lines.room; k += order + 1) {
      uint64_t bad = 0;
      uint32_t token = from;
      int64_t at[order];
WEFT_UNROLL
      for (int m = 0; m < order; m++) {
        uint32_t end = places[k + m];
        at[m] = token_number(text + token, end - token, &bad) - lines.base;
        bad |= at[m] < 0 || at[m] > last[m];
        bad |= text[end] != ' ' && text[end] != '\t';
        columns[m][size] = static_cast<int32_t>(at[m]);
        token = end + 1;
      }
      uint32_t end = places[k + order];
      uint64_t unusual = 0;
      double value = token_decimal(text + token, end - token, &unusual);
      bool carriage = text[end] == '\r' && places[k + order + 1] == end + 1;
      bad |= text[end + carriage] != '\n';
      if (__builtin_expect(bad != 0, 0)) break;
      if (__builtin_expect(unusual != 0, 0)) {
        const char *after = real_number(text + token, lines.powers, &value);
        if (after != text + end || !lines.is_held(value)) break;
      }
      lines.values[size] = value;
WEFT_UNROLL
      for (int m = 0; m < order; m++) found[m] = at[m] > found[m] ? at[m] : found[m];
      size++;
      from = end + carriage + 1;
      k += carriage;
    }
    reader.records += size - reader.size;
    reader.count += size - reader.size;
    reader.size = size;
    *first = k;
    return from;
  }

  const Lines &lines;
  LineReader reader;
  int32_t *columns[order];
  int64_t last[order];
  int64_t found[order];
  uint32_t places[chunk + 16];
};

/* Whether coordinates of every mode fit 4 bytes, and the order is one with code of its own. */
bool is_usual(const Lines &lines) {
  if (lines.order > most_fixed_order || lines.mirror != 0) return false;
  for (int64_t m = 0; m < lines.order; m++) {
    if (lines.column(m).bytes != 4) return false;
  }
  return true;
}

}  // namespace

void parse_lines(int64_t *args) {
  Lines lines(args);
  switch (is_usual(lines) ? lines.order : 0) {
    case 1: args[0] = PieceReader<1>(lines).read(); break;
    case 2: args[0] = PieceReader<2>(lines).read(); break;
    case 3: args[0] = PieceReader<3>(lines).read(); break;
    case 4: args[0] = PieceReader<4>(lines).read(); break;
    case 5: args[0] = PieceReader<5>(lines).read(); break;
    default: args[0] = parse_any(lines); break;
  }
}

}  // namespace weft
