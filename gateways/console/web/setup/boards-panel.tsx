/** The boards of a room: how each does, unknown senders to adopt, and keys, each shown once. */
import { type Signal, useSignal } from "@preact/signals"
import { FindingList } from "../health/finding-list.tsx"
import { openFindings } from "../health/findings.ts"
import { authorised, authorisedTagged, isAtLeast } from "../service/session.ts"
import type { Environment, EnvironmentSummary, SensingNodes } from "../service/types.ts"
import { diagnostics, diagnosticsFault } from "../state/diagnostics.ts"
import { findings } from "../state/findings.ts"
import { usePolling } from "../state/polling.ts"
import { useReading } from "../state/use-reading.ts"
import { loadEnvironments } from "../state/rooms.ts"
import { secondText } from "../state/time-text.ts"
import { useAttempt } from "../state/use-attempt.ts"
import { type BoardState, boardState, listenerOf, unknownSenders } from "./boards.ts"

const refreshMs = 20_000

interface NewKey {
  readonly node_id: string
  readonly key: string
}

/** Adds or removes a router of a room. If another client changed the room in between, it reads again once. */
const changeRouters = async (
  environmentId: string,
  change: (routers: ReadonlyArray<string>) => ReadonlyArray<string>,
): Promise<void> => {
  const path = `/environments/${encodeURIComponent(environmentId)}`
  const { etag, value } = await authorisedTagged<Environment>(path)
  await authorised(path, { method: "PUT", body: { routers: change(value.routers) }, ifMatch: etag })
  await loadEnvironments()
}

const KeyNotice = ({ shown }: { readonly shown: Signal<NewKey | null> }) => {
  const { value } = shown
  if (value === null) return null
  const listener = diagnostics.value === null ? undefined : listenerOf(diagnostics.value, value.node_id)
  return (
    <div class="notice secret" role="status">
      <h3>{`Key of ${value.node_id}`}</h3>
      <p>
        It is shown only now. Give it to the firmware of the board; from then on only datagrams with its signature are
        taken.
      </p>
      <input
        readOnly
        aria-label={`Key of ${value.node_id}`}
        value={value.key}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      {listener !== undefined && (
        <p class="reason">
          {`The board sends UDP to port ${listener.port} of this machine${
            /^(127\.|::1$|localhost$)/.test(listener.host)
              ? ", which listens on loopback only: set WAVEPOSE_HOST to be reached from the network"
              : ""
          }. The row of the board turns green at its first signed datagram.`}
        </p>
      )}
      <button type="button" class="quiet" onClick={() => shown.value = null}>I have copied it</button>
    </div>
  )
}

const toneWords: Readonly<Record<BoardState["tone"], string>> = { good: "Works", waiting: "Waiting", bad: "Problem" }

interface BoardActions {
  readonly newKey: (routerId: string) => void
  readonly release: (routerId: string) => void
  readonly remove: (routerId: string) => void
}

const Board = ({ actions, board: { isQuarantined, routerId, text, tone }, environmentId }: {
  readonly board: BoardState
  readonly environmentId: string
  readonly actions: BoardActions
}) => (
  <li class={`board-row tone-${tone}`}>
    <b>{routerId}</b>
    <span class="tone">{toneWords[tone]}</span>
    <span class="reason">
      {text}
      {isQuarantined && !isAtLeast("admin") && (
        <>
          {". Only an administrator can do that, here or by "}
          <code>{`npx wavepose node release ${routerId}`}</code>
        </>
      )}
    </span>
    <span class="actions">
      {isAtLeast("admin") && (
        <>
          {isQuarantined && (
            <button type="button" onClick={() => actions.release(routerId)}>Release from quarantine</button>
          )}
          <button type="button" class="quiet" onClick={() => actions.newKey(routerId)}>New key</button>
        </>
      )}
      <button type="button" class="quiet" onClick={() => actions.remove(routerId)}>Remove from this room</button>
    </span>
    <FindingList
      findings={openFindings(findings.value?.findings ?? [], environmentId, routerId)}
      label={`Findings about ${routerId}`}
    />
  </li>
)

