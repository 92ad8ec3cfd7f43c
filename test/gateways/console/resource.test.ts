import { describe, expect, it } from "vitest"
import { RequestFailed } from "../../../gateways/console/web/service/request-failed.ts"
import { makeResource } from "../../../gateways/console/web/state/resource-state.ts"

/** A value of a service that counts its changes as its tag. */
const makeService = () => {
  let version = 1
  let isDown = false
  const failed = (status: number, message: string) => new RequestFailed(status, { code: "X", message })
  return {
    goDown: () => isDown = true,
    put: (ifMatch: string | null) => {
      if (ifMatch !== String(version)) return Promise.reject(failed(412, "It has changed."))
      version++
      return Promise.resolve()
    },
    changeElsewhere: () => version++,
    read: () =>
      isDown ? Promise.reject(failed(503, "Busy.")) : Promise.resolve({ value: version, etag: String(version) }),
  }
}

const start = async () => {
  const service = makeService()
  const resource = makeResource(service.read)
  await resource.load()
  const save = () => resource.change(() => service.put(resource.read.value!.etag))
  return { service, resource, save }
}

describe("a value of the service that is changed", () => {
  it("is read again after a change", async () => {
    const { resource, save } = await start()
    expect(await save()).toBe(true)
    expect([resource.read.value?.value, resource.fault.value]).toEqual([2, null])
  })

  it("can be saved again after somebody else has changed it", async () => {
    const { resource, save, service } = await start()
    service.changeElsewhere()
    expect(await save()).toBe(false)
    expect(resource.fault.value).toContain("Somebody else has changed this meanwhile")
    expect(await save()).toBe(true)
    expect(resource.fault.value).toBeNull()
  })

  it("counts as saved when only the read after it fails", async () => {
    const { resource, save, service } = await start()
    service.goDown()
    expect(await save()).toBe(true)
    expect(resource.fault.value).toBe("Busy.")
  })
})
