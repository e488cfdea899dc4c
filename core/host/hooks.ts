// Hooks of one composition. tapable cannot remove a tap, so nothing is ever removed: whenever a plugin changes, new
// hook objects are built from the recorded taps of all live generations, and calls in flight finish on the old ones.
import { AsyncParallelHook, AsyncSeriesBailHook, AsyncSeriesWaterfallHook } from 'tapable'
import type { HookKind } from '@playhead/sdk'
import type { Generation } from './generation.ts'
import { guarded, type ReportFault } from './guard.ts'

export const HOOK_LIMIT_MS = 10_000

export interface TapRecord {
  readonly hook: string
  readonly name: string
  readonly stage: number
  readonly limitMs: number
  readonly run: (input: unknown) => unknown
}

export interface HookSource {
  readonly generation: Generation
  readonly taps: readonly TapRecord[]
}

export type CallHook = (input: unknown) => Promise<unknown>

/** Builds the hooks of a composition. Taps of unknown hooks are the stage's business and are skipped here. */
export function buildHooks(
  kinds: ReadonlyMap<string, HookKind>,
  sources: readonly HookSource[],
  report: ReportFault,
): ReadonlyMap<string, CallHook> {
  const hooks = new Map<string, CallHook>()
  for (const [name, kind] of kinds) {
    const taps = sources.flatMap((source) =>
      source.taps.filter((tap) => tap.hook === name).map((tap) => ({ ...tap, generation: source.generation })),
    )
    hooks.set(name, taps.length === 0 ? untapped(kind) : build(kind, name, taps, report))
  }
  return hooks
}

type OwnedTap = TapRecord & { readonly generation: Generation }

function untapped(kind: HookKind): CallHook {
  return async (input) => (kind === 'waterfall' ? input : kind === 'collect' ? [] : undefined)
}

function build(kind: HookKind, name: string, taps: readonly OwnedTap[], report: ReportFault): CallHook {
  const call = BUILDERS[kind](
    taps.map((tap) => ({
      options: { name: tap.name, stage: tap.stage },
      // What a failing tap is taken to have said: nothing, or for a waterfall the value unchanged.
      run: async (input: unknown) => {
        try {
          return await guarded(
            { generation: tap.generation, kind: 'hook', what: `hook ${name}`, limitMs: tap.limitMs },
            report,
            () => tap.run(input),
          )
        } catch {
          return kind === 'waterfall' ? input : undefined
        }
      },
    })),
  )
  return async (input) => {
    // All taps belong to this call from its start: a generation must not go while it still has to be asked.
    const releases = taps.map((tap) => tap.generation.lease('hook'))
    try {
      return await call(input)
    } finally {
      for (const release of releases) release()
    }
  }
}

interface GuardedTap {
  readonly options: { readonly name: string; readonly stage: number }
  readonly run: (input: unknown) => Promise<unknown>
}

const BUILDERS: Readonly<Record<HookKind, (taps: readonly GuardedTap[]) => CallHook>> = {
  notify(taps) {
    const hook = new AsyncParallelHook<[unknown]>(['input'])
    for (const tap of taps) hook.tapPromise({ ...tap.options }, async (input) => void (await tap.run(input)))
    return (input) => hook.promise(input)
  },
  collect(taps) {
    const hook = new AsyncParallelHook<[unknown, unknown[]]>(['input', 'answers'])
    for (const [index, tap] of taps.entries()) {
      hook.tapPromise({ ...tap.options }, async (input, answers) => {
        answers[index] = await tap.run(input)
      })
    }
    return async (input) => {
      const answers: unknown[] = []
      await hook.promise(input, answers)
      return answers.filter((answer) => answer !== undefined)
    }
  },
  waterfall(taps) {
    const hook = new AsyncSeriesWaterfallHook<[unknown]>(['input'])
    for (const tap of taps) hook.tapPromise({ ...tap.options }, (input) => tap.run(input))
    return (input) => hook.promise(input)
  },
  bail(taps) {
    const hook = new AsyncSeriesBailHook<[unknown], unknown>(['input'])
    for (const tap of taps) hook.tapPromise({ ...tap.options }, (input) => tap.run(input))
    return (input) => hook.promise(input)
  },
}
