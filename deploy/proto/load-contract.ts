/** The `.proto` files of `wavepose.v1` with their comments. Names of fields stay as they are. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import protobuf from "protobufjs"

/** @param protos the folder of the package's folder `wavepose` */
export const loadContract = (protos: string): protobuf.Root => {
  const root = new protobuf.Root()
  root.resolvePath = (_, path) => path.startsWith("wavepose/") ? join(protos, path) : path
  const names = readdirSync(join(protos, "wavepose", "v1")).sort().map((name) => `wavepose/v1/${name}`)
  root.loadSync(names, { keepCase: true, alternateCommentMode: true })
  root.resolveAll()
  return root
}
