// The certificate settings (`ui.tls`), with defaults for missing or invalid values.
import { isIP } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import type { ConfigDocument, ConfigService } from '../../config/contract.ts'
import { isObject } from '../../config/document/document.ts'
import type { CertificateRequest } from './certificate.ts'

const DEFAULT_VALID_DAYS = 825
const MAX_VALID_DAYS = 3650

export interface TlsSettings {
  readonly document: ConfigDocument
  readonly selfSigned: boolean
  readonly hostname: string
  readonly validDays: number
  readonly dnsNames: readonly string[]
  readonly addresses: readonly string[]
  readonly certFile: string
  readonly keyFile: string
}

export function readSettings(config: Pick<ConfigService, 'at'>): TlsSettings {
  const stored = config.at('ui.tls')
  const document = isObject(stored) ? stored : {}
  const text = (key: string): string => (typeof document[key] === 'string' ? document[key].trim() : '')
  const texts = (key: string): string[] =>
    Array.isArray(document[key]) ? document[key].filter((item) => typeof item === 'string') : []
  const days = document['valid_days']
  return {
    document,
    selfSigned: document['self_signed'] !== false,
    hostname: text('hostname') || 'localhost',
    validDays:
      typeof days === 'number' && Number.isInteger(days) && days >= 1 && days <= MAX_VALID_DAYS
        ? days
        : DEFAULT_VALID_DAYS,
    dnsNames: texts('alt_dns'),
    addresses: texts('alt_ips'),
    certFile: text('cert_file'),
    keyFile: text('key_file'),
  }
}

export function storeSettings(draft: ConfigDocument, settings: TlsSettings): void {
  const ui = isObject(draft['ui']) ? draft['ui'] : (draft['ui'] = {})
  const tls = isObject(ui['tls']) ? ui['tls'] : {}
  ui['tls'] = {
    ...tls,
    self_signed: true,
    hostname: settings.hostname,
    valid_days: settings.validDays,
    alt_dns: [...settings.dnsNames],
    alt_ips: [...settings.addresses],
  }
}

export function isCustom(settings: TlsSettings): boolean {
  return settings.certFile !== '' || settings.keyFile !== ''
}

// Adds the usual names of this machine.
export function toRequest(settings: TlsSettings): CertificateRequest {
  const interfaces = Object.values(networkInterfaces()).flat()
  const primary = interfaces.find(
    (address) => address !== undefined && !address.internal && address.family === 'IPv4',
  )?.address
  return {
    hostname: settings.hostname,
    validDays: settings.validDays,
    dnsNames: [hostname(), ...settings.dnsNames].filter(isDnsName),
    addresses: [...(primary === undefined ? [] : [primary]), ...settings.addresses],
  }
}

export function isDnsName(name: string): boolean {
  const labels = name.replace(/^\*\./, '').split('.')
  return (
    name.length <= 253 &&
    isIP(name) === 0 &&
    labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?$/i.test(label))
  )
}
