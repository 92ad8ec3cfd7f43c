/**
 * One line that says why npm failed and what to do. Pure.
 */

/** npm's codes for a registry that cannot be reached. */
const unreachable =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT)\b/

const notAllowed = "Let this user write there, or set npm_config_cache to a folder that it may write to."

/** What to do about an error of the file system, by its code. */
const advice = {
  EACCES: notAllowed,
  EPERM: notAllowed,
  EROFS: "Install where that folder can be written.",
  ENOSPC: "Free some space on that disk.",
}

/** Lines that explain nothing: fields, stack traces, and where the log is. */
const details = /^(code |syscall |path |errno |A complete log|\s*$|\s+(\/|at ))/

/**
 * @param {ReadonlyArray<string>} lines npm's last lines
 * @returns {string}
 */
export const npmFailure = (lines) => {
  const errors = lines.filter((line) => /^npm (error|ERR!|http fetch .* failed)/.test(line)).map((line) =>
    line.replace(/^npm \S+ ?/, "")
  )
  const offline = unreachable.exec(errors.join(" "))?.[1]
  if (offline !== undefined) {
    return `the packages could not be installed: the npm registry cannot be reached (${offline}). Check the network and try again. Without a network, ` +
      "copy the npm cache (`npm config get cache`) of a machine that has installed this version."
  }
  const field = (name) => errors.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1)
  const code = field("code")
  const onFile = field("path") === undefined ? undefined : `${code}: ${field("syscall") ?? "use"} ${field("path")}`
  const reason = onFile ?? errors.find((line) => !details.test(line)) ?? lines.at(-1) ?? "npm gave no reason"
  const steps = [advice[code], "`npm ci --ignore-scripts` shows all of npm's messages."]
  return `the packages could not be installed: ${reason.trim().replace(/\.$/, "")}. ${
    steps.filter((step) => step !== undefined).join(" ")
  }`
}
