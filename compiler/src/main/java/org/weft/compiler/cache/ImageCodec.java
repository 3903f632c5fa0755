package org.weft.compiler.cache;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelSignature;
import org.weft.runtime.ModeLabel;
import org.weft.runtime.Slot;
import org.weft.runtime.TensorParameter;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;

/**
 * A library with the signatures of its kernels as bytes, so that a cached one needs no lowering.
 * Identity and CPU level are part of the key, not of the bytes.
 */
public final class ImageCodec {
  private ImageCodec() {}

  /** The bytes of {@code image}; empty when they would not read back as the same image. */
  public static Optional<byte[]> encode(KernelImage image) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeInt(image.kernels().size());
      for (KernelSignature kernel : image.kernels()) {
        write(kernel, out);
      }
      out.writeInt(image.library().length);
      out.write(image.library());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    byte[] encoded = bytes.toByteArray();
    return decode(encoded, image.identity(), image.cpu())
        .filter(image::equals)
        .map(same -> encoded);
  }

  /** The image that {@code bytes} hold; empty for bytes that are none. */
  public static Optional<KernelImage> decode(byte[] bytes, String identity, String cpu) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      List<KernelSignature> kernels = new ArrayList<>();
      int count = count(in);
      for (int kernel = 0; kernel < count; kernel++) {
        kernels.add(signature(in));
      }
      byte[] library = new byte[count(in)];
      in.readFully(library);
      return in.available() == 0
          ? Optional.of(KernelImage.of(library, identity, cpu, kernels))
          : Optional.empty();
    } catch (IOException | RuntimeException e) {
      return Optional.empty();
    }
  }

  private static void write(KernelSignature kernel, DataOutputStream out) throws IOException {
    out.writeUTF(kernel.symbol());
    out.writeInt(kernel.tensors().size());
    for (TensorParameter tensor : kernel.tensors()) {
      out.writeUTF(tensor.name());
      out.writeInt(tensor.format().order());
      out.writeUTF(tensor.format().toString());
      out.writeUTF(tensor.format().valueType().name());
      out.writeUTF(tensor.role().name());
      out.writeInt(tensor.accesses().size());
      for (List<ModeLabel> access : tensor.accesses()) {
        out.writeInt(access.size());
        for (ModeLabel label : access) {
          out.writeUTF(label.name());
          out.writeLong(label.size());
        }
      }
    }
    out.writeInt(kernel.slots().size());
    for (Slot slot : kernel.slots()) {
      out.writeUTF(slot.kind().name());
      out.writeInt(slot.tensor());
      out.writeInt(slot.level());
    }
  }

  private static KernelSignature signature(DataInputStream in) throws IOException {
    String symbol = in.readUTF();
    List<TensorParameter> tensors = new ArrayList<>();
    int count = count(in);
    for (int tensor = 0; tensor < count; tensor++) {
      tensors.add(tensor(in));
    }
    List<Slot> slots = new ArrayList<>();
    int slotCount = count(in);
    for (int slot = 0; slot < slotCount; slot++) {
      slots.add(new Slot(Slot.Kind.valueOf(in.readUTF()), in.readInt(), in.readInt()));
    }
    return new KernelSignature(symbol, tensors, slots);
  }

  private static TensorParameter tensor(DataInputStream in) throws IOException {
    String name = in.readUTF();
    int order = in.readInt();
    String format = in.readUTF();
    ValueType type = ValueType.valueOf(in.readUTF());
    TensorParameter.Role role = TensorParameter.Role.valueOf(in.readUTF());
    List<List<ModeLabel>> accesses = new ArrayList<>();
    int accessCount = count(in);
    for (int access = 0; access < accessCount; access++) {
      List<ModeLabel> labels = new ArrayList<>();
      int labelCount = count(in);
      for (int label = 0; label < labelCount; label++) {
        labels.add(new ModeLabel(in.readUTF(), in.readLong()));
      }
      accesses.add(labels);
    }
    return new TensorParameter(name, TensorFormat.parse(format, order, type), role, accesses);
  }

  /** A number of things that each take a byte or more, so that a wrong one allocates little. */
  private static int count(DataInputStream in) throws IOException {
    int count = in.readInt();
    if (count < 0 || count > in.available()) {
      throw new IOException("expected at most " + in.available() + " items, found " + count);
    }
    return count;
  }
}
