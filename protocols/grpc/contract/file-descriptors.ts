/**
 * Descriptors of the public services and of grpc.health.v1, for reflection and for the codecs of messages.
 *
 * They are compiled from the `.proto` files by `npm run proto` and stored as a file, because protobufjs merges the files of a package and
 * loses `optional`.
 */
import { readFileSync } from "node:fs"
import protobuf from "protobufjs/minimal.js"

const file = new URL("../generated/descriptors.binpb", import.meta.url)

/** The encoded `google.protobuf.FileDescriptorSet`. */
export const fileDescriptorSet = (): Uint8Array => readFileSync(file)

/** One encoded `google.protobuf.FileDescriptorProto` per `.proto` file. */
export const fileDescriptors = (): Array<Buffer> => {
  const reader = protobuf.Reader.create(fileDescriptorSet())
  const descriptors: Array<Buffer> = []
  while (reader.pos < reader.len) {
    // A FileDescriptorSet has one field only: `repeated FileDescriptorProto file = 1`.
    reader.uint32()
    descriptors.push(Buffer.from(reader.bytes()))
  }
  return descriptors
}
