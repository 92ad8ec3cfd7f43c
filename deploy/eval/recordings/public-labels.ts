/**
 * Labels of public recordings by their file names, as their authors describe them: facts about files that are not part
 * of this repository.
 */
import { endsWithPath, type LabelOf, type RecordingLabel, type RoomState } from "./labels.ts"

const whole = (
  room: string,
  link: string,
  state: RoomState,
  breathingPerMinute: number | null = null,
): RecordingLabel => ({ room, link, spans: [{ fromS: 0, untilS: Infinity, state, breathingPerMinute }] })

/** marcrubii/pulse-wifi-sensing, puz9/CSI-Localization, jasminkarki/wifi-sensing-har, jugal-ahir/BreathSense. */
const files: Readonly<Record<string, RecordingLabel>> = {
  "pulse_esp32/vacio_01.csv": whole("pulse", "pulse", "empty"),
  "pulse_esp32/vacio_02.csv": whole("pulse", "pulse", "empty"),
  "pulse_esp32/resp_vacio.csv": whole("pulse", "pulse", "empty"),
  "pulse_esp32/mov_01.csv": whole("pulse", "pulse", "moving"),
  "pulse_esp32/mov_02.csv": whole("pulse", "pulse", "moving"),
  "pulse_esp32/resp_6rpm.csv": whole("pulse", "pulse", "still", 6),
  "pulse_esp32/resp_puerta_6rpm.csv": whole("pulse", "pulse", "still", 6),
  "puz9/x_axis_empty.csv": whole("puz9", "puz9 x", "empty"),
  "puz9/x_axis_walking.csv": whole("puz9", "puz9 x", "moving"),
  "puz9/y_axis_empty.csv": whole("puz9", "puz9 y", "empty"),
  "puz9/y_axis_walking.csv": whole("puz9", "puz9 y", "moving"),
  "jasmin_har/noPersonFanRunning.csv": whole("jasmin", "jasmin", "empty"),
  "jasmin_har/personDoingNormalActivity.csv": whole("jasmin", "jasmin", "moving"),
  ...Object.fromEntries(
    [6, 12, 20].map((rate) => [
      `breathsense/BPM${rate}/config0001_csi_status_log.csv`,
      whole("breathsense", "breathsense", "phantom", rate),
    ]),
  ),
}

export const publicLabelOf: LabelOf = (path) =>
  Object.entries(files).find(([file]) => endsWithPath(path, file))?.[1] ?? null
