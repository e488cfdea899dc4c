// Records what a plugin registers while it is staged. Takes effect when the composition is published; closed
// afterwards.
import {
  PlayheadError,
  type Hook,
  type HookKind,
  type JobOptions,
  type JobTiming,
  type JobWork,
  type PlayheadEvent,
  type PluginManifest,
  type TapOptions,
} from '@playhead/sdk'
import { type OwnTime, isOwnTime } from '../../scheduling/scheduler.ts'
import { checkTiming } from '../../scheduling/timing.ts'
import { HOOK_LIMIT_MS, type TapRecord } from '../compose/hooks.ts'

const MAX_HOOK_LIMIT_MS = 60_000

export interface RecordedJob {
  readonly name: string
  readonly timing: JobTiming | OwnTime
  readonly options: JobOptions
  readonly work: JobWork
}

export interface Recording {
  readonly taps: TapRecord[]
  /** Kinds of the tapped hooks. */
  readonly tapKinds: Map<string, HookKind>
  readonly listeners: { readonly name: string; readonly listener: (event: PlayheadEvent) => unknown }[]
  readonly jobs: RecordedJob[]
  readonly capabilities: Map<string, object>
  /** Functions by capability that the snapshot answers while the plugin is dormant. */
  readonly whileDormant: Map<string, readonly string[]>
  readonly starts: { readonly delayMs: number; readonly work: (signal: AbortSignal) => unknown }[]
  configListener: ((config: unknown) => unknown) | null
  /** Throws if staging is over. */
  open(what: string): void
  seal(): void
}

export function createRecording(plugin: string): Recording {
  let sealed = false
  return {
    taps: [],
    tapKinds: new Map(),
    listeners: [],
    jobs: [],
    capabilities: new Map(),
    whileDormant: new Map(),
    starts: [],
    configListener: null,
    open(what) {
      if (sealed)
        throw new PlayheadError(
          'PLH_PLUGIN_UNDECLARED',
          `Plugin "${plugin}" called ${what} after it went live. Register everything in setup().`,
        )
    },
    seal() {
      sealed = true
    },
  }
}

/** Hooks without a caller may be tapped: plugins load in any order. */
export function recordTap(
  manifest: PluginManifest,
  recording: Recording,
  kinds: ReadonlyMap<string, HookKind>,
  { name: hook, kind }: Hook,
  options: string | TapOptions,
  run: (input: never) => unknown,
): void {
  const known = kinds.get(hook) ?? kind
  if (known !== kind) {
    throw new PlayheadError(
      'PLH_HOOK_UNKNOWN',
      `Plugin "${manifest.id}" taps the hook "${hook}" as "${kind}"; the plugin that calls it declares "${known}".`,
    )
  }
  recording.open(`a tap of ${hook}`)
  if (typeof run !== 'function') throw new TypeError(`A tap of "${hook}" needs a function.`)
  const { name, stage = 0, timeoutMs = HOOK_LIMIT_MS } = typeof options === 'string' ? { name: options } : options
  recording.tapKinds.set(hook, kind)
  recording.taps.push({
    hook,
    name,
    stage,
    limitMs: Math.min(Math.max(timeoutMs, 1), MAX_HOOK_LIMIT_MS),
    run: run as TapRecord['run'],
  })
}

export function recordCapability(
  manifest: PluginManifest,
  recording: Recording,
  token: string,
  value: unknown,
  whileDormant: readonly string[] = [],
): void {
  recording.open('provide')
  if (!(manifest.provides ?? []).includes(token)) {
    throw new PlayheadError(
      'PLH_PLUGIN_UNDECLARED',
      `Plugin "${manifest.id}" provides "${token}" but does not declare it. Add it to "provides" in plugin.json.`,
    )
  }
  if (typeof value !== 'object' || value === null) throw new TypeError(`The capability "${token}" must be an object.`)
  if (recording.capabilities.has(token))
    throw new PlayheadError('PLH_CAPABILITY_CONFLICT', `Plugin "${manifest.id}" provides "${token}" twice.`)
  recording.capabilities.set(token, value)
  recording.whileDormant.set(token, whileDormant)
}

export function recordJob(manifest: PluginManifest, recording: Recording, job: RecordedJob): void {
  recording.open('every, cron or schedule')
  if (!isOwnTime(job.timing)) checkTiming(job.timing)
  if (recording.jobs.some((other) => other.name === job.name)) {
    throw new PlayheadError('PLH_CONFLICT', `Plugin "${manifest.id}" registers two jobs named "${job.name}".`)
  }
  recording.jobs.push(job)
}
