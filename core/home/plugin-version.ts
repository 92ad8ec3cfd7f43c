/**
 * Valid versions of plugins.
 *
 * Home-automation plugins use five forms. A text in none of them cannot be compared with other versions. Boundary:
 * this file checks the form and compares nothing.
 */

/** A whole number that counts builds. */
const build = /^\d+$/
/** Numbers with dots, and an optional `v` before them. */
const simple = /^[vV]?\d+(\.\d+){1,4}$/
/** semver.org, version 2.0.0. */
const semantic =
  /^[vV]?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/
/** Year, month, and what follows: calver.org. */
const calendar = /^\d{2,4}\.(0?[1-9]|1[0-2])(\.\d+){0,2}([.-]?(a|b|rc|dev|beta)\.?\d+)?$/
/** Python's PEP 440, without the forms that it normalises away. */
const python = /^(\d+!)?\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?(\+[a-z0-9]+([._-][a-z0-9]+)*)?$/

/** Whether a text is a version of the form build number, simple, SemVer, CalVer or PEP 440. */
export const isPluginVersion = (text: string): boolean =>
  [build, simple, semantic, calendar, python].some((form) => form.test(text))
