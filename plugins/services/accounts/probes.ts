// Whether accounts work: asked side by side, at most so many at once, each shared by all who want to know, and kept for a moment.
// Accounts that do not work are asked less and less often.
import type { AccountHealth, Logger, ProfileState, ProviderDescription, ReasonCode } from '@playhead/sdk'
import type { LiveProvider } from './directory.ts'
import type { Limiter } from './limiter.ts'

export interface Checked {
  readonly health: AccountHealth
  readonly checkedAtMs: number
}

/** What is asked, and by what it is known that it is still the same account. */
export interface Target {
  readonly provider: string
  readonly label: string
  readonly instance: string
  readonly fingerprint: string
  /** Undefined: configured. */
  readonly missing: ReasonCode | undefined
  readonly probe: (signal: AbortSignal) => Promise<AccountHealth>
}

/** `now` asks the service. `soon` takes a result of the last 15 s. `usual` also waits longer before it asks a broken account again. */
export type Patience = 'now' | 'soon' | 'usual'

export interface Probes {
  /** Never throws. */
  ask(target: Target, patience: Patience): Promise<Checked>
  /** The last result with these credentials. */
  last(target: Target): Checked | undefined
  forget(provider: string): void
  clear(): void
}

export interface ProbesOptions {
  readonly limiter: Limiter
  readonly log: Logger
  readonly now: () => number
  readonly probeMs: number
  readonly signal: AbortSignal
}

interface Entry {
  readonly provider: string
  readonly fingerprint: string
  /** Aborts when the entry is forgotten. */
  readonly outdated: AbortController
  failures: number
  checked?: Checked
  running?: Promise<Checked>
}

const KEEP_MS = 15_000
const LONGEST_BACKOFF_MS = 120_000
const LONGEST_PAUSE_MS = 900_000

const TEXTS: Readonly<Record<ReasonCode, string>> = {
  not_configured: 'not configured',
  missing_credentials: 'missing credentials',
  network: 'network error',
  timeout: 'timeout',
  tls: 'the certificate is not trusted',
  unauthorized: 'unauthorized (token expired/revoked)',
  forbidden: 'forbidden/invalid client id or scope',
  not_found: 'endpoint not found',
  rate_limited: 'too many requests',
  quota: 'Daily API limit reached.',
  upstream_error: 'service error',
  invalid_response: 'the answer cannot be understood',
  refresh_failed: 'token refresh failed',
  profile_unavailable: 'profile unavailable',
  disabled: 'disabled',
  version_too_old: 'the server is too old',
}

export function createProbes({ limiter, log, now, probeMs, signal }: ProbesOptions): Probes {
  const entries = new Map<string, Entry>()

  function entryOf({ provider, instance, fingerprint }: Target): Entry {
    const name = `${provider}@${instance}`
    const known = entries.get(name)
    if (known?.fingerprint === fingerprint) return known
    const entry: Entry = { provider, fingerprint, outdated: new AbortController(), failures: 0 }
    entries.set(name, entry)
    return entry
  }

  function drop(name: string, entry: Entry): void {
    entries.delete(name)
    entry.outdated.abort()
  }

  async function run(entry: Entry, target: Target): Promise<Checked> {
    const health = await limiter(() => ask(target, entry.outdated.signal))
    const checked = { health: withReason(health, target.label), checkedAtMs: now() }
    entry.failures = isWorking(health) ? 0 : entry.failures + 1
    entry.checked = checked
    return checked
  }

  async function ask({ probe, provider, instance }: Target, outdated: AbortSignal): Promise<AccountHealth> {
    const late: AccountHealth = { status: 'down', reasonCode: 'timeout' }
    if (outdated.aborted) return late
    const { promise: given, resolve } = Promise.withResolvers<AccountHealth>()
    const end = new AbortController()
    const giveUp = () => {
      resolve(late)
      end.abort(new DOMException('the account was asked for too long', 'TimeoutError'))
    }
    const timer = setTimeout(giveUp, probeMs)
    outdated.addEventListener('abort', giveUp, { once: true })
    try {
      return await Promise.race([probe(AbortSignal.any([end.signal, signal])), given])
    } catch (error) {
      log.warn({ err: error, provider, instance }, 'an account could not be asked')
      return { status: 'unknown', reasonCode: 'upstream_error' }
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    async ask(target, patience) {
      if (target.missing !== undefined) return { health: notConfigured(target), checkedAtMs: now() }
      const entry = entryOf(target)
      if (entry.running !== undefined) return entry.running.then((found) => entry.outdated.signal.aborted ? this.ask(target, patience) : found)
      const { checked } = entry
      const ageMs = checked === undefined ? Infinity : now() - checked.checkedAtMs
      if (checked !== undefined && patience !== 'now' && ageMs >= 0 && ageMs < keepMs(entry, patience)) return checked
      entry.running = run(entry, target).finally(() => {
        delete entry.running
      })
      return entry.running.then((found) => entry.outdated.signal.aborted ? this.ask(target, patience) : found)
    },
    last: ({ provider, instance, fingerprint }) => {
      const entry = entries.get(`${provider}@${instance}`)
      return entry?.fingerprint === fingerprint ? entry.checked : undefined
    },
    // What is asked right now is called off; those who wait for it ask again.
    forget(provider) {
      for (const [name, entry] of entries) if (entry.provider === provider) drop(name, entry)
    },
    clear() {
      for (const [name, entry] of entries) drop(name, entry)
    },
  }
}

/** How long a result is good for. */
function keepMs({ checked, failures }: Entry, patience: Patience): number {
  const pauseMs = Math.min(checked?.health.retryAfterMs ?? 0, LONGEST_PAUSE_MS)
  if (patience === 'soon' || failures === 0) return Math.max(KEEP_MS, pauseMs)
  return Math.max(Math.min(KEEP_MS * 2 ** (failures - 1), LONGEST_BACKOFF_MS), pauseMs)
}

export function isWorking({ status }: AccountHealth): boolean {
  return status === 'ok' || status === 'degraded'
}

export function targetOf({ about, handle }: Pick<LiveProvider, 'about' | 'handle'>, profile: ProfileState): Target {
  return {
    provider: about.id,
    label: about.label,
    instance: profile.id,
    fingerprint: profile.fingerprint,
    missing: profile.configured ? undefined : profile.reasonCode ?? 'not_configured',
    probe: (signal) => handle.probe(profile.id, signal),
  }
}

/** The reason for people, where the provider gave a code only. */
export function reasonText(code: ReasonCode, label: ProviderDescription['label']): string {
  return code === 'not_configured' || code === 'quota' ? TEXTS[code] : `${label}: ${TEXTS[code]}`
}

function withReason(health: AccountHealth, label: string): AccountHealth {
  if (isWorking(health)) return health
  const reasonCode = health.reasonCode ?? (health.status === 'auth_failed' ? 'unauthorized' : 'upstream_error')
  return { ...health, reasonCode, reason: health.reason ?? reasonText(reasonCode, label) }
}

function notConfigured({ missing, label }: Target): AccountHealth {
  const reasonCode = missing ?? 'not_configured'
  return { status: 'not_configured', reasonCode, reason: reasonText(reasonCode, label) }
}
