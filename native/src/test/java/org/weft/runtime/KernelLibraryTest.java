package org.weft.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.runtime.TensorParameter.Role;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;

class KernelLibraryTest {
  private static byte[] bytes;

  @BeforeAll
  static void compile() {
    bytes = CLibrary.compile("#include <stdint.h>\nvoid answer(int64_t *args) { args[0] = 42; }");
  }

  private static KernelImage image(String cpu) {
    return KernelImage.of(bytes, "answers", cpu, List.of());
  }

  @Test
  void opensOncePerIdentity() {
    try (KernelLibrary first = KernelLibrary.open(image("x86-64-v2"));
        KernelLibrary second =
            KernelLibrary.open(KernelImage.of(bytes.clone(), "answers", "x86-64-v2", List.of()))) {
      assertThat(first.address("answer")).isNotZero().isEqualTo(second.address("answer"));
    }
  }

  @Test
  void aFileServesWhereMemoryDoesNot() {
    long handle = KernelLibrary.openFromFile(bytes, "answers");
    assertThat(NativeRuntime.symbol(handle, "answer")).isNotZero();
  }

  /** Wherever the byte is, and although the library of this identity is open. */
  @Test
  void refusesBytesThatWereDamaged() {
    KernelImage good = image("x86-64-v2");
    KernelLibrary.open(good).close();
    List<byte[]> others = new ArrayList<>();
    for (int at = 0; at < bytes.length; at += at < 64 ? 1 : Math.max(1, bytes.length / 97)) {
      byte[] changed = bytes.clone();
      changed[at] ^= (byte) (1 << at % 8);
      others.add(changed);
    }
    others.add(Arrays.copyOf(bytes, bytes.length - 1));
    others.add(Arrays.copyOf(bytes, bytes.length + 1));
    for (byte[] other : others) {
      assertFails(
          new KernelImage(other, good.identity(), good.checksum(), "x86-64-v2", List.of()),
          ErrorCode.KERNEL_FAILURE,
          "damaged",
          Long.toHexString(good.checksum()));
    }
  }

  @Test
  void refusesBytesThatAreNoLibrary() {
    assertFails(
        KernelImage.of(new byte[100], "zeros", "x86-64-v2", List.of()),
        ErrorCode.KERNEL_FAILURE,
        "cannot open");
  }

  @Test
  void refusesACpuLevelThatTheHostLacks() {
    assertFails(image("x86-64-v9"), ErrorCode.UNSUPPORTED_PLATFORM, "x86-64-v9", "x86-64-v2");
    assertThatThrownBy(() -> CpuFeatures.require("x86-64-v4", "x86-64-v3"))
        .isInstanceOf(WeftException.class)
        .hasMessageContainingAll("level x86-64-v4", "this host has x86-64-v3");
  }

  private static void assertFails(KernelImage image, ErrorCode code, String... words) {
    assertThatThrownBy(() -> KernelLibrary.open(image))
        .isInstanceOfSatisfying(WeftException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContainingAll(words);
  }

  @Test
  void aClosedHandleIsOfNoUse() {
    KernelLibrary library = KernelLibrary.open(image("x86-64-v2"));
    library.close();
    assertThatThrownBy(() -> library.address("answer")).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(library::close).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void anImageSurvivesSerialization() throws Exception {
    KernelSignature signature =
        new KernelSignature(
            "answer",
            List.of(
                new TensorParameter("T", TensorFormat.csf(3, ValueType.FLOAT), Role.OUTPUT_SPARSE)),
            List.of(Slot.runtime(), Slot.status(), Slot.statusDetail(), Slot.crd(0, 2)));
    KernelImage sent = KernelImage.of(bytes, "answers", "x86-64-v2", List.of(signature));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (ObjectOutputStream objects = new ObjectOutputStream(out)) {
      objects.writeObject(sent);
    }
    try (ObjectInputStream objects =
        new ObjectInputStream(new ByteArrayInputStream(out.toByteArray()))) {
      KernelImage received = (KernelImage) objects.readObject();
      assertThat(received).isEqualTo(sent);
      assertThat(received.library()).isEqualTo(bytes);
      assertThat(received.signature("answer")).isEqualTo(signature);
    }
    assertThatThrownBy(() -> sent.signature("question")).hasMessageContaining("[answer]");
  }
}
