/** A length that is typed: metres, centimetres or feet; what cannot be read or is out of range is said, and changes nothing. */
import { useSignal } from "@preact/signals"
import { lengthM, lengthText } from "./lengths.ts"

export const LengthField = ({ label, max, min = 0, onChange, valueM }: {
  readonly label: string
  readonly valueM: number
  readonly min?: number
  readonly max: number
  readonly onChange: (valueM: number) => void
}) => {
  const fault = useSignal<string | null>(null)
  return (
    <label class="field">
      <span>{label}</span>
      <input
        inputMode="decimal"
        value={lengthText(valueM)}
        aria-invalid={fault.value !== null}
        onChange={({ currentTarget }) => {
          const read = lengthM(currentTarget.value)
          const isValid = read !== null && read >= min && read <= max
          fault.value = isValid ? null : `Type metres from ${lengthText(min)} to ${lengthText(max)}, or feet: 10'6"`
          if (isValid) onChange(read)
          currentTarget.value = lengthText(isValid ? read : valueM)
        }}
      />
      {fault.value !== null && <small class="fault" role="alert">{fault.value}</small>}
    </label>
  )
}
