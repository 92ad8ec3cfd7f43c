/** A gRPC server in a process of its own that streams without end; it says its port. */
import * as grpc from "@grpc/grpc-js"
import "../../../protocols/grpc/deno-http2.ts"

const asIs = (bytes: Buffer) => bytes
const server = new grpc.Server()
server.addService({
  Watch: {
    path: "/test.Test/Watch",
    requestStream: false,
    responseStream: true,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  },
}, {
  Watch: (call: grpc.ServerWritableStream<Buffer, Buffer>) => {
    const timer = setInterval(() => call.write(Buffer.alloc(1500)), 1)
    call.on("cancelled", () => clearInterval(timer))
  },
})
server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (_, port) => console.log(port))
