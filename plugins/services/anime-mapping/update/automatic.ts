// Automatic updates: when they are due, and the job that runs them. Nothing is downloaded right after the start of the
// service.
import type { JobHandle, KeyValueStore, PluginContext } from '@playhead/sdk'
import type { Settings } from '../settings.ts'
import type { State, StateStore } from '../state.ts'
import { isReady, type Updates } from './update.ts'

const HOUR_MS = 3_600_000
const GRACE_MS = 5 * 60_000
const REQUESTED = 'requested'

export interface Automatic {
  /** Epoch milliseconds; null for never. */
  nextAt(): Promise<number | null>
  /** Sets the job to its next time. */
  plan(): Promise<void>
  /** The first download, started now in the background. */
  request(): Promise<void>
  run(signal: AbortSignal): Promise<void>
}

interface AutomaticOptions {
  readonly job: () => Pick<JobHandle, 'set'>
  readonly settings: () => Readonly<Settings>
  readonly state: StateStore
  readonly store: KeyValueStore
  readonly updates: Updates
  readonly startedAtMs: number
  readonly now: () => number
  readonly log: PluginContext['log']
}

export function createAutomatic(options: AutomaticOptions): Automatic {
  const { job, settings, state, store, updates, startedAtMs, now, log } = options

  /** A request from before a restart waits like any other check. */
  async function isRequested(): Promise<boolean> {
    return (await store.get<number>(REQUESTED)) === startedAtMs
  }

  async function nextAt(): Promise<number | null> {
    const current = await state.read()
    if (settings().enabled && (await isRequested())) return now()
    const at = dueAt(settings(), withoutFuture(current, now()))
    return at === null ? null : Math.max(at, startedAtMs > now() ? 0 : startedAtMs + GRACE_MS)
  }

  async function plan(): Promise<void> {
    const at = await nextAt()
    job().set(at === null ? null : { at })
  }

  return {
    nextAt,
    plan,
    async request() {
      await store.set(REQUESTED, startedAtMs)
      await plan()
    },
    async run(signal) {
      const at = await nextAt()
      if (at !== null && at <= now()) {
        try {
          const { installed, index } = await state.read()
          if (installed !== null && !isReady(index)) await updates.rebuild(undefined, signal)
          else await updates.update({}, signal)
        } catch (error) {
          // The error is in the state, and the next attempt is planned.
          log.debug({ err: error }, 'the anime mapping is tried again later')
        }
        if (!signal.aborted) await store.delete(REQUESTED)
      }
      if (!signal.aborted) await plan()
    },
  }
}

/**
 * The state without times in the future, which were stored while the clock was ahead and would delay the next check.
 */
function withoutFuture(state: State, nowMs: number): State {
  const { checkedAtMs, failure } = state
  const isFuture = (atMs: number) => atMs > nowMs + HOUR_MS
  return {
    ...state,
    checkedAtMs: isFuture(checkedAtMs) ? 0 : checkedAtMs,
    failure: failure !== null && isFuture(failure.atMs) ? null : failure,
  }
}

/** Null: never. */
export function dueAt(
  { enabled, auto_update, refresh_hours, release_tag }: Readonly<Settings>,
  { installed, index, checkedAtMs, failure }: State,
): number | null {
  if (!enabled) return null
  const retryAtMs = failure?.retryAtMs ?? 0
  // Built from stored files, without a download.
  if (installed !== null && !isReady(index)) return retryAtMs
  if (!auto_update) return null
  if (installed === null || installed.tag !== release_tag) return retryAtMs
  return Math.max(checkedAtMs + Math.max(1, refresh_hours) * HOUR_MS, retryAtMs)
}
