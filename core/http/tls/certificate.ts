// Creates self-signed certificates and reads certificate details.
import { X509Certificate, createPrivateKey, webcrypto } from 'node:crypto'
import { isIP } from 'node:net'

export interface CertificateRequest {
  /** A DNS name or an IP address; becomes the certificate's name. */
  readonly hostname: string
  readonly validDays: number
  readonly dnsNames: readonly string[]
  readonly addresses: readonly string[]
}

/** Certificate and private key, PEM. */
export interface KeyPair {
  readonly cert: string
  readonly key: string
}

export interface CertificateInfo {
  readonly subject: string
  readonly issuer: string
  readonly selfSigned: boolean
  readonly notBeforeMs: number
  readonly notAfterMs: number
  readonly names: readonly string[]
  /** Lower-case hex. */
  readonly sha256: string
}

const DAY_MS = 86_400_000
// Tolerates clients whose clock is slightly behind.
const BACKDATED_MS = 5 * 60_000
// Clients check the alternative names, which contain the whole hostname.
const MAX_COMMON_NAME_LENGTH = 64
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

export async function createSelfSigned(request: CertificateRequest, nowMs: number): Promise<KeyPair> {
  const x509 = await loadX509()
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const names = [...new Set([request.hostname, 'localhost', ...request.dnsNames].filter((name) => isIP(name) === 0))]
  const addresses = [
    ...new Set([request.hostname, '127.0.0.1', '::1', ...request.addresses].filter((address) => isIP(address) !== 0)),
  ]
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      name: [{ CN: [request.hostname.slice(0, MAX_COMMON_NAME_LENGTH)] }],
      notBefore: new Date(nowMs - BACKDATED_MS),
      notAfter: new Date(nowMs + request.validDays * DAY_MS),
      keys,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension([
          ...names.map((value) => ({ type: 'dns' as const, value })),
          ...addresses.map((value) => ({ type: 'ip' as const, value })),
        ]),
      ],
    },
    webcrypto as Crypto,
  )
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  return {
    cert: `${certificate.toString('pem')}\n`,
    key: `-----BEGIN PRIVATE KEY-----\n${key.replace(/.{64}(?=.)/g, '$&\n')}\n-----END PRIVATE KEY-----\n`,
  }
}

/** Details of the first certificate of a PEM text; undefined if there is none. */
export function certificateInfo(pem: string): CertificateInfo | undefined {
  const certificate = parse(pem)
  if (certificate === undefined) return undefined
  return {
    subject: certificate.subject ?? '',
    issuer: certificate.issuer ?? '',
    selfSigned: certificate.subject === certificate.issuer && certificate.verify(certificate.publicKey),
    notBeforeMs: Date.parse(certificate.validFrom),
    notAfterMs: Date.parse(certificate.validTo),
    names: certificate.subjectAltName?.split(', ').map((name) => name.replace(/^(DNS|IP Address):/, '')) ?? [],
    sha256: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
  }
}

export function keyMatches(pair: KeyPair): boolean {
  try {
    return parse(pair.cert)?.checkPrivateKey(createPrivateKey(pair.key)) === true
  } catch {
    // The text is not a private key, or has a passphrase.
    return false
  }
}

/** Only the certificates of a PEM text, re-encoded: a combined file also contains the private key. */
export function certificatesOnly(pem: string): string {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  return blocks
    .map(parse)
    .filter((certificate) => certificate !== undefined)
    .map((certificate) => certificate.toString())
    .join('')
}

function parse(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem)
  } catch {
    // The caller handles a missing certificate.
    return undefined
  }
}

// The library's decorators call three functions of the Reflect metadata proposal, which Node lacks. The results are
// unused, so stubs are installed while it loads and removed afterwards.
async function loadX509(): Promise<typeof import('@peculiar/x509')> {
  const reflect = Reflect as unknown as Record<string, unknown>
  const missing = ['getMetadata', 'getOwnMetadata', 'defineMetadata'].filter((name) => !(name in reflect))
  for (const name of missing) reflect[name] = () => undefined
  try {
    return await import('@peculiar/x509')
  } finally {
    for (const name of missing) delete reflect[name]
  }
}
