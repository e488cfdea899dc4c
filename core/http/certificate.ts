// Certificates of the listener: making a self-signed one, and saying what is in one.
import { X509Certificate, createPrivateKey, webcrypto } from 'node:crypto'
import { isIP } from 'node:net'

export interface CertificateRequest {
  /** A DNS name or an address; becomes the certificate's name. */
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
// Clocks differ; a certificate that starts now is refused by a client whose clock is a little behind.
const BACKDATED_MS = 5 * 60_000
// Clients look at the alternative names, which hold the whole hostname.
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

/** What the first certificate of a PEM text says; undefined when there is none that can be read. */
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
    // Not a private key, or one that needs a passphrase.
    return false
  }
}

/** Only the certificates of a PEM text, written anew: a combined file also holds the private key. */
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
    // The caller says what it means that there is no certificate.
    return undefined
  }
}

// The library decorates its classes while it loads and asks three functions of a proposal that Node does not have.
// Nobody reads what they would record, so they answer nothing, and they are gone again before anybody else could build
// on them.
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
