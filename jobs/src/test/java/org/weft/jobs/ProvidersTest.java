package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Collections;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.compiler.level.LevelEmitter;
import org.weft.memory.PageAdvice;
import org.weft.service.Providers;
import org.weft.storage.TensorFileFormat;
import org.weft.tensor.RecordSteps;
import org.weft.tensor.level.LevelFormat;

/** What {@link Providers} counts on in a process with Weft's class path alone. */
class ProvidersTest {
  @ParameterizedTest
  @ValueSource(
      classes = {
        LevelFormat.class,
        LevelEmitter.class,
        PageAdvice.class,
        RecordSteps.class,
        TensorFileFormat.class
      })
  void oneModuleListsTheImplementationsOfAnInterface(Class<?> service) throws IOException {
    String list = "META-INF/services/" + service.getName();
    assertThat(Collections.list(service.getClassLoader().getResources(list))).hasSize(1);
    assertThat(Providers.of(service)).isNotEmpty();
  }
}
