// Environment variables, read once. An invalid value ends the start with a one-line message.
import { isIP } from 'node:net'
import { resolve } from 'node:path'

export interface Environment {
  readonly dataDirectory: string
  readonly host: string
  readonly port: number
  readonly logLevel: string
  /** Passphrase for secrets at rest; null means a key file. */
  readonly secretKey: string | null
  readonly setupToken: string | null
  readonly allowNoAuth: boolean
  /** Public address without a trailing slash. */
  readonly publicUrl: string | null
  /** Path below which a proxy publishes the service: '/playhead', or ''. */
  readonly basePath: string
  /** A marker; each new value resets the account once. */
  readonly authReset: string | null
  /** Poll interval for changed sources, for file systems without change events. */
  readonly watchPollMs: number | null
  /** Registry of plugins; null: as .npmrc says. */
  readonly npmRegistry: string | null
}

/** An invalid value; the message is for the operator. */
export class EnvironmentError extends Error {}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

export function readEnvironment(variables: Readonly<Record<string, string | undefined>>): Environment {
  const text = (name: string) => {
    const value = variables[name]?.trim()
    return value === undefined || value === '' ? null : value
  }
  const refuse = (name: string, wanted: string): never => {
    throw new EnvironmentError(`${name} must be ${wanted}, not "${variables[name]}".`)
  }
  const flag = (name: string) => {
    const value = text(name)?.toLowerCase() ?? '0'
    if (['1', 'true', 'yes', 'on'].includes(value)) return true
    return ['0', 'false', 'no', 'off'].includes(value) ? false : refuse(name, '1 or 0')
  }
  const integer = (name: string, from: number, to: number) => {
    const value = text(name)
    if (value === null) return null
    const number = Number(value)
    return /^\d+$/.test(value) && number >= from && number <= to
      ? number
      : refuse(name, `a whole number from ${from} to ${to}`)
  }

  const host = text('PLAYHEAD_HOST') ?? '127.0.0.1'
  if (isIP(host) === 0 && !/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(host))
    refuse('PLAYHEAD_HOST', 'an IP address or a host name')
  const logLevel = text('PLAYHEAD_LOG_LEVEL') ?? 'info'
  if (!LOG_LEVELS.includes(logLevel)) refuse('PLAYHEAD_LOG_LEVEL', `one of ${LOG_LEVELS.join(', ')}`)
  const publicUrl = text('PLAYHEAD_PUBLIC_URL')
  if (publicUrl !== null && !isWebAddress(publicUrl))
    refuse('PLAYHEAD_PUBLIC_URL', 'an address like https://playhead.example.org')
  const basePath = (text('PLAYHEAD_BASE_PATH') ?? '').replace(/\/+$/, '')
  if (basePath !== '' && !BASE_PATH.test(basePath))
    refuse('PLAYHEAD_BASE_PATH', 'a path like /playhead (letters, digits, ".", "_", "~" and "-")')
  if (OWN_PATH.test(basePath))
    throw new EnvironmentError(`PLAYHEAD_BASE_PATH must not begin with an address of the service: "${basePath}".`)
  const npmRegistry = text('PLAYHEAD_NPM_REGISTRY')
  if (npmRegistry !== null && !isWebAddress(npmRegistry))
    refuse('PLAYHEAD_NPM_REGISTRY', 'an address like https://npm.example.org')
  const secretKey = text('PLAYHEAD_SECRET_KEY')
  if (secretKey !== null && secretKey.length < 12)
    throw new EnvironmentError('PLAYHEAD_SECRET_KEY must have at least 12 characters.')

  return {
    dataDirectory: resolve(text('PLAYHEAD_DATA_DIR') ?? './data'),
    host,
    port: integer('PLAYHEAD_PORT', 0, 65_535) ?? 8787,
    logLevel,
    secretKey,
    setupToken: text('PLAYHEAD_SETUP_TOKEN'),
    allowNoAuth: flag('PLAYHEAD_ALLOW_NO_AUTH'),
    publicUrl: publicUrl === null ? null : withBase(publicUrl.replace(/\/+$/, ''), basePath),
    basePath,
    authReset: text('PLAYHEAD_AUTH_RESET'),
    npmRegistry,
    watchPollMs: integer('PLAYHEAD_WATCH_POLL_MS', 50, 60_000),
  }
}

// Behind a proxy that removes the base path, these would be ambiguous.
const OWN_PATH = /^\/(?:api|assets|callback|docs|guide|healthz|login|logout|metrics|redoc|webhook)(?:\/|$)/
const BASE_PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+$/

/** The public address may be given with or without the base path. */
function withBase(address: string, basePath: string): string {
  return new URL(address).pathname.endsWith(basePath) ? address : address + basePath
}

function isWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === ''
}

/** True if only this machine can reach the listener. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}
