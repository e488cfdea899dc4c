// Caches the positions of all profiles: few reads, shared between callers, bounded in time. A late answer is discarded,
// and a failure keeps the known rows, marked as old.
import {
  createLimiter,
  isFault,
  type LibraryService,
  type Logger,
  type Provider,
  type Remote,
  untilAborted,
  usableLimit,
} from '@playhead/sdk'
import type { Profile, ProfileList } from '../profiles.ts'
import { type ReadFailure, failure, failureOf } from './failures.ts'
import { type Entries, type Known, readProfile, storedEntries, withRatings } from './read-profile.ts'

export interface ProfileRows {
  readonly profile: Profile
  readonly entries: Entries
  /** When the entries were read, epoch milliseconds; null if never. */
  readonly readAtMs: number | null
  /** The last read failed; the entries are stale or incomplete. */
  readonly isOld: boolean
  readonly failure?: ReadFailure
}

interface ReadOptions {
  /** Reads everything again, bypassing all caches. */
  readonly force?: boolean
  readonly timeoutMs: number
}

export interface Reads {
  /** A failing profile does not make it throw. */
  rowsOf(profiles: ProfileList, options: ReadOptions): Promise<readonly ProfileRows[]>
  /** The cached rows of a profile, without a read. */
  cached(profile: Profile): ProfileRows | undefined
  /** Called after a change: the next call reads again. `gone` lists rows that certainly no longer exist. */
  invalidate(profile: Profile, gone?: readonly string[]): void
  /** The next call reads everything again. */
  clear(): void
  /** Forgets all other profiles. */
  retain(profiles: ProfileList): void
}

interface ReadsOptions {
  readonly provider: (id: string) => Pick<Remote<Provider>, 'read'>
  readonly library: () => Pick<Remote<LibraryService>, 'rows' | 'items' | 'holdings'> | undefined
  readonly log: Logger
  readonly signal: AbortSignal
  readonly now?: () => number
}

interface State {
  readonly fingerprint: string
  /** Incremented to discard running reads. */
  version: number
  rows: ProfileRows
  checkedAtMs: number
  known?: Known | undefined
  running?: { readonly version: number; readonly done: Promise<void> } | undefined
}

const FRESH_MS = 60_000
const FAILED_MS = 10_000
const MAX_PARALLEL = 6
const NONE: Entries = new Map()

