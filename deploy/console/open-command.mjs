/**
 * The program that opens an address in the browser of an operating system. Plain JavaScript: the launcher allows the service to run it.
 *
 * @param {string} platform as in `process.platform`
 * @param {string} url
 */
export const openCommand = (platform, url) => {
  if (platform === "darwin") return { program: "open", args: [url] }
  if (platform === "win32") return { program: "cmd", args: ["/c", "start", "", url] }
  return { program: "xdg-open", args: [url] }
}
