/** Webhooks: where events are sent, how their endpoints answer, and a test of each. */
import { useSignal } from "@preact/signals"
import type { RequestOptions } from "../service/send.ts"
import { authorised, isAtLeast } from "../service/session.ts"
import type { Webhook } from "../service/types.ts"
import { useResource } from "../state/resource.ts"
import { SecretNotice, type ShownSecret } from "./secret-notice.tsx"

interface TestAnswer {
  readonly delivered: boolean
  readonly latency_ms: number
  readonly failure_reason: string | null
}

const testText = ({ delivered, failure_reason, latency_ms }: TestAnswer): string =>
  delivered ? `The endpoint accepted the test in ${latency_ms} ms.` : `The test failed: ${failure_reason}`

const statusText = (
  { deliveries: { delivered, given_up, waiting }, disabled_reason, last_error, status }: Webhook,
): string =>
  [
    disabled_reason === null ? status : `${status} (${disabled_reason})`,
    `${delivered} delivered`,
    ...(waiting === 0 ? [] : [`${waiting} waiting`]),
    ...(given_up === 0 ? [] : [`${given_up} given up`]),
    ...(last_error === null ? [] : [`last error: ${last_error}`]),
  ].join(", ")

const Row = ({ onChange, onTest, tested, webhook }: {
  readonly webhook: Webhook
  /** The answer to the last test; null before one. */
  readonly tested: string | null
  readonly onTest: () => void
  readonly onChange: (request: RequestOptions) => void
}) => {
  const isOff = webhook.status === "disabled"
  return (
    <li>
      <b>{webhook.url}</b>
      <span class="reason">{statusText(webhook)}</span>
      <button type="button" class="quiet" aria-label={`Test ${webhook.url}`} onClick={onTest}>Test</button>
      <button type="button" class="quiet" onClick={() => onChange({ method: "PUT", body: { enabled: isOff } })}>
        {isOff ? "Switch on" : "Switch off"}
      </button>
      <button
        type="button"
        class="quiet"
        aria-label={`Delete ${webhook.url}`}
        onClick={() => onChange({ method: "DELETE" })}
      >
        Delete
      </button>
      {tested !== null && <p role="status">{tested}</p>}
    </li>
  )
}

export const WebhooksPanel = () => {
  const { change, fault, value } = useResource<{ readonly webhooks: ReadonlyArray<Webhook> }>("/webhooks")
  const secret = useSignal<ShownSecret | null>(null)
  const tests = useSignal<Readonly<Record<string, string>>>({})
  if (!isAtLeast("operator")) return <p class="notice">Only an operator manages webhooks.</p>
  const path = (id: string) => `/webhooks/${encodeURIComponent(id)}`
  const add = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const body = { url: String(new FormData(form).get("url")) }
    const isAdded = await change(async () => {
      const made = await authorised<{ readonly secret: string }>("/webhooks", { method: "POST", body })
      secret.value = { title: "Secret of the signatures", text: made.secret }
    })
    if (isAdded) form.reset()
  }
  const test = (id: string) =>
    void change(async () => {
      const answer = await authorised<TestAnswer>(`${path(id)}/test`, { method: "POST" })
      tests.value = { ...tests.value, [id]: testText(answer) }
    })
  return (
    <section class="panel" aria-labelledby="webhooks">
      <h3 id="webhooks">Webhooks</h3>
      <p class="reason">Each event and alert is sent to these addresses, signed, and repeated for a day if need be.</p>
      {fault !== null && <p class="fault" role="alert">{fault}</p>}
      <SecretNotice secret={secret} />
      <ul class="rows">
        {value?.webhooks.map((webhook) => (
          <Row
            key={webhook.webhook_id}
            webhook={webhook}
            tested={tests.value[webhook.webhook_id] ?? null}
            onTest={() => test(webhook.webhook_id)}
            onChange={(options) => void change(() => authorised(path(webhook.webhook_id), options))}
          />
        ))}
      </ul>
      <form class="actions" onSubmit={(event) => void add(event)}>
        <input name="url" type="url" required aria-label="Address of the new webhook" placeholder="https://…" />
        <button type="submit" class="quiet">Add webhook</button>
      </form>
    </section>
  )
}
