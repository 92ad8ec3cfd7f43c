/** A secret that the service shows once. */
import type { Signal } from "@preact/signals"

export interface ShownSecret {
  readonly title: string
  readonly text: string
}

export const SecretNotice = ({ secret }: { readonly secret: Signal<ShownSecret | null> }) => {
  const { value } = secret
  return value === null ? null : (
    <div class="notice secret" role="status">
      <h3>{value.title}</h3>
      <p>It is shown only now. Copy it.</p>
      <input
        readOnly
        aria-label={value.title}
        value={value.text}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <button type="button" class="quiet" onClick={() => secret.value = null}>Done</button>
    </div>
  )
}
