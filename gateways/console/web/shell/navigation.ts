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

/** The title of a page by its id. */
export const titleOf = (id: string): string =>
  id === "wall" ? "Wall" : pages.find((one) => one.id === id)?.title ?? pages[0].title

interface Page {
  readonly id: string
  readonly query: URLSearchParams
}

/** Pages without a place in the navigation. */
const unlisted = ["wall", "welcome"]

/** The page of the address; an unknown one is the live page. */
const read = (): Page => {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2)
  const isKnown = unlisted.includes(path) || pages.some(({ id }) => id === path)
  return { id: isKnown ? path : "", query: new URLSearchParams(query) }
}

export const page = signal<Page>(read())

/** What leaving the page would lose, as a question; null: nothing. */
type Question = () => string | null

let question: Question | null = null

/** Asks before another page is opened or the tab is left. The function that it returns ends this. */
export const askBeforeLeaving = (asked: Question): () => void => {
  question = asked
  return () => {
    if (question === asked) question = null
  }
}

/** Whether the page may be left: nothing is lost, or the user agrees. */
export const mayLeave = (): boolean => {
  const text = question?.() ?? null
  return text === null || confirm(text)
}

addEventListener("hashchange", ({ oldURL }) => {
  if (mayLeave()) page.value = read()
  else history.pushState(null, "", oldURL)
})

addEventListener("beforeunload", (event) => {
  if ((question?.() ?? null) !== null) event.preventDefault()
})
