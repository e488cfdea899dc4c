// What a plugin registers while it is staged. Nothing here has an effect before the composition with it is published,
// and nothing can be added afterwards.
import {
  PlayheadError,
  type HookKind,
  type JobOptions,
  type JobTiming,
  type JobWork,
  type PlayheadEvent,
  type PluginManifest,
} from '@playhead/sdk'
import { checkTiming } from '../scheduling/timing.ts'
import { HOOK_LIMIT_MS, type TapRecord } from './hooks.ts'

const MAX_HOOK_LIMIT_MS = 60_000

export interface RecordedJob {
  readonly name: string
  readonly timing: JobTiming
  readonly options: JobOptions
  readonly work: JobWork
}

export interface Recording {
  readonly taps: TapRecord[]
  readonly listeners: { readonly name: string; readonly listener: (event: PlayheadEvent) => unknown }[]
  readonly jobs: RecordedJob[]
  readonly capabilities: Map<string, object>
  readonly starts: { readonly delayMs: number; readonly work: (signal: AbortSignal) => unknown }[]
  configListener: ((config: unknown) => unknown) | null
  /** Throws when the plugin is not being staged any more. */
  open(what: string): void
  seal(): void
}

export function createRecording(plugin: string): Recording {
  let sealed = false
  return {
    taps: [],
    listeners: [],
    jobs: [],
    capabilities: new Map(),
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

/** The tapping side of all hooks, as tapable has it. */
export function recordTaps(
  manifest: PluginManifest,
  recording: Recording,
  kinds: ReadonlyMap<string, HookKind>,
): object {
  return new Proxy(Object.freeze({}), {
    get(_target, hook) {
      if (typeof hook === 'symbol' || hook === 'then') return undefined
      if (!kinds.has(hook)) {
        throw new PlayheadError(
          'PLH_HOOK_UNKNOWN',
          `Plugin "${manifest.id}" taps the hook "${hook}", which nobody declares. Known hooks: ${[...kinds.keys()].join(', ')}.`,
        )
      }
      const record = (
        options: string | { name: string; stage?: number; timeoutMs?: number },
        run: (input: unknown) => unknown,
      ) => {
        recording.open(`hooks.${hook}.tap`)
        if (typeof run !== 'function') throw new TypeError(`A tap of "${hook}" needs a function.`)
        const { name, stage = 0, timeoutMs = HOOK_LIMIT_MS } = typeof options === 'string' ? { name: options } : options
        recording.taps.push({ hook, name, stage, limitMs: Math.min(Math.max(timeoutMs, 1), MAX_HOOK_LIMIT_MS), run })
      }
      return { tap: record, tapPromise: record }
    },
  })
}

export function recordCapability(manifest: PluginManifest, recording: Recording, token: string, value: unknown): void {
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
}

export function recordJob(manifest: PluginManifest, recording: Recording, job: RecordedJob): void {
  recording.open('every or cron')
  checkTiming(job.timing)
  if (recording.jobs.some((other) => other.name === job.name)) {
    throw new PlayheadError('PLH_CONFLICT', `Plugin "${manifest.id}" registers two jobs named "${job.name}".`)
  }
  recording.jobs.push(job)
}
