package org.weft.compiler.lang;

/** A lexical token and where it stands. */
record Token(Kind kind, SourceSpan span) {
  /** Token kinds; the text is how a message names the kind. */
  enum Kind {
    NAME("a name"),
    NUMBER("a number"),
    LEFT_PARENTHESIS("'('"),
    RIGHT_PARENTHESIS("')'"),
    LEFT_BRACKET("'['"),
    RIGHT_BRACKET("']'"),
    LEFT_BRACE("'{'"),
    RIGHT_BRACE("'}'"),
    LESS("'<'"),
    GREATER("'>'"),
    COMMA("','"),
    COLON("':'"),
    QUESTION("'?'"),
    AT("'@'"),
    PIPE("'|'"),
    AMPERSAND("'&'"),
    SLASH("'/'"),
    PERCENT("'%'"),
    STRING("a text in quotes"),
    SEMICOLON("';'"),
    PLUS("'+'"),
    MINUS("'-'"),
    STAR("'*'"),
    DOT_STAR("'.*'"),
    ASSIGN("'='"),
    PLUS_ASSIGN("'+='"),
    MINUS_ASSIGN("'-='"),
    NOT("'!'"),
    UNKNOWN("an unknown character"),
    END("the end of the text");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }
  }

  String text() {
    return span.text();
  }

  /** The token as a message quotes it. */
  String found() {
    return kind == Kind.END ? kind.text() : "'" + text() + "'";
  }
}
