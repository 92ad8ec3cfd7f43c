/** Who may use the service: users and API keys. A new key is shown once. */
import { useSignal } from "@preact/signals"
import { scopeNames } from "../../../../protocols/domain/scope-names.ts"
import { authorised, isAtLeast, session } from "../service/session.ts"
import type { ApiKey, User } from "../service/types.ts"
import { useResource } from "../state/resource.ts"
import { SecretNotice, type ShownSecret } from "./secret-notice.tsx"

const roles = ["viewer", "operator", "admin"] as const
/** The service rejects shorter passwords. */
const passwordLengthMin = 12

const RoleChoice = ({ label, onChange, value }: {
  readonly label: string
  readonly value?: User["role"]
  readonly onChange?: (role: User["role"]) => void
}) => (
  <select
    name="role"
    aria-label={label}
    {...(value === undefined ? {} : { value })}
    onChange={({ currentTarget }) => onChange?.(currentTarget.value as User["role"])}
  >
    {roles.map((role) => <option key={role} value={role}>{role}</option>)}
  </select>
)

const Users = () => {
  const { change, fault, value } = useResource<{ readonly users: ReadonlyArray<User> }>("/auth/users")
  const own = session.value.state === "signed-in" ? session.value.username : null
  const add = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const body = Object.fromEntries(new FormData(form))
    if (await change(() => authorised("/auth/users", { method: "POST", body }))) form.reset()
  }
  const path = (userId: string) => `/auth/users/${encodeURIComponent(userId)}`
  return (
    <section class="panel" aria-labelledby="users">
      <h3 id="users">Users</h3>
      {fault !== null && <p class="fault" role="alert">{fault}</p>}
      <ul class="rows">
        {value?.users.map(({ role, user_id, username }) => (
          <li key={user_id}>
            <b>{username}</b>
            {username === own ? <span class="reason">{`${role}, you`}</span> : (
              <>
                <RoleChoice
                  label={`Role of ${username}`}
                  value={role}
                  onChange={(role) => void change(() => authorised(path(user_id), { method: "PUT", body: { role } }))}
                />
                <button
                  type="button"
                  class="quiet"
                  aria-label={`Remove ${username}`}
                  onClick={() => void change(() => authorised(path(user_id), { method: "DELETE" }))}
                >
                  Remove
                </button>
              </>
            )}
          </li>
        ))}
      </ul>
      <form class="actions" onSubmit={(event) => void add(event)}>
        <input name="username" required aria-label="Name of the new user" placeholder="name" autocomplete="off" />
        <input
          name="password"
          type="password"
          required
          minLength={passwordLengthMin}
          aria-label="Password of the new user"
          placeholder="password"
          autocomplete="new-password"
        />
        <RoleChoice label="Role of the new user" />
        <button type="submit" class="quiet">Add user</button>
      </form>
      <p class="reason">A viewer looks, an operator also sets up and acknowledges, an admin also manages access.</p>
    </section>
  )
}

/** The body that creates a key. */
const newKeyOf = (given: FormData) => {
  const [until, scopes] = [given.get("until"), given.getAll("scopes")]
  return {
    name: given.get("name"),
    role: given.get("role"),
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(until === "" ? {} : { expires_at: new Date(`${until}T23:59:59`).toISOString() }),
  }
}

const ScopeChoice = () => (
  <details>
    <summary class="reason">Limit to scopes</summary>
    <div class="scopes">
      {scopeNames.map((scope) => (
        <label key={scope}>
          <input type="checkbox" name="scopes" value={scope} /> {scope}
        </label>
      ))}
    </div>
  </details>
)

const ApiKeys = () => {
  const { change, fault, value } = useResource<{ readonly api_keys: ReadonlyArray<ApiKey> }>("/auth/api-keys")
  const secret = useSignal<ShownSecret | null>(null)
  const add = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const body = newKeyOf(new FormData(form))
    const isAdded = await change(async () => {
      const { key, name } = await authorised<ApiKey & { readonly key: string }>("/auth/api-keys", {
        method: "POST",
        body,
      })
      secret.value = { title: `API key ${name}`, text: key }
    })
    if (isAdded) form.reset()
  }
  return (
    <section class="panel" aria-labelledby="api-keys">
      <h3 id="api-keys">API keys</h3>
      {fault !== null && <p class="fault" role="alert">{fault}</p>}
      <SecretNotice secret={secret} />
      {value?.api_keys.length === 0 && <p class="reason">None. Programs sign in with a key in X-API-Key.</p>}
      <ul class="rows">
        {value?.api_keys.map(({ expires_at, key_id, name, role, scopes }) => (
          <li key={key_id}>
            <b>{name}</b>
            <span class="reason">
              {`${role}; ${scopes.join(", ")}; ${
                expires_at === null ? "does not expire" : `until ${new Date(expires_at).toLocaleDateString()}`
              }`}
            </span>
            <button
              type="button"
              class="quiet"
              aria-label={`Revoke ${name}`}
              onClick={() =>
                void change(() => authorised(`/auth/api-keys/${encodeURIComponent(key_id)}`, { method: "DELETE" }))}
            >
              Revoke
            </button>
          </li>
        ))}
      </ul>
      <form class="actions" onSubmit={(event) => void add(event)}>
        <input
          name="name"
          required
          maxLength={128}
          aria-label="Name of the new key"
          placeholder="name of the program"
        />
        <RoleChoice label="Role of the new key" />
        <label class="reason">
          expires <input type="date" name="until" aria-label="Last day of the new key" />
        </label>
        <ScopeChoice />
        <button type="submit" class="quiet">Create key</button>
      </form>
    </section>
  )
}

export const AccessPanel = () =>
  isAtLeast("admin")
    ? (
      <div class="panels">
        <Users />
        <ApiKeys />
      </div>
    )
    : <p class="notice">Only an admin manages users and keys.</p>
