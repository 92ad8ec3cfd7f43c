/** Answers of the home API over REST, in the form that tests compare. */
import type { Asked } from "./harness.ts"

const message = (text: string) => ({ message: text })
export const json = (asked: Asked) => ({ status: asked.status, type: asked.type, body: asked.json })
export const plain = (asked: Asked) => ({ status: asked.status, type: asked.type, body: asked.text })
export const text = (status: number, body: string) => ({ status, type: "text/plain; charset=utf-8", body })
export const said = (status: number, words: string) => ({ status, type: "application/json", body: message(words) })
