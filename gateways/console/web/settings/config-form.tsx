/** The form of the configuration, made from its schema. Only changed settings are sent, against the state that was read. */
import { useSignal } from "@preact/signals"
import { authorised, isAtLeast } from "../service/session.ts"
import { useResource } from "../state/resource.ts"
import { type Field, type FieldGroup, groupsOf, type JsonSchema, parsedValue, type Values } from "./config-fields.ts"

type Changes = Readonly<Record<string, unknown>>

interface SchemaAnswer {
  readonly schema: JsonSchema
  readonly defaults: Values
}

interface Applied {
  readonly restart_required: boolean
  readonly validation_warnings: ReadonlyArray<{ readonly field: string; readonly message: string }>
}

const shown = (value: unknown): string => value === null || value === undefined ? "–" : String(value)

const Input = ({ changes, field, onChange }: {
  readonly field: Field
  readonly changes: Changes
  readonly onChange: (value: unknown) => void
}) => {
  const { choices, isInteger, kind, maximum, minimum, name, value } = field
  const current = name in changes ? changes[name] : value
  const common = { id: name, "aria-describedby": `${name}-about`, disabled: !isAtLeast("operator") }
  const take = (text: string): void => {
    const parsed = parsedValue(field, text)
    if (parsed !== undefined) onChange(parsed)
  }
  if (kind === "report") return <output id={name}>{shown(current)}</output>
  if (kind === "switch") {
    return (
      <input
        {...common}
        type="checkbox"
        checked={current === true}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
    )
  }
  if (kind === "choice" || kind === "optional-switch") {
    const options = kind === "choice" ? choices : ["", "true", "false"]
    const words: Readonly<Record<string, string>> = { "": "by default", true: "yes", false: "no" }
    return (
      <select
        {...common}
        value={current === null ? "" : String(current)}
        onChange={(e) => take(e.currentTarget.value)}
      >
        {options.map((one) => <option key={one} value={one}>{kind === "choice" ? one : words[one]}</option>)}
      </select>
    )
  }
  const written = current === null ? "" : String(current)
  const read = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => take(currentTarget.value)
  if (kind === "text") return <input {...common} type="text" value={written} onChange={read} />
  return (
    <input
      {...common}
      type="number"
      min={minimum ?? undefined}
      max={maximum ?? undefined}
      step={isInteger ? 1 : "any"}
      value={written}
      onChange={read}
    />
  )
}

const Group = ({ changes, group, onChange }: {
  readonly group: FieldGroup
  readonly changes: Changes
  readonly onChange: (name: string, value: unknown) => void
}) => (
  <fieldset class="panel">
    <legend>{group.title}</legend>
    {group.fields.map((field) => (
      <div key={field.name} class={`setting ${field.name in changes ? "changed" : ""}`}>
        <label for={field.name}>{field.title}</label>
        <Input field={field} changes={changes} onChange={(value) => onChange(field.name, value)} />
        <p id={`${field.name}-about`} class="reason">
          {field.description}
          {field.kind !== "report" && ` Default: ${shown(field.standard)}.`}
        </p>
      </div>
    ))}
  </fieldset>
)

const appliedText = ({ restart_required, validation_warnings }: Applied): string =>
  [
    restart_required ? "Saved. A restart of the system makes it take effect." : "Saved.",
    ...validation_warnings.map(({ field, message }) => `${field}: ${message}`),
  ].join(" ")

export const ConfigForm = () => {
  const schema = useResource<SchemaAnswer>("/config/schema")
  const config = useResource<Values>("/config")
  const changes = useSignal<Changes>({})
  const applied = useSignal<string | null>(null)
  const fault = schema.fault ?? config.fault
  if (schema.value === null || config.value === null) {
    return <p class="notice" role="status">{fault ?? "Loading the settings…"}</p>
  }
  const groups = groupsOf(schema.value.schema, config.value, schema.value.defaults)
  const count = Object.keys(changes.value).length
  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    const isSaved = await config.change(async () => {
      const options = { method: "PUT", body: changes.value, ifMatch: config.etag } as const
      applied.value = appliedText(await authorised<Applied>("/config", options))
    })
    if (isSaved) changes.value = {}
    else applied.value = null
  }
  const change = (name: string, value: unknown): void => {
    const field = groups.flatMap(({ fields }) => fields).find((one) => one.name === name)
    const { [name]: _, ...others } = changes.value
    changes.value = field?.value === value ? others : { ...others, [name]: value }
  }
  return (
    <form class="settings-form" onSubmit={(event) => void save(event)}>
      <div class="settings-groups">
        {groups.map((group) => <Group key={group.title} group={group} changes={changes.value} onChange={change} />)}
      </div>
      {fault !== null && <p class="fault" role="alert">{fault}</p>}
      <p class="actions" role="status">
        {isAtLeast("operator") && (
          <button type="submit" disabled={count === 0}>
            {count === 0 ? "Save" : count === 1 ? "Save one change" : `Save ${count} changes`}
          </button>
        )}
        {count > 0 && <button type="button" class="quiet" onClick={() => changes.value = {}}>Discard</button>}
        {count === 0 && applied.value !== null && <span>{applied.value}</span>}
      </p>
    </form>
  )
}
