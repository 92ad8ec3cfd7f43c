/** Breathing and heart rate of a room, or the reason why there is none, in visible words. */
import type { Metadata } from "../service/types.ts"

const Measure = ({ label, reason, unit, value }: {
  readonly label: string
  readonly value: number | null
  readonly unit: string
  readonly reason: string | null
}) => (
  <div class="measure">
    <dt>{label}</dt>
    <dd>
      {value === null
        ? (
          <>
            <span class="none">–</span>
            <small>{reason}</small>
          </>
        )
        : (
          <>
            <b>{value.toFixed(1)}</b>
            {` ${unit}`}
          </>
        )}
    </dd>
  </div>
)

export const Vitals = ({ vitals }: Pick<Metadata, "vitals">) => (
  <dl class="measures">
    <Measure label="Breathing" unit="per minute" value={vitals.breathing_rate_bpm} reason={vitals.breathing_reason} />
    <Measure label="Heart" unit="per minute" value={vitals.heartrate_bpm} reason={vitals.heartrate_reason} />
  </dl>
)
