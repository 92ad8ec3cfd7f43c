/** The messages of the launcher on stderr: text, or with `WAVEPOSE_LOG_FORMAT=json` one object per line like the service's log (`settings/log.ts`). */

/** @param level `error` or `info` */
export const say = (level, message) => {
  const time = new Date().toISOString()
  const entry = { time, level, component: "launcher", message }
  console.error(process.env.WAVEPOSE_LOG_FORMAT === "json" ? JSON.stringify(entry) : `wavepose: ${message}`)
}
