/** The generated contract of the gRPC clients: made by `npm run proto`, compared with the committed files by `npm run checks`. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import protobuf from "protobufjs"
import { pythonStub } from "./python-client.ts"
import { typescriptFiles } from "./typescript-client.ts"

const protocols = fileURLToPath(new URL("../../protocols", import.meta.url))
const protos = join(protocols, "grpc")

/** The `.proto` files of `wavepose.v1` with their comments. Names of fields stay as they are. */
const loadContract = (): protobuf.Root => {
  const root = new protobuf.Root()
  root.resolvePath = (_, path) => path.startsWith("wavepose/") ? join(protos, path) : path
  const names = readdirSync(join(protos, "wavepose", "v1")).sort().map((name) => `wavepose/v1/${name}`)
  root.loadSync(names, { keepCase: true, alternateCommentMode: true })
  root.resolveAll()
  return root
}

/** The contents of the files by their paths. */
export const clientFiles = (): ReadonlyArray<readonly [path: string, content: Buffer]> => {
  const root = loadContract()
  const typescript = join(protocols, "clients", "typescript", "generated")
  const python = join(protocols, "clients", "python", "wavepose_client", "generated")
  return [
    ...Object.entries(typescriptFiles(root)).map(([name, text]) =>
      [join(typescript, name), Buffer.from(text)] as const
    ),
    [join(python, "grpc_messages.pyi"), Buffer.from(pythonStub(root))],
    [join(python, "grpc.binpb"), readFileSync(join(protos, "generated", "descriptors.binpb"))],
  ]
}
