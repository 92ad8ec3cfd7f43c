/** The texts of whole frames of a server that follow one another. Throws for anything else. */
export const messagesOf = (bytes: Uint8Array): ReadonlyArray<string> => {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const texts: Array<string> = []
  for (let at = 0; at < view.length;) {
    if (view[at] !== 0x81) throw new Error(`byte ${at} begins no text frame`)
    const short = view[at + 1]!
    const [length, from] = short < 126
      ? [short, at + 2]
      : short === 126
      ? [view.readUInt16BE(at + 2), at + 4]
      : [Number(view.readBigUInt64BE(at + 2)), at + 10]
    if (from + length > view.length) throw new Error("the last frame is cut off")
    texts.push(view.toString("utf8", from, from + length))
    at = from + length
  }
  return texts
}
