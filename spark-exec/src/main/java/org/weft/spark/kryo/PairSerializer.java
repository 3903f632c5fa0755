package org.weft.spark.kryo;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import scala.Tuple2;

/** Writes pairs, of which the parts are of any registered types. */
final class PairSerializer extends Serializer<Tuple2<?, ?>> {
  @Override
  public void write(Kryo kryo, Output output, Tuple2<?, ?> pair) {
    kryo.writeClassAndObject(output, pair._1());
    kryo.writeClassAndObject(output, pair._2());
  }

  @Override
  public Tuple2<?, ?> read(Kryo kryo, Input input, Class<Tuple2<?, ?>> type) {
    Object first = kryo.readClassAndObject(input);
    return new Tuple2<>(first, kryo.readClassAndObject(input));
  }
}
