// Calls the plugins that tap the hooks of runs. Notifications are not awaited.
import {
  type AnyHook,
  type HookInput,
  isPlayheadError,
  type OperationBatch,
  PlayheadError,
  type Remote,
  type Review,
  withTimeLimit,
} from '@playhead/sdk'
import type { RunHooks, Tapped } from './tapped.ts'

/** The results of the hooks for one run or one plan. */
export interface Taps {
  has(hook: AnyHook): boolean
  /** Resolves at once unless many earlier notifications are pending. If they stay pending, this one is dropped. */
  tell<H extends AnyHook>(hook: H, input: HookInput<H>): Promise<void>
  /** One review for each plugin that taps the hook. */
  review<Answer>(hook: AnyHook, batch: OperationBatch): Promise<readonly Review<Answer>[]>
}

export const NO_TAPS: Taps = { has: () => false, tell: async () => {}, review: async () => [] }

/** A tap has its own time limit, at most a minute; this limit is for a main thread that does not respond. */
const CALL_LIMIT_MS = 90_000
const MAX_FAILURES = 3
const MAX_TELLING = 16
const TELL_WAIT_MS = 200
const MAX_LATE = 10

/** Queries the taps once. Without taps no further message crosses the threads. */
export async function askTaps(hooks: Remote<RunHooks> | undefined): Promise<Taps> {
  if (hooks === undefined) return NO_TAPS
  const tapped: Tapped = await hooks.tapped()
  if (Object.keys(tapped).length === 0) return NO_TAPS
  const failures = new Map<string, number>()
  const telling = new Set<Promise<unknown>>()
  let late = 0

  const call = (hook: AnyHook, input: unknown) =>
    withTimeLimit(
      hooks.call(hook.name, input),
      CALL_LIMIT_MS,
      () => new PlayheadError('PLH_HOOK_TIMEOUT', `The hook ${hook.name} did not end.`),
    )

  return {
    has: ({ name }) => tapped[name] !== undefined,
    async tell(hook, input) {
      if (tapped[hook.name] === undefined) return
      if (telling.size >= MAX_TELLING && late < MAX_LATE)
        await withTimeLimit(Promise.race(telling), TELL_WAIT_MS, () => new Error('late')).catch(() => (late += 1))
      // A run does not wait for plugins that only observe.
      if (telling.size >= MAX_TELLING) return
      const told: Promise<unknown> = call(hook, input)
        .catch(() => {})
        .finally(() => telling.delete(told))
      telling.add(told)
    },
    async review<Answer>(hook: AnyHook, batch: OperationBatch) {
      const expected = tapped[hook.name] ?? []
      const nameOf = (plugin: string) => `${hook.name} ${plugin}`
      const given = expected.filter((plugin) => (failures.get(nameOf(plugin)) ?? 0) >= MAX_FAILURES)
      // A missing plugin already holds all operations, so the other taps are skipped.
      if (given.length > 0) return given.map((plugin) => failedReview(plugin, 'given_up'))
      let reviews: readonly Review<Answer>[]
      try {
        const answer = await call(hook, batch)
        if (!Array.isArray(answer)) throw new TypeError('not a list')
        reviews = answer as readonly Review<Answer>[]
      } catch (error) {
        reviews = expected.map((plugin) => failedReview(plugin, isPlayheadError(error) ? error.code : 'error'))
      }
      // A plugin that was switched off or stopped since the run started has not judged.
      const answered = new Set(reviews.map(({ plugin }) => plugin))
      const all = [
        ...reviews,
        ...expected.filter((plugin) => !answered.has(plugin)).map((plugin) => failedReview(plugin, 'gone')),
      ]
      for (const review of all)
        if ('failed' in review) failures.set(nameOf(review.plugin), (failures.get(nameOf(review.plugin)) ?? 0) + 1)
      return all
    },
  }
}

function failedReview(plugin: string, failed: string) {
  return { plugin, tap: '', failed } as const
}
