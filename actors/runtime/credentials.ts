/**
 * What a node needs to speak to its peers: a certificate of the cluster's own authority and the shared credential.
 *
 * Owns how they are made. Both come from the cluster's database (a node that may read it belongs to the cluster) or
 * from the operator's own files. Boundary: `store/encryption/cluster-secrets.ts` keeps the authority, `grpc-channel.ts` uses the result.
 */
import "reflect-metadata"
import * as x509 from "@peculiar/x509"
import { Effect } from "effect"
import type { webcrypto } from "node:crypto"

/** PEM texts of the authority that signs every node of a cluster. */
interface ClusterAuthority {
  readonly certificatePem: string
  readonly privateKeyPem: string
}

/** What one node presents and trusts. The credential is a shared random text, compared in constant time. */
export interface RunnerCredentials {
  readonly authorityPem: string
  readonly certificatePem: string
  readonly privateKeyPem: string
  readonly credential: string
}

/** The name in every node's certificate. */
export const nodeName = "node.wavepose.internal"

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const
const dayMs = 86_400_000
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
 * A certificate for one node, signed by the authority. It proves that the node belongs to the cluster, not where it is:
 * all nodes carry the same name and peers ask for that one. The key never leaves the process.
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
