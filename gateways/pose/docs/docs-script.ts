/**
 * The script of the documentation page: search, and requests from the page. Without it the page is complete text.
 *
 * It runs under a content security policy that allows only the own origin. The token stays in memory.
 */
export const docsScript = `"use strict"
const all = (selector, within = document) => [...within.querySelectorAll(selector)]
const operations = all("main details.operation, main details.message, section details")
const search = document.getElementById("search")
search.closest("p").hidden = false
search.addEventListener("input", () => {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean)
  for (const entry of operations) {
    const text = entry.textContent.toLowerCase()
    if (!entry.parentElement.closest("details")) entry.hidden = !words.every((word) => text.includes(word))
  }
  for (const link of all("nav li")) link.hidden = !words.every((word) => link.textContent.toLowerCase().includes(word))
})
const token = document.getElementById("token")
token.closest("p").hidden = false
const send = async (form) => {
  const query = new URLSearchParams()
  let path = form.dataset.path
  for (const input of all("input", form)) {
    if (input.dataset.in === "path") path = path.replace("{" + input.name + "}", encodeURIComponent(input.value))
    else if (input.value !== "") query.set(input.name, input.value)
  }
  const body = form.querySelector("textarea")
  const headers = {}
  if (token.value !== "") headers.Authorization = "Bearer " + token.value
  if (body && body.value !== "") headers["Content-Type"] = "application/json"
  const began = performance.now()
  const response = await fetch(path + (query.size > 0 ? "?" + query : ""), {
    method: form.dataset.method,
    headers,
    ...(body && body.value !== "" ? { body: body.value } : {})
  })
  const text = await response.text()
  let shown = text
  try { shown = JSON.stringify(JSON.parse(text), null, 2) } catch { /* The answer is no JSON. */ }
  return response.status + " in " + Math.round(performance.now() - began) + " ms\\n" + shown
}
for (const form of all("form.try")) {
  form.hidden = false
  form.addEventListener("submit", async (event) => {
    event.preventDefault()
    const output = form.querySelector("output")
    output.textContent = "…"
    output.textContent = await send(form).catch((error) => "The request failed: " + error.message)
  })
}
const opened = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (target && target.tagName === "DETAILS") target.open = true
}
addEventListener("hashchange", opened)
opened()
`
