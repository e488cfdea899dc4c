// Probes whether accounts work: with limited concurrency, shared between callers, cached briefly, and with backoff for
// broken accounts. A probe made outdated by a change is cancelled; its callers get the result of the next one.
import {
  type AccountHealth,
  type Limiter,
  type Logger,
  orWhenAborted,
  type ProfileState,
  type ProviderDescription,
  type ReasonCode,
  untilAborted,
  usableLimit,
} from '@playhead/sdk'
import type { LiveProvider } from './directory.ts'

interface Checked {
  readonly health: AccountHealth
  readonly checkedAtMs: number
}

/** `checkedAtMs` is undefined without a result. */
interface Answer {
  readonly health: AccountHealth
  readonly checkedAtMs: number | undefined
  /** The probe did not finish in time. */
  readonly stale: boolean
}

/** The account to probe, with a fingerprint of its credentials. */
export interface Target {
  readonly provider: string
  readonly label: string
  readonly instance: string
  readonly fingerprint: string
  /** Undefined if the profile is configured. */
  readonly missing: ReasonCode | undefined
  readonly probe: (signal: AbortSignal) => Promise<AccountHealth>
}

/** `now` asks the service. `soon` accepts a result of the last 15 s. `usual` also backs off for broken accounts. */
export type Patience = 'now' | 'soon' | 'usual'

export interface Probes {
  ask(target: Target, patience: Patience): Promise<Checked>
  /** The last result with these credentials. */
  last(target: Target): Checked | undefined
  /** The account that the service returned for these credentials. */
  account(target: Target): string | undefined
  forget(provider: string): void
  clear(): void
}

interface ProbesOptions {
  readonly limiter: Limiter
  readonly log: Logger
  readonly now: () => number
  readonly probeMs: number
  readonly signal: AbortSignal
  /** Called without being awaited. */
  readonly onChange?: (target: Target, before: AccountHealth, now: Checked) => void
}

interface Entry {
  readonly provider: string
  readonly fingerprint: string
  failures: number
  checked?: Checked
  account?: string
  running?: Promise<Checked>
  readonly outdated: AbortController
}

const KEEP_MS = 15_000
const MAX_BACKOFF_MS = 120_000
const MAX_PAUSE_MS = 900_000

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
  blocked: 'is blocking Playhead: a web page came instead of an answer. The sign-in is not the cause',
  invalid_response: 'the answer cannot be understood',
  refresh_failed: 'token refresh failed',
  read_only: 'the sign-in is read only. Sign in again, and allow reading and writing',
  profile_unavailable: 'profile unavailable',
  disabled: 'disabled',
  version_too_old: 'the server is too old',
  user_gone: 'the user is not on the server any more',
  user_changed: 'the user may be another person now',
  user_refused: 'the sign-in cannot act for the user',
}

