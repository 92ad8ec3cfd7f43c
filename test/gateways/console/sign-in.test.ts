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

it("asks again at page load while the service answers neither yes nor no", async () => {
  const { asked, signIn } = begin(failed(503), failed(0), failed(429), granted("one"))
  await signIn.renew()
  expect(signIn.session.value).toEqual({ state: "unknown", fault: "status 503" })
  await vi.advanceTimersByTimeAsync(10_000)
  expect(signIn.session.value).toMatchObject({ state: "signed-in" })
  expect(asked).toHaveLength(4)
})

it("shows the sign-in when the service rejects what the page asks for another reason than its cookie", async () => {
  const { asked, signIn } = begin(failed(403))
  await signIn.renew()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(signIn.session.value).toEqual({ state: "signed-out", reason: "status 403" })
  expect(asked).toHaveLength(1)
  const byCode = begin(failed(403), failed(403)).signIn
  await byCode.byCode("code")
  expect(byCode.session.value).toEqual({ state: "signed-out", reason: "status 403" })
})

it("asks seldom when the service is away for long", async () => {
  const { asked, signIn } = begin(...Array.from({ length: 1000 }, () => failed(0)))
  await signIn.renew()
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(signIn.session.value).toEqual({ state: "unknown", fault: "status 0" })
  expect(asked.length).toBeGreaterThan(100)
  expect(asked.length).toBeLessThan(130)
})

it("is signed out without a reason when this browser has no sign-in", async () => {
  const { signIn } = begin(failed(401))
  await signIn.renew()
  expect(signIn.session.value).toEqual({ state: "signed-out", reason: null })
})

it("follows a one-time link again when the service was away", async () => {
  const { asked, signIn } = begin(failed(503), failed(401), granted("one"))
  await signIn.byCode("code")
  expect(signIn.session.value).toEqual({ state: "unknown", fault: "status 503" })
  await vi.advanceTimersByTimeAsync(10_000)
  expect(signIn.token()).toBe("one")
  expect(asked).toEqual(["POST /auth/session", "POST /auth/session/refresh", "POST /auth/session"])
})

it("says that a one-time link was used, and keeps a sign-in that cannot be renewed now", async () => {
  const without = begin(failed(401), failed(401))
  await without.signIn.byCode("code")
  expect(without.signIn.session.value).toMatchObject({ reason: expect.stringContaining("was used already") })
  const within = begin(granted("one"), failed(401), failed(503), granted("two"))
  await within.signIn.renew()
  await within.signIn.byCode("code")
  expect(within.signIn.token()).toBe("one")
  await vi.advanceTimersByTimeAsync(10_000)
  expect(within.signIn.token()).toBe("two")
})
