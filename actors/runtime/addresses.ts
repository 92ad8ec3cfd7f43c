/** Addresses of nodes as text, `host:port`. */
import { RunnerAddress } from "effect/cluster"

export const addressText = ({ host, port }: RunnerAddress.RunnerAddress): string => `${host}:${port}`

/** The address of a text. A host may contain colons. */
export const addressOf = (text: string): RunnerAddress.RunnerAddress => {
  const end = text.lastIndexOf(":")
  return RunnerAddress.make(text.slice(0, end), Number(text.slice(end + 1)))
}
