/** Progress on stderr: a bar where that is a terminal; elsewhere nothing, or a line for every tenth. */

const width = 30

interface ProgressBar {
  /** Shows a share of 0 to 1; null, for an unknown length, shows nothing. */
  readonly show: (share: number | null) => void
  /** Takes the bar away. */
  readonly clear: () => void
}

/** Where progress is shown. */
interface ProgressScreen {
  readonly isTTY?: boolean | undefined
  readonly write: (text: string) => unknown
}

export interface ProgressOptions {
  /** Where there is no terminal, write a line at every tenth: for what takes minutes. */
  readonly lines?: boolean
  readonly screen?: ProgressScreen
}

/** A bar with this label; it appears when there is more to do after the first step. */
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