const idPattern = "[A-Za-z0-9][A-Za-z0-9._:\\-]{0,63}"

const UnknownBoards = ({ onAdopt }: { readonly onAdopt: (routerId: string) => void }) => {
  if (diagnostics.value === null) return <p class="reason">Which boards are sending is not known yet.</p>
  const senders = unknownSenders(diagnostics.value)
  if (senders.length === 0) {
    return (
      <p class="reason">No unknown board is sending to this node. Switch one on, and it appears here within seconds.</p>
    )
  }
  return (
    <ul class="boards-list" aria-label="Unknown boards">
      {senders.map(({ isQuarantined, isSigned, kind, lastHeard, routerId }) => (
        <li key={routerId} class="board-row">
          <b>{routerId}</b>
          <span class="reason">
            {`${kind}, heard ${secondText(lastHeard)}, ${
              isQuarantined ? "in quarantine" : isSigned === true ? "signed" : "not signed"
            }`}
          </span>
          <span class="actions">
            <button type="button" onClick={() => onAdopt(routerId)}>Adopt</button>
          </span>
        </li>
      ))}
    </ul>
  )
}

const AddBoard = ({ onAdopt }: { readonly onAdopt: (routerId: string) => void }) => {
  const typed = useSignal("")
  return (
    <div class="add-board">
      <h3>Add a board</h3>
      <UnknownBoards onAdopt={onAdopt} />
      <form
        class="inline"
        onSubmit={(event) => {
          event.preventDefault()
          if (typed.value !== "") onAdopt(typed.value)
          typed.value = ""
        }}
      >
        <input
          aria-label="Id of a board that does not send yet"
          placeholder="for example node-1"
          pattern={idPattern}
          value={typed.value}
          onInput={({ currentTarget }) => typed.value = currentTarget.value}
        />
        <button type="submit" class="quiet">Add by id</button>
      </form>
    </div>
  )
}

export const BoardsPanel = ({ environment }: { readonly environment: EnvironmentSummary }) => {
  const { environment_id: environmentId, routers } = environment
  const key = useSignal<NewKey | null>(null)
  const nodes = useReading(() => authorised<SensingNodes>("/sensing-nodes"), "nodes")
  usePolling(nodes.load, refreshMs, environmentId)
  const action = useAttempt()
  const decide = async <A,>(routerId: string, decision: "enrolment" | "release"): Promise<A> => {
    const answer = await authorised<A>(`/sensing-nodes/${encodeURIComponent(routerId)}/${decision}`, { method: "POST" })
    void nodes.load()
    return answer
  }
  const change = (routersOf: (before: ReadonlyArray<string>) => ReadonlyArray<string>) =>
    void action.run(() => changeRouters(environmentId, routersOf))
  const adopt = (routerId: string) => change((before) => before.includes(routerId) ? before : [...before, routerId])
  const actions: BoardActions = {
    newKey: (routerId) => void action.run(async () => key.value = await decide<NewKey>(routerId, "enrolment")),
    release: (routerId) => void action.run(() => decide(routerId, "release")),
    remove: (routerId) => change((before) => before.filter((one) => one !== routerId)),
  }
  const fault = diagnosticsFault.value ?? nodes.fault.value
  return (
    <section class="panel" aria-labelledby="boards-of-room">
      <h2 id="boards-of-room">Boards</h2>
      {action.fault !== null && <p class="fault" role="alert">{action.fault}</p>}
      {fault !== null && <p class="fault" role="alert">{fault}</p>}
      {routers.length === 0 && <p class="reason">No board sends for this room yet.</p>}
      <ul class="boards-list" aria-label="Boards of the room">
        {routers.map((routerId) => (
          <Board
            key={routerId}
            board={boardState(routerId, diagnostics.value, nodes.value.value)}
            environmentId={environmentId}
            actions={actions}
          />
        ))}
      </ul>
      <KeyNotice shown={key} />
      <AddBoard onAdopt={adopt} />
    </section>
  )
}
