/**
 * The credentials of a node towards its peers: a certificate of the cluster's own authority, and the shared credential.
 *
 * Owns their creation. Both come from the cluster's database (a node that can read it belongs to the cluster) or from the operator's
 * files. Boundary: `store/encryption/cluster-secrets.ts` stores the authority, `grpc-channel.ts` uses the credentials.
 */
import "reflect-metadata"
import * as x509 from "@peculiar/x509"
import { Effect } from "effect"
import type { webcrypto } from "node:crypto"
import { dayMs } from "../../core/analytics/calendar.ts"

/** The authority that signs the certificates of all nodes, in PEM. */
interface ClusterAuthority {
  readonly certificatePem: string
  readonly privateKeyPem: string
}

/** The certificate of a node, the authority that it trusts, and the shared random credential, which is compared in constant time. */
export interface RunnerCredentials {
  readonly authorityPem: string
  readonly certificatePem: string
  readonly privateKeyPem: string
  readonly credential: string
}

/** The subject name of every node's certificate. */
export const nodeName = "node.wavepose.internal"

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const
const authorityDays = 3650
const nodeDays = 825

const privateKeyPem = async (key: webcrypto.CryptoKey): Promise<string> =>
  x509.PemConverter.encode(await crypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY")

const importPrivateKey = (pem: string): Promise<webcrypto.CryptoKey> =>
  crypto.subtle.importKey("pkcs8", x509.PemConverter.decodeFirst(pem), algorithm, true, ["sign"])

/** A new authority, valid for ten years from `nowMs`. */
export const createAuthority = (nowMs: number): Effect.Effect<ClusterAuthority> =>
  Effect.promise(async () => {
    const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
      name: "CN=wavepose cluster",
      notBefore: new Date(nowMs - dayMs),
      notAfter: new Date(nowMs + authorityDays * dayMs),
      signingAlgorithm: algorithm,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      ],
    })
    return { certificatePem: certificate.toString("pem"), privateKeyPem: await privateKeyPem(keys.privateKey) }
  })

/**
 * A certificate for one node, signed by the authority. It proves that the node belongs to the cluster, not its address: all nodes have
 * the same name, which peers verify. The private key never leaves the process.
 */
export const issueNodeCertificate = (
  authority: ClusterAuthority,
  nowMs: number,
): Effect.Effect<Omit<RunnerCredentials, "credential">> =>
  Effect.promise(async () => {
    const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])
    const certificate = await x509.X509CertificateGenerator.create({
      subject: "CN=wavepose node",
      issuer: new x509.X509Certificate(authority.certificatePem).subject,
      notBefore: new Date(nowMs - dayMs),
      notAfter: new Date(nowMs + nodeDays * dayMs),
      signingAlgorithm: algorithm,
      publicKey: keys.publicKey,
      signingKey: await importPrivateKey(authority.privateKeyPem),
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.SubjectAlternativeNameExtension([{ type: "dns", value: nodeName }]),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
      ],
    })
    return {
      authorityPem: authority.certificatePem,
      certificatePem: certificate.toString("pem"),
      privateKeyPem: await privateKeyPem(keys.privateKey),
    }
  })
