/** Progress on stderr: a bar on a terminal; elsewhere nothing, or a line for every tenth. */

const width = 30

interface ProgressBar {
  /** Shows a share of 0 to 1; null, for an unknown length, shows nothing. */
  readonly show: (share: number | null) => void
  /** Removes the bar. */
  readonly clear: () => void
}

/** The output of the progress. */
interface ProgressScreen {
  readonly isTTY?: boolean | undefined
  readonly write: (text: string) => unknown
}

export interface ProgressOptions {
  /** Writes a line at every tenth if there is no terminal: for work that takes minutes. */
  readonly lines?: boolean
  readonly screen?: ProgressScreen
}

/** A bar with this label. It appears when work remains after the first step. */
export const progressBar = (
  label: string,
  { lines = false, screen = process.stderr }: ProgressOptions = {},
): ProgressBar => {
  let shown = -1
  const drawBar = (percent: number): void => {
    if (percent >= 100) return
    const done = Math.round(width * percent / 100)
    screen.write(`\r${label} [${"#".repeat(done)}${" ".repeat(width - done)}] ${percent} %`)
  }
  return {
    show: (share) => {
      if (share === null || !(screen.isTTY || lines)) return
      const percent = screen.isTTY ? Math.floor(100 * share) : 10 * Math.floor(10 * share)
      if (percent <= shown) return
      shown = percent
      if (screen.isTTY) drawBar(percent)
      else if (percent > 0) screen.write(`${label}: ${percent} %\n`)
    },
    clear: () => {
      if (screen.isTTY && shown >= 0) screen.write("\r\x1b[K")
    },
  }
}