export function createReads({ provider, library, log, signal, now = Date.now }: ReadsOptions): Reads {
  const states = new Map<string, State>()
  const limited = createLimiter(MAX_PARALLEL)

  function stateOf(profile: Profile): State {
    const found = states.get(profile.key)
    if (found !== undefined && found.fingerprint === profile.fingerprint) return found
    const rows = { profile, entries: NONE, readAtMs: null, isOld: false }
    const state: State = { fingerprint: profile.fingerprint, version: 0, rows, checkedAtMs: -Infinity }
    states.set(profile.key, state)
    return state
  }

  function isFresh({ rows, checkedAtMs }: State): boolean {
    const ageMs = now() - checkedAtMs
    // If the clock was set back, cached rows must not stay valid forever.
    return ageMs >= 0 && ageMs < (rows.failure === undefined ? FRESH_MS : FAILED_MS)
  }

  async function rowsOfOne(profile: Profile, { force = false, timeoutMs }: ReadOptions): Promise<ProfileRows> {
    const state = stateOf(profile)
    if (force || !isFresh(state)) await refresh(state, profile, timeoutMs, force)
    // A change during the read made the result outdated.
    if (states.get(profile.key) === state && !isFresh(state)) await refresh(state, profile, timeoutMs, false)
    return { ...state.rows, profile }
  }

  function refresh(state: State, profile: Profile, timeoutMs: number, isFull: boolean): Promise<void> {
    if (state.running?.version === state.version) return state.running.done
    const { version } = state
    const done = read(state, profile, timeoutMs, isFull ? undefined : state.known).finally(() => {
      if (state.running?.version === version) state.running = undefined
    })
    state.running = { version, done }
    return done
  }

  async function read(state: State, profile: Profile, timeoutMs: number, before: Known | undefined): Promise<void> {
    const { version } = state
    const end = new AbortController()
    using limit = usableLimit(timeoutMs)
    limit.signal.addEventListener('abort', () => end.abort(new Late()), { once: true })
    const until = AbortSignal.any([end.signal, signal])
    const store = (rows: Omit<ProfileRows, 'profile'>, known: Known | undefined) => {
      if (state.version !== version) return
      state.rows = { profile, ...rows }
      state.known = known
      state.checkedAtMs = now()
    }
    try {
      const { entries, known, reason } = await limited(
        () => untilAborted(readRated(before, profile, until), until),
        until,
      )
      if (known !== undefined) store({ entries, readAtMs: now(), isOld: false }, known)
      else store(await afterFailure(state, profile, incomplete(profile, reason), entries), state.known)
    } catch (error) {
      if (isFault(error) && !(error instanceof Late) && !signal.aborted)
        log.error({ err: error, profile: profile.key }, 'reading positions failed')
      const why = error instanceof Late ? failure('provider_timeout', profile.label) : failureOf(error, profile.label)
      log.debug({ profile: profile.key, reason: why.code }, 'positions could not be read')
      store(await afterFailure(state, profile, why, NONE), state.known)
    } finally {
      end.abort(new Late())
    }
  }

  async function readRated(before: Known | undefined, profile: Profile, until: AbortSignal) {
    const outcome = await readProfile(provider(profile.provider), profile, before, until)
    const source = library()
    if (source === undefined || outcome.entries.size === 0) return outcome
    try {
      const entries = await withRatings(source, profile, outcome.entries)
      return { ...outcome, entries, known: outcome.known === undefined ? undefined : { ...outcome.known, entries } }
    } catch (error) {
      log.debug({ err: error, profile: profile.key }, 'ratings could not be looked up')
      return outcome
    }
  }

  /** The cached rows; else the rows of the sync engine; else the rows of an incomplete read. */
  async function afterFailure(
    { rows }: State,
    profile: Profile,
    why: ReadFailure,
    partial: Entries,
  ): Promise<Omit<ProfileRows, 'profile'>> {
    if (rows.readAtMs !== null) return { ...rows, isOld: true, failure: why }
    const stored = await lastSynced(profile)
    if (stored !== undefined && stored.entries.size > 0) return { ...stored, isOld: true, failure: why }
    return { entries: partial, readAtMs: null, isOld: true, failure: why }
  }

  async function lastSynced(profile: Profile): Promise<Pick<ProfileRows, 'entries' | 'readAtMs'> | undefined> {
    const source = library()
    if (source === undefined) return undefined
    try {
      const holding = (await source.holdings('progress')).find(
        ({ provider: id, instance }) => id === profile.provider && instance === profile.instance,
      )
      if (holding?.readAtMs == null) return undefined
      return { entries: await storedEntries(source, profile), readAtMs: holding.readAtMs }
    } catch (error) {
      log.debug({ err: error, profile: profile.key }, 'the last synced positions could not be read')
      return undefined
    }
  }

  function expire(state: State): void {
    state.version += 1
    state.checkedAtMs = -Infinity
    state.known = undefined
  }

  return {
    rowsOf: (profiles, options) => Promise.all(profiles.map((profile) => rowsOfOne(profile, options))),
    cached: (profile) => {
      const state = states.get(profile.key)
      return state?.fingerprint === profile.fingerprint ? { ...state.rows, profile } : undefined
    },
    invalidate(profile, gone = []) {
      const state = states.get(profile.key)
      if (state === undefined) return
      expire(state)
      if (gone.length === 0) return
      const left = new Map(state.rows.entries)
      for (const id of gone) left.delete(id)
      state.rows = { ...state.rows, entries: left }
    },
    clear() {
      for (const state of states.values()) expire(state)
    },
    retain(profiles) {
      const keys = new Set(profiles.map(({ key }) => key))
      for (const key of states.keys()) if (!keys.has(key)) states.delete(key)
    },
  }
}

function incomplete({ label }: Profile, reason = 'incomplete'): ReadFailure {
  return failure('provider_error', label, `The list of {label} was not complete (${reason.slice(0, 60)}).`)
}

class Late extends Error {}
