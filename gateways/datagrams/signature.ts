/**
 * The signatures of datagrams, made by the sender and checked by the listener. Their bytes are `core/identity/signed-datagram.ts`.
 *
 * Uses `node:crypto`, because Web Crypto is asynchronous and a datagram is checked where it is received.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { readKeyText, signatureBytes, type SignedDatagram, writeSigned } from "../../core/identity/signed-datagram.ts"

const hmac = (key: Uint8Array, of: Uint8Array): Uint8Array => createHmac("sha256", key).update(of).digest()

/** Whether this key made the datagram's signature; takes the same time whichever byte is wrong. */
export const isSignedBy = (key: Uint8Array, { signature, signedPart }: SignedDatagram): boolean =>
  timingSafeEqual(hmac(key, signedPart).subarray(0, signatureBytes), signature)

/** Signs one datagram after the other. */
export type Signer = (datagram: Uint8Array) => Uint8Array

const sequenceMax = 0xffffffff

/**
 * A signer with a key's text, as an operator received it; null when the text is not a key.
 *
 * @param epoch greater than that of every signer before it with this key, as Unix seconds are
 */
export const makeSigner = (text: string, epoch: number): Signer | null => {
  const given = readKeyText(text)
  if (given === null) return null
  const { key, keyNumber } = given
  let stamp = { keyNumber, epoch, sequence: -1 }
  return (datagram) => {
    stamp = stamp.sequence === sequenceMax
      ? { keyNumber, epoch: stamp.epoch + 1, sequence: 0 }
      : { ...stamp, sequence: stamp.sequence + 1 }
    return writeSigned(datagram, stamp, (signedPart) => hmac(key, signedPart))
  }
}