export function createProbes({ limiter, log, now, probeMs, signal, onChange }: ProbesOptions): Probes {
  const entries = new Map<string, Entry>()
  /** The last result, even with other credentials: a broken account recovers through a new sign-in. */
  const found = new Map<string, AccountHealth>()

  function entryOf(target: Target): Entry {
    const { provider, fingerprint } = target
    const name = nameOf(target)
    const known = entries.get(name)
    if (known?.fingerprint === fingerprint) return known
    drop(name, known)
    const entry: Entry = { provider, fingerprint, failures: 0, outdated: new AbortController() }
    entries.set(name, entry)
    return entry
  }

  function drop(name: string, entry: Entry | undefined): void {
    if (entry === undefined) return
    entries.delete(name)
    entry.outdated.abort(new Outdated())
  }

  async function run(entry: Entry, target: Target): Promise<Checked> {
    const { signal: outdated } = entry.outdated
    const health = await limiter(() => ask(target, outdated), outdated)
    outdated.throwIfAborted()
    const checked = { health: withReason(health, target.label), checkedAtMs: now() }
    entry.failures = isWorking(health) ? 0 : entry.failures + 1
    const before = found.get(nameOf(target))
    found.set(nameOf(target), checked.health)
    entry.checked = checked
    if (health.account !== undefined) entry.account = health.account
    if (before !== undefined && before.status !== checked.health.status) onChange?.(target, before, checked)
    return checked
  }

  async function ask({ probe, provider, instance }: Target, outdated: AbortSignal): Promise<AccountHealth> {
    outdated.throwIfAborted()
    using limit = usableLimit(probeMs)
    const over = AbortSignal.any([outdated, signal])
    try {
      const found = untilAborted(probe(AbortSignal.any([limit.signal, over])), over)
      return await orWhenAborted(found, limit.signal, { status: 'down', reasonCode: 'timeout' } as const)
    } catch (error) {
      if (outdated.aborted) throw outdated.reason
      if (!signal.aborted) log.warn({ err: error, provider, instance }, 'an account could not be checked')
      return { status: 'unknown', reasonCode: 'upstream_error' }
    }
  }

  function askOnce(entry: Entry, target: Target, patience: Patience): Checked | Promise<Checked> {
    if (entry.running !== undefined) return entry.running
    const { checked } = entry
    const ageMs = checked === undefined ? Infinity : now() - checked.checkedAtMs
    if (checked !== undefined && patience !== 'now' && ageMs >= 0 && ageMs < keepMs(entry, patience)) return checked
    entry.running = run(entry, target).finally(() => {
      delete entry.running
    })
    return entry.running
  }

  return {
    async ask(target, patience) {
      if (target.missing !== undefined) return { health: notConfigured(target), checkedAtMs: now() }
      let entry = entryOf(target)
      for (;;) {
        try {
          return await askOnce(entry, target, patience)
        } catch (error) {
          if (!(error instanceof Outdated)) throw error
          // Another caller may have replaced the entry with newer credentials.
          entry = entries.get(nameOf(target)) ?? entryOf(target)
        }
      }
    },
    last(target) {
      const entry = entries.get(nameOf(target))
      return entry?.fingerprint === target.fingerprint ? entry.checked : undefined
    },
    account: (target) => entryOf(target).account,
    forget(provider) {
      for (const [name, entry] of entries) if (entry.provider === provider) drop(name, entry)
    },
    clear() {
      for (const [name, entry] of entries) drop(name, entry)
    },
  }
}

/** The result if it is in time, else the last known one. */
export async function answerWithin(
  limit: AbortSignal,
  probes: Pick<Probes, 'ask' | 'last'>,
  target: Target,
  patience: Patience,
): Promise<Answer> {
  const before = probes.last(target)
  const inTime = await orWhenAborted(probes.ask(target, patience), limit, undefined)
  if (inTime !== undefined) return { ...inTime, stale: false }
  const { health, checkedAtMs } = probes.last(target) ?? before ?? {}
  const late: AccountHealth = { status: 'unknown', reasonCode: 'timeout', reason: reasonText('timeout', target.label) }
  return { health: health ?? late, checkedAtMs, stale: true }
}

/** The result would describe an outdated state. */
class Outdated extends Error {}

function nameOf({ provider, instance }: Pick<Target, 'provider' | 'instance'>): string {
  return `${provider}@${instance}`
}

/** How long a result is valid. */
function keepMs({ checked, failures }: Entry, patience: Patience): number {
  const pauseMs = Math.min(checked?.health.retryAfterMs ?? 0, MAX_PAUSE_MS)
  if (patience === 'soon' || failures === 0) return Math.max(KEEP_MS, pauseMs)
  return Math.max(Math.min(KEEP_MS * 2 ** (failures - 1), MAX_BACKOFF_MS), pauseMs)
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
    missing: profile.configured ? undefined : (profile.reasonCode ?? 'not_configured'),
    probe: (signal) => handle.probe(profile.id, signal),
  }
}

/** A text for people, if the provider returned only a code. */
function reasonText(code: ReasonCode, label: ProviderDescription['label']): string {
  if (code === 'not_configured' || code === 'quota') return TEXTS[code]
  return code === 'blocked' ? `${label} ${TEXTS[code]}` : `${label}: ${TEXTS[code]}`
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
