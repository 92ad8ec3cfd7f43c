/** What surrounds every page: name, source, connection, navigation, sign-out. */
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { connection } from "../service/pose-socket.ts"
import { session, signOut } from "../service/session.ts"
import { openAlerts } from "../state/alerts.ts"
import { nowMs } from "../state/clock.ts"
import { sourceShown } from "../state/rooms.ts"
import { useAttempt } from "../state/use-attempt.ts"
import { connectionText } from "./connection-text.ts"
import { mayLeave, page, pages, titleOf } from "./navigation.ts"

/** What is shown, and what a wide window adds. */
const sourceTexts = {
  live: ["Live", ""],
  replay: ["Replay", " of recordings"],
  simulated: ["Simulated", ": no real room is measured"],
  mixed: ["Several sources", ""],
} as const

const Source = () => {
  const source = sourceShown.value
  if (source === null) return null
  const [short, more] = sourceTexts[source]
  return (
    <span class={`chip chip-${source}`}>
      {short}
      <span class="wide">{more}</span>
    </span>
  )
}

const signOutFault = (message: string): string =>
  `The sign-out failed, and this browser is still signed in. ${message} Try again.`

const focusContent = (): void => document.getElementById("content")?.focus()

/** Moves the focus and leaves the address, whose hash names the page. */
const toContent = (event: MouseEvent): void => {
  event.preventDefault()
  focusContent()
}

/** Moves the focus to the content of another page, so that a screen reader says which it is. */
const useFocusOfPage = (id: string): void => {
  const before = useRef(id)
  useEffect(() => {
    if (before.current !== id) focusContent()
    before.current = id
  }, [id])
}

export const Frame = ({ children }: { readonly children: ComponentChildren }) => {
  const disconnected = connectionText(connection.value, nowMs.value)
  const alerts = openAlerts.value.length
  const who = session.value
  const { fault, isBusy, run } = useAttempt(signOutFault)
  useFocusOfPage(page.value.id)
  return (
    <>
      <a class="skip" href="#content" onClick={toContent}>To the content</a>
      <header class="top">
        <h1>wavepose</h1>
        <Source />
        <nav aria-label="Pages">
          {pages.map(({ id, title }) => (
            <a key={id} href={`#/${id}`} aria-current={page.value.id === id ? "page" : undefined}>
              {title}
              {id === "alerts" && alerts > 0 && <span class="count">{alerts}</span>}
            </a>
          ))}
        </nav>
        <button type="button" class="quiet" disabled={isBusy} onClick={() => void (mayLeave() && run(signOut))}>
          Sign out{who.state === "signed-in" && <span class="wide">{` ${who.username}`}</span>}
        </button>
      </header>
      {fault !== null && <p class="banner" role="alert">{fault}</p>}
      <div class={disconnected === null ? "" : "banner"}>
        <span role="status" aria-live="polite">{disconnected?.announced ?? ""}</span>{" "}
        <span aria-hidden="true">{disconnected?.progress ?? ""}</span>
      </div>
      {alerts > 0 && page.value.id !== "alerts" && (
        <div role="alert">
          <a class="alert-banner" href="#/alerts">
            {alerts === 1 ? "One alert is open" : `${alerts} alerts are open`}
          </a>
        </div>
      )}
      <main
        id="content"
        tabIndex={-1}
        aria-label={titleOf(page.value.id)}
        class={disconnected === null ? "" : "disconnected"}
      >
        {children}
      </main>
    </>
  )
}
