/**
 * The shortcuts of everyday commands: `wavepose start` is `wavepose service start`. Plain JavaScript, because the launcher expands
 * them before the packages are installed.
 */

/** Each shortcut and the noun and verb that it stands for. */
export const shortcuts = {
  start: ["service", "start"],
  doctor: ["service", "doctor"],
  backup: ["service", "backup"],
  restore: ["service", "restore"],
  record: ["recording", "make"],
  replay: ["recording", "replay"],
  inspect: ["recording", "inspect"],
  export: ["data", "export"],
  serial: ["node", "serial"],
  sign: ["node", "sign"],
  nodes: ["node"],
  bridge: ["edge", "bridge"],
  mqtt: ["edge", "mqtt"],
  users: ["user"],
}

const helpFlags = ["--help", "-h"]

/**
 * The arguments with their shortcut expanded. `help NOUN VERB` is `NOUN VERB --help`; no arguments are `start`.
 *
 * @param {ReadonlyArray<string>} args of `wavepose`
 * @returns {ReadonlyArray<string>}
 */
export const expandShortcut = (args) => {
  const [first, ...rest] = args
  if (first === undefined) return shortcuts.start
  if (helpFlags.includes(first) && rest.length === 0) return ["help"]
  if (first === "help" && rest.some((word) => !word.startsWith("-"))) return [...expandShortcut(rest), "--help"]
  return Object.hasOwn(shortcuts, first) ? [...shortcuts[first], ...rest] : args
}
