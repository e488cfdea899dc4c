// Passes a new composition to the core's services: listeners, jobs, settings, log channels. Each service replaces its
// whole table. Entries of a dormant plugin load it first.
import type { JobRun, PlayheadEvent } from '@playhead/sdk'
import type { PluginListener } from '../../events/bus.ts'
import type { ScheduledJob } from '../../scheduling/scheduler.ts'
import type { HostDependencies } from '../dependencies.ts'
import { isWokenBy, keeps } from '../dormant/dormant.ts'
import type { KeptEvent, KeptEvents } from '../dormant/kept-events.ts'
import type { DormantPlugin, LivePlugin } from '../contract.ts'
import { guarded, type ReportFault } from '../run/guard.ts'
import type { RecordedJob } from '../run/recording.ts'

const LISTENER_LIMIT_MS = 30_000

interface PresentPlugins {
  readonly live: readonly LivePlugin[]
  readonly dormant: readonly DormantPlugin[]
}

export function connectComposition(
  core: HostDependencies,
  { live, dormant }: PresentPlugins,
  keptEvents: Pick<KeptEvents, 'keep'>,
  report: ReportFault,
): void {
  core.config.setContributions(
    [...live, ...dormant].flatMap(({ contribution }) => (contribution === null ? [] : [contribution])),
  )
  core.setLogChannels(
    [...live.map(({ staged }) => staged), ...dormant].flatMap(({ manifest }) =>
      (manifest.logChannels ?? []).map(({ tag, watcher }) => ({ tag, watcher: watcher === true })),
    ),
  )
  core.events.setPluginListeners([
    ...live.flatMap((plugin) => plugin.staged.recording.listeners.map((_one, at) => listenerOf(plugin, at, report))),
    ...dormant.flatMap(({ manifest, snapshot, activate }) =>
      snapshot.listeners.flatMap((name, at) =>
        isWokenBy(manifest, name)
          ? [
              {
                plugin: manifest.id,
                name,
                async listener(event: PlayheadEvent) {
                  const plugin = await activate()
                  if (plugin?.staged.recording.listeners[at]?.name === name)
                    await listenerOf(plugin, at, report).listener(event)
                },
              },
            ]
          : keeps(manifest, name)
            ? [
                {
                  plugin: manifest.id,
                  name,
                  listener: (event: PlayheadEvent) => keptEvents.keep(manifest.id, { on: name, event }),
                },
              ]
            : [],
      ),
    ),
  ])
  core.scheduler.setJobs([
    ...live.flatMap((plugin) => plugin.staged.recording.jobs.map((job) => jobOf(plugin, job, report))),
    ...dormant.flatMap(({ manifest, snapshot, activate }) =>
      snapshot.jobs.map((job) => ({
        ...job,
        timing: job.timing ?? { latest: undefined },
        isChecked: true,
        owner: manifest.id,
        async run(signal: AbortSignal, due: Omit<JobRun, 'signal'>) {
          const plugin = await activate()
          const now = plugin?.staged.recording.jobs.find(({ name }) => name === job.name)
          if (plugin !== null && now !== undefined) await jobOf(plugin, now, report).run(signal, due)
        },
      })),
    ),
  ])
}

/** Passes a stored event to its listeners. */
export async function hearLater(plugin: LivePlugin, { on, event }: KeptEvent, report: ReportFault): Promise<void> {
  for (const [at, { name }] of plugin.staged.recording.listeners.entries())
    if (name === on) await listenerOf(plugin, at, report).listener(event)
}

function listenerOf({ staged }: LivePlugin, at: number, report: ReportFault): PluginListener {
  const { manifest, generation, recording } = staged
  const { name, listener } = recording.listeners[at] as (typeof recording.listeners)[number]
  return {
    plugin: manifest.id,
    name,
    async listener(event) {
      await guarded(
        { generation, kind: 'event', what: `listener of ${name}`, limitMs: LISTENER_LIMIT_MS },
        report,
        () => listener(event) as void,
      ).catch(() => {})
    },
  }
}

function jobOf({ staged: { manifest, generation } }: LivePlugin, job: RecordedJob, report: ReportFault): ScheduledJob {
  return {
    owner: manifest.id,
    name: job.name,
    timing: job.timing,
    // When it was registered: a swap of one plugin sets the jobs of all.
    isChecked: true,
    options: job.options,
    run(signal, due) {
      const either = AbortSignal.any([signal, generation.signal])
      return guarded({ generation, kind: 'job', what: `job ${job.name}`, limitMs: null }, report, () =>
        job.work(either, { signal: either, ...due }),
      )
    },
  }
}
