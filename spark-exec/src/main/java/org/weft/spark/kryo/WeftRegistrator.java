package org.weft.spark.kryo;

import com.esotericsoftware.kryo.Kryo;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.List;
import org.apache.spark.serializer.KryoRegistrator;
import org.weft.engine.distributed.Piece;
import org.weft.engine.entries.OriginBlock;
import org.weft.engine.order.RowOwners;
import org.weft.planner.distributed.CompiledStatement;
import org.weft.reorder.Relabelling;
import org.weft.reorder.SampleExtension;
import org.weft.runtime.KernelImage;
import org.weft.spark.ingest.WrittenEntries;
import org.weft.spark.kernel.EntryBlock;
import org.weft.spark.kernel.RowBlock;
import org.weft.spark.kernel.StepPart;
import org.weft.spark.key.KeyRange;
import org.weft.spark.key.KeyShare;
import org.weft.spark.key.KeySummary;
import org.weft.spark.key.KeyedRows;
import org.weft.spark.key.PlacedKeys;
import org.weft.spark.output.FactorRows;
import org.weft.spark.output.WrittenPart;
import org.weft.spark.read.ParsedPart;
import org.weft.spark.read.SplitStatistics;
import org.weft.spark.resident.PartitionSummary;
import org.weft.spark.resident.ResidentPartition;
import org.weft.statistics.TensorStatistics;
import org.weft.storage.container.ContainerPiece;
import org.weft.tensor.CooBlock;
import org.weft.tensor.DenseMatrix;
import scala.Tuple2;

/** Registers every class that Weft sends through Spark's serializer. */
public final class WeftRegistrator implements KryoRegistrator {
  @Override
  public void registerClasses(Kryo kryo) {
    kryo.register(Tuple2.class, new PairSerializer());
    for (Class<?> array : List.of(byte[].class, int[].class, long[].class, double[].class)) {
      kryo.register(array);
    }
    register(kryo, CooBlock.class, CooBlock::writeTo, CooBlock::readFrom);
    register(kryo, DenseMatrix.class, DenseMatrix::writeTo, DenseMatrix::readFrom);
    kryo.register(SplitStatistics.class, JavaForm.of(SplitStatistics.class));
    register(kryo, ParsedPart.class, WeftRegistrator::writePart, WeftRegistrator::readPart);
    register(kryo, OriginBlock.class, OriginBlock::writeTo, OriginBlock::readFrom);
    register(
        kryo, ResidentPartition.class, ResidentPartition::writeTo, ResidentPartition::readFrom);
    register(kryo, Piece.class, Piece::writeTo, Piece::readFrom);
    kryo.register(CompiledStatement.class, JavaForm.of(CompiledStatement.class));
    kryo.register(PartitionSummary.class, JavaForm.of(PartitionSummary.class));
    register(kryo, EntryBlock.class, EntryBlock::writeTo, EntryBlock::readFrom);
    register(kryo, Relabelling.class, Relabelling::writeTo, Relabelling::readFrom);
    register(kryo, RowBlock.class, RowBlock::writeTo, RowBlock::readFrom);
    kryo.register(TensorStatistics.Builder.class, JavaForm.of(TensorStatistics.Builder.class));
    kryo.register(SampleExtension.Start.class, JavaForm.of(SampleExtension.Start.class));
    kryo.register(SampleExtension.Learnt.class, JavaForm.of(SampleExtension.Learnt.class));
    kryo.register(RowOwners.Touched.class, JavaForm.of(RowOwners.Touched.class));
    kryo.register(FactorRows.class, JavaForm.of(FactorRows.class));
    kryo.register(StepPart.class, JavaForm.of(StepPart.class));
    register(kryo, WrittenPart.class, WrittenPart::writeTo, WrittenPart::readFrom);
    kryo.register(ContainerPiece.class, JavaForm.of(ContainerPiece.class));
    kryo.register(KernelImage.class, JavaForm.of(KernelImage.class));
    register(kryo, KeyedRows.class, KeyedRows::writeTo, KeyedRows::readFrom);
    register(kryo, KeyShare.class, KeyShare::writeTo, KeyShare::readFrom);
    register(kryo, KeyRange.class, KeyRange::writeTo, KeyRange::readFrom);
    register(kryo, PlacedKeys.class, PlacedKeys::writeTo, PlacedKeys::readFrom);
    kryo.register(KeySummary.class, JavaForm.of(KeySummary.class));
    kryo.register(WrittenEntries.class, JavaForm.of(WrittenEntries.class));
  }

  private static void writePart(ParsedPart part, DataOutput out) throws IOException {
    OriginBlock block = part.block();
    SplitStatistics statistics = part.statistics();
    out.writeBoolean(block != null);
    if (block != null) {
      block.writeTo(out);
    } else if (statistics != null) {
      JavaForm.write(statistics, out);
    }
  }

  private static ParsedPart readPart(DataInput in) throws IOException {
    return in.readBoolean()
        ? ParsedPart.of(OriginBlock.readFrom(in))
        : ParsedPart.of((SplitStatistics) JavaForm.read(in));
  }

  private static <T> void register(
      Kryo kryo, Class<T> type, DataSerializer.Writer<T> writer, DataSerializer.Reader<T> reader) {
    kryo.register(type, new DataSerializer<>(writer, reader));
  }
}
