/** The console's sign-in on answers and a clock of the test. */
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { RequestFailed } from "../../../gateways/console/web/service/request-failed.ts"
import { makeSignIn } from "../../../gateways/console/web/service/sign-in.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const lifetimeS = 100
const granted = (access_token: string) => ({
  access_token,
  expires_in: lifetimeS,
  username: "vera",
  role: "operator" as const,
})
const failed = (status: number) => new RequestFailed(status, { code: "CODE", message: `status ${status}` })

/** A sign-in whose requests get these answers, one after the other; null: no content. */
const begin = (...answers: ReadonlyArray<ReturnType<typeof granted> | RequestFailed | null>) => {
  const asked: Array<string> = []
  const signIn = makeSignIn(<A>(path: string, { method }: { readonly method: string }): Promise<A> => {
    const answer = answers[asked.length]
    asked.push(`${method} ${path}`)
    return answer instanceof RequestFailed ? Promise.reject(answer) : Promise.resolve(answer as A)
  })
  return { asked, signIn }
}

it("renews the token before it ends", async () => {
  const { asked, signIn } = begin(granted("one"), granted("two"))
  await signIn.renew()
  expect(signIn.token()).toBe("one")
  await vi.advanceTimersByTimeAsync(lifetimeS * 1000)
  expect(signIn.token()).toBe("two")
  expect(asked).toEqual(["POST /auth/session/refresh", "POST /auth/session/refresh"])
})

it("tries again when a renewal fails, and stays signed in", async () => {
  const { signIn } = begin(granted("one"), failed(503), failed(429), failed(0), granted("two"))
  await signIn.renew()
  await vi.advanceTimersByTimeAsync(2 * lifetimeS * 1000)
  expect(signIn.session.value).toMatchObject({ state: "signed-in", username: "vera" })
  expect(signIn.token()).toBe("two")
})

it("ends when the service rejects the renewal, and keeps the reason", async () => {
  const { asked, signIn } = begin(granted("one"), failed(401), failed(401))
  await signIn.renew()
  await vi.advanceTimersByTimeAsync(2 * lifetimeS * 1000)
  expect(asked).toHaveLength(2)
  // Requests that were under way try to renew as well.
  expect(await signIn.renew()).toBe(false)
  expect(signIn.session.value).toEqual({ state: "signed-out", reason: "Your sign-in has ended. Sign in again." })
  expect(signIn.token()).toBeNull()
})

it("stays signed in when the sign-out fails, and ends when the service has done it", async () => {
  const { asked, signIn } = begin(granted("one"), failed(503), null)
  await signIn.renew()
  await expect(signIn.signOut()).rejects.toThrow("status 503")
  expect(signIn.session.value).toMatchObject({ state: "signed-in" })
  expect(signIn.token()).toBe("one")
  await signIn.signOut()
  expect(signIn.session.value).toEqual({ state: "signed-out", reason: null })
  expect(signIn.token()).toBeNull()
  expect(asked.slice(1)).toEqual(["DELETE /auth/session", "DELETE /auth/session"])
})
