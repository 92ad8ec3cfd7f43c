/**
 * Messages on the output of a plugin's process: JSON text sequences (RFC 7464), each a record separator, JSON and a line feed.
 *
 * Everything else on the output, for example of `console.table`, is text of the plugin, line by line.
 * Invariant: at most `lengthMax` characters are buffered.
 */
export const recordSeparator = "\u001e"
/** Characters of a message or a line. */
const lengthMax = 4 * 2 ** 20

interface FrameHandlers {
  readonly onMessage: (json: string) => void
  readonly onText: (line: string) => void
  /** A message or line is too long; nothing is read afterwards. */
  readonly onOverflow: (lengthMax: number) => void
}

/** Returns the function that takes the output, in pieces of any size. */
export const readFrames = ({ onMessage, onOverflow, onText }: FrameHandlers): (piece: string) => void => {
  let pieces: Array<string> = []
  let length = 0
  let ended = false
  const take = (line: string): void => {
    const start = line.lastIndexOf(recordSeparator)
    if (start < 0) return line === "" ? undefined : onText(line)
    if (start > 0) onText(line.slice(0, start))
    onMessage(line.slice(start + 1))
  }
  return (piece) => {
    let rest = piece
    for (let end = rest.indexOf("\n"); end >= 0 && !ended; end = rest.indexOf("\n")) {
      pieces.push(rest.slice(0, end))
      rest = rest.slice(end + 1)
      const line = pieces.join("")
      pieces = []
      length = 0
      if (line.length > lengthMax) ended = true
      else take(line)
    }
    length += rest.length
    if (rest !== "") pieces.push(rest)
    if (!ended && length <= lengthMax) return
    ended = true
    pieces = []
    length = 0
    onOverflow(lengthMax)
  }
}
