// What the core's services take from a new composition: listeners, jobs, settings, log channels. Each takes a whole
// table and replaces the one before.
import type { PlayheadEvent } from '@playhead/sdk'
import type { HostDependencies } from './dependencies.ts'
import { guarded, type ReportFault } from './guard.ts'
import type { LivePlugin } from './slot.ts'

const LISTENER_LIMIT_MS = 30_000

export function connectComposition(core: HostDependencies, live: readonly LivePlugin[], report: ReportFault): void {
  core.config.setContributions(live.flatMap(({ contribution }) => (contribution === null ? [] : [contribution])))
  core.setLogChannels(
    live.flatMap(({ staged }) =>
      (staged.manifest.logChannels ?? []).map(({ tag, watcher }) => ({ tag, watcher: watcher === true })),
    ),
  )
  core.events.setPluginListeners(
    live.flatMap(({ staged: { manifest, generation, recording } }) =>
      recording.listeners.map(({ name, listener }) => ({
        plugin: manifest.id,
        name,
        listener: async (event: PlayheadEvent) => {
          await guarded(
            { generation, kind: 'event', what: `listener of ${name}`, limitMs: LISTENER_LIMIT_MS },
            report,
            () => listener(event) as void,
          ).catch(() => {})
        },
      })),
    ),
  )
  core.scheduler.setJobs(
    live.flatMap(({ staged: { manifest, generation, recording } }) =>
      recording.jobs.map((job) => ({
        owner: manifest.id,
        name: job.name,
        timing: job.timing,
        options: job.options,
        run: (signal: AbortSignal, { dueAtMs }: { dueAtMs: number }) => {
          const either = AbortSignal.any([signal, generation.signal])
          return guarded({ generation, kind: 'job', what: `job ${job.name}`, limitMs: null }, report, () =>
            job.work(either, { signal: either, dueAtMs }),
          )
        },
      })),
    ),
  )
}
