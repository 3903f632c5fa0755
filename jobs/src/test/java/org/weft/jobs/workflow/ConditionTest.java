package org.weft.jobs.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.storage.file.FileAccess;

final class ConditionTest {
  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          missing D/none                              | ""
          exists D/none                               | D/none is missing
          missing D/f.json                            | D/f.json exists
          D/f.json#/drift <= 0.2                      | D/f.json#/drift is 0.5
          D/f.json#/drift > 0.2                       | ""
          D/f.json#/other > 1                         | D/f.json#/other has no value
          D/none#/drift > 1                           | D/none#/drift has no value
          0.2 < D/f.json#/name                        | ""
          2 < 1                                       | 2 < 1 is false
          D/f.json#/drift == D/f.json#/name           | D/f.json#/drift is 0.5 and D/f.json#/name is x
          exists D/f.json and D/f.json#/drift < 0.2   | D/f.json#/drift is 0.5
          exists D/none and D/f.json#/drift < 0.2     | D/none is missing
          exists D/none or missing D/f.json           | D/none is missing, and D/f.json exists
          exists D/none or exists D/f.json            | ""
          """)
  void unmet(String text, String why) throws Exception {
    Files.writeString(folder.resolve("f.json"), "{\"drift\": 0.5, \"name\": \"x\"}");
    Condition condition = Condition.parse(text.replace("D/", folder + "/"));

    String found = condition.unmet(FileAccess.local()).orElse("");

    String expected = why.isEmpty() ? "" : text + " does not hold: " + why;
    assertThat(found).isEqualTo(expected.replace("D/", folder + "/"));
  }
}
