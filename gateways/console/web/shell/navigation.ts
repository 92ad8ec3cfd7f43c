/** Pages by the hash of the address, so that the console works below any path and needs no rule on the server. */
import { signal } from "@preact/signals"

export const pages = [
  { id: "", title: "Live" },
  { id: "history", title: "History" },
  { id: "alerts", title: "Alerts" },
  { id: "reports", title: "Reports" },
  { id: "setup", title: "Set-up" },
  { id: "health", title: "Health" },
  { id: "settings", title: "Settings" },
] as const

interface Page {
  readonly id: string
  readonly query: URLSearchParams
}

const read = (): Page => {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2)
  return { id: path, query: new URLSearchParams(query) }
}

export const page = signal<Page>(read())

addEventListener("hashchange", () => page.value = read())
