/** The console in the browser: signs in, connects, and shows the page that the address names. */
import { computed, effect } from "@preact/signals"
import { render } from "preact"
import { AlertsPage } from "./alerts/alerts-page.tsx"
import { HealthPage } from "./health/health-page.tsx"
import { HistoryPage } from "./history/history-page.tsx"
import { LivePage } from "./live/live-page.tsx"
import { connect, disconnect } from "./service/pose-socket.ts"
import { renew, session, signInByCode } from "./service/session.ts"
import { ReportsPage } from "./reports/reports-page.tsx"
import { SettingsPage } from "./settings/settings-page.tsx"
import { SetupPage } from "./setup/setup-page.tsx"
import { Frame } from "./shell/frame.tsx"
import { page, titleOf } from "./shell/navigation.ts"
import { SignInPage } from "./shell/sign-in-page.tsx"
import { alertReceived, alertsSubscribed, clearAlerts, loadAlerts } from "./state/alerts.ts"
import { WallPage } from "./wall/wall-page.tsx"
import { clearEnvironments, frameReceived, loadEnvironments, refreshEnvironments, sourceShown } from "./state/rooms.ts"

const Content = () => {
  if (page.value.id === "alerts") return <AlertsPage />
  if (page.value.id === "history") return <HistoryPage />
  if (page.value.id === "health") return <HealthPage />
  if (page.value.id === "setup") return <SetupPage />
  if (page.value.id === "reports") return <ReportsPage />
  if (page.value.id === "settings") return <SettingsPage />
  return <LivePage />
}

const Console = () => {
  const { value } = session
  if (value.state === "unknown") {
    return (
      <p class="notice" role="status">
        {value.fault === null ? "Signing in…" : `Signing in… ${value.fault} Trying again.`}
      </p>
    )
  }
  if (value.state === "signed-out") return <SignInPage reason={value.reason} />
  if (page.value.id === "wall") return <WallPage />
  return (
    <Frame>
      <Content />
    </Frame>
  )
}

/** Signs in by the code of a one-time link, which leaves the address at once. */
const followLink = (query: URLSearchParams): void => {
  history.replaceState(null, "", location.pathname)
  page.value = { id: "", query: new URLSearchParams() }
  void signInByCode(query.get("code") ?? "")
}

const isSignedIn = computed(() => session.value.state === "signed-in")

/** A subscription begins, perhaps after a while without one. */
const subscribed = (): void => {
  alertsSubscribed()
  refreshEnvironments()
}

// A renewed token changes the session and not whether there is one: nothing is read again.
effect(() => {
  if (isSignedIn.value) {
    void loadEnvironments()
    void loadAlerts()
    connect({ frame: frameReceived, alertsSubscribed: subscribed, alert: alertReceived })
  } else {
    disconnect()
    clearAlerts()
    clearEnvironments()
  }
})

effect(() => {
  const source = sourceShown.value
  document.title = `${titleOf(page.value.id)}, wavepose${source === null || source === "live" ? "" : `; ${source}`}`
})

render(<Console />, document.getElementById("console")!)
if (page.value.id !== "welcome") void renew()
// Also when the link is pasted into a tab that has the console open.
effect(() => {
  if (page.value.id === "welcome") followLink(page.value.query)
})
