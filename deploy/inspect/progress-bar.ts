/** A progress bar on stderr, where that is a terminal: nothing of it reaches a pipe or a file. */

const width = 30

export interface ProgressBar {
  /** Shows a share of 0 to 1; null, for an unknown length, shows nothing. */
  readonly show: (share: number | null) => void
  /** Takes the bar away. */
  readonly clear: () => void
}

/** A bar with this label; it appears when there is more than one chunk to read. */
export const progressBar = (label: string): ProgressBar => {
  let shown = -1
  return {
    show: (share) => {
      const percent = share === null ? -1 : Math.floor(100 * share)
      if (!process.stderr.isTTY || percent === shown || percent < 0 || percent >= 100) return
      shown = percent
      const done = Math.round(width * percent / 100)
      process.stderr.write(`\r${label} [${"#".repeat(done)}${" ".repeat(width - done)}] ${percent} %`)
    },
    clear: () => {
      if (shown >= 0) process.stderr.write("\r\x1b[K")
    },
  }
}
