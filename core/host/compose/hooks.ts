// The hooks of a composition. tapable cannot remove taps, so every plugin change builds new hook objects from the taps
// of all active generations; calls in flight finish on the old ones.
import { AsyncParallelHook, AsyncSeriesBailHook, AsyncSeriesWaterfallHook } from 'tapable'
import { type HookKind, isPlayheadError } from '@playhead/sdk'
import type { Generation } from '../run/generation.ts'
import { guarded, type ReportFault } from '../run/guard.ts'

export const HOOK_LIMIT_MS = 10_000

export interface TapRecord {
  readonly hook: string
  readonly name: string
  readonly stage: number
  readonly limitMs: number
  readonly run: (input: unknown) => unknown
}

interface HookSource {
  readonly generation: Generation
  readonly taps: readonly TapRecord[]
}

/** The taps of a dormant plugin, which a call loads. */
interface DormantHookSource {
  readonly plugin: string
  readonly taps: readonly Pick<TapRecord, 'hook' | 'name' | 'stage'>[]
  readonly activate: () => Promise<HookSource | null>
}

type CallHook = (input: unknown) => Promise<unknown>

interface BuiltHook {
  readonly call: CallHook
  /** Ids of the plugins that tap the hook. */
  readonly plugins: readonly string[]
}

/** Builds the hooks of a composition. Taps of unknown hooks were handled by the stage. */
export function buildHooks(
  kinds: ReadonlyMap<string, HookKind>,
  sources: readonly (HookSource | DormantHookSource)[],
  report: ReportFault,
): ReadonlyMap<string, BuiltHook> {
  const hooks = new Map<string, BuiltHook>()
  for (const [name, kind] of kinds) {
    const taps = sources.flatMap((source) =>
      'activate' in source
        ? source.taps.filter((tap) => tap.hook === name).map((tap) => dormantTap(source, tap, report))
        : source.taps.filter((tap) => tap.hook === name).map((tap) => liveTap(source, tap, report)),
    )
    hooks.set(name, {
      call: taps.length === 0 ? untapped(kind) : build(kind, taps),
      plugins: [...new Set(taps.map(({ plugin }) => plugin))],
    })
  }
  return hooks
}

interface OwnedTap extends Pick<TapRecord, 'name' | 'stage'> {
  readonly plugin: string
  /** Null while its plugin is dormant. */
  readonly generation: Generation | null
  call(input: unknown): Promise<unknown>
}

function liveTap(
  { generation }: HookSource,
  { hook, name, stage, limitMs, run }: TapRecord,
  report: ReportFault,
): OwnedTap {
  return {
    plugin: generation.owner.plugin,
    name,
    stage,
    generation,
    call: (input) => guarded({ generation, kind: 'hook', what: `hook ${hook}`, limitMs }, report, () => run(input)),
  }
}

function dormantTap(
  { plugin, activate }: DormantHookSource,
  { hook, name, stage }: DormantHookSource['taps'][number],
  report: ReportFault,
): OwnedTap {
  return {
    plugin,
    name,
    stage,
    generation: null,
    async call(input) {
      const source = await activate()
      const tap = source?.taps.find((one) => one.hook === hook && one.name === name)
      if (source === null || tap === undefined) throw new Error(`the hook ${hook} has no tap "${name}" any more`)
      return liveTap(source, tap, report).call(input)
    },
  }
}

function untapped(kind: HookKind): CallHook {
  return async (input) => (kind === 'waterfall' ? input : kind === 'collect' || kind === 'review' ? [] : undefined)
}

function build(kind: HookKind, taps: readonly OwnedTap[]): CallHook {
  const call = BUILDERS[kind](
    taps.map((tap) => ({
      options: { name: tap.name, stage: tap.stage },
      // The result of a failing tap: nothing, or the unchanged value for a waterfall.
      run: async (input: unknown) => {
        const said = { plugin: tap.plugin, tap: tap.name }
        try {
          const answer = await tap.call(input)
          return kind === 'review' ? { ...said, answer } : answer
        } catch (error) {
          if (kind === 'review') return { ...said, failed: isPlayheadError(error) ? error.code : 'error' }
          return kind === 'waterfall' ? input : undefined
        }
      },
    })),
  )
  return async (input) => {
    // All taps are leased from the start: a generation must not end before it was called.
    const releases = taps.flatMap(({ generation }) => (generation === null ? [] : [generation.lease('hook')]))
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

const gather = (taps: readonly GuardedTap[]): CallHook => {
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
}

const BUILDERS: Readonly<Record<HookKind, (taps: readonly GuardedTap[]) => CallHook>> = {
  notify(taps) {
    const hook = new AsyncParallelHook<[unknown]>(['input'])
    for (const tap of taps) hook.tapPromise({ ...tap.options }, async (input) => void (await tap.run(input)))
    return (input) => hook.promise(input)
  },
  collect: gather,
  review: gather,
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
