import { createHmac } from "node:crypto"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { keyText, readKeyText, readSigned, trailerBytes, writeSigned } from "../../../core/identity/signed-datagram.ts"
import { isSignedBy, makeSigner } from "../../../gateways/datagrams/signature.ts"

const key = Uint8Array.from({ length: 32 }, (_, i) => i)
const u32 = fc.integer({ min: 0, max: 0xffffffff })

describe("a signed datagram", () => {
  it("has the documented bytes", () => {
    const datagram = new TextEncoder().encode("CSI!")
    const bytes = makeSigner(keyText(7, key), 0x01020304)!(datagram)
    const stamp = Buffer.from("57505331" + "07000000" + "04030201" + "00000000", "hex")
    const signedPart = Buffer.concat([datagram, stamp])
    const signature = createHmac("sha256", key).update(signedPart).digest().subarray(0, 16)
    expect(Buffer.from(bytes).toString("hex")).toBe(Buffer.concat([signedPart, signature]).toString("hex"))
  })

  it("is parsed as it was built, and its signature is valid for its key only", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), u32, u32, u32, (datagram, keyNumber, epoch, sequence) => {
      const sign = (part: Uint8Array) => createHmac("sha256", key).update(part).digest()
      const signed = readSigned(writeSigned(datagram, { keyNumber, epoch, sequence }, sign))!
      expect(signed).toMatchObject({ keyNumber, epoch, sequence })
      expect(Buffer.from(signed.datagram).equals(Buffer.from(datagram))).toBe(true)
      expect(isSignedBy(key, signed)).toBe(true)
      expect(isSignedBy(key.map((byte) => byte ^ 1), signed)).toBe(false)
    }))
  })

  it("is invalid if any one of its bits changes", () => {
    const bytes = makeSigner(keyText(1, key), 5)!(Uint8Array.of(1, 2, 3, 4, 5, 6))
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      const changed = bytes.slice()
      changed[bit >> 3]! ^= 1 << (bit & 7)
      const read = readSigned(changed)
      expect(read !== null && isSignedBy(key, read), `bit ${bit}`).toBe(false)
    }
  })

  it("is not one without its trailer", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const marked = bytes.length >= trailerBytes &&
        Buffer.from(bytes.subarray(bytes.length - trailerBytes)).toString("latin1").startsWith("WPS1")
      expect(readSigned(bytes) !== null).toBe(marked)
    }))
  })

  it("counts within its epoch", () => {
    const sign = makeSigner(keyText(1, key), 9)!
    const positions = [1, 2, 3].map(() => readSigned(sign(new Uint8Array(1)))!)
    expect(positions.map(({ epoch, sequence }) => [epoch, sequence])).toEqual([[9, 0], [9, 1], [9, 2]])
  })
})

describe("a key's text", () => {
  it("is parsed as it was written, and other texts are rejected", () => {
    fc.assert(fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), u32, (bytes, keyNumber) => {
      expect(readKeyText(keyText(keyNumber, bytes))).toEqual({ keyNumber, key: bytes })
    }))
    const text = keyText(1, key)
    for (
      const wrong of [
        "",
        text.slice(1),
        text.slice(0, -1),
        `${text}0`,
        text.toUpperCase(),
        "wpk-4294967296-" + "0".repeat(64),
      ]
    ) {
      expect(readKeyText(wrong), wrong).toBe(null)
      expect(makeSigner(wrong, 1)).toBe(null)
    }
  })
})
