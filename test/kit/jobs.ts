// Jobs that run when the test says so, and tell it how they ended.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { PlayheadError } from '@playhead/sdk'
import type { HostDependencies } from '../../core/host/dependencies.ts'
import type { ScheduledJob } from '../../core/scheduling/scheduler.ts'
import type { TestServices } from './services.ts'

export interface JobRunner {
  /** In place of the scheduler. */
  readonly scheduler: HostDependencies['scheduler']
  /** Runs a job of the plugin now and throws what it throws. */
  run(name: string): Promise<void>
  /** Resolves when the next time of each job is known, unless one of them is due. */
  planned(): Promise<void>
}

export function createJobRunner(plugin: string, { core: { clock }, scheduler, ticks }: TestServices): JobRunner {
  const outcomes = new Map<string, Promise<void>>()

  function watchedJob(job: ScheduledJob): ScheduledJob {
    return {
      ...job,
      run(signal, info) {
        const outcome = job.run(signal, info)
        outcomes.set(job.name, outcome)
        return outcome
      },
    }
  }

  async function planned(): Promise<void> {
    // To look at what is due would run it.
    const isDue = () => scheduler.all().some(({ nextAtMs }) => nextAtMs !== null && nextAtMs <= clock.now())
    while (!isDue() && (await ticks.runDue())) await nextTurn()
  }

  const isRunning = (name: string) => scheduler.jobs(plugin).some((job) => job.name === name && job.running)

  return {
    scheduler: {
      setJobs: (jobs) => scheduler.setJobs(jobs.map((job) => (job.owner === plugin ? watchedJob(job) : job))),
      retime(owner, name) {
        scheduler.retime(owner, name)
        void planned()
      },
      jobs: scheduler.jobs,
    },
    async run(name) {
      const names = scheduler.jobs(plugin).map((job) => job.name)
      if (!names.includes(name))
        throw new PlayheadError('PLH_NOT_FOUND', `There is no job "${name}". Jobs: ${names.join(', ') || 'none'}.`)
      await planned()
      if (!(await scheduler.trigger(plugin, name)))
        throw new PlayheadError('PLH_CONFLICT', `The job "${name}" runs already.`)
      try {
        await outcomes.get(name)
      } finally {
        while (isRunning(name)) await nextTurn()
      }
    },
    planned,
  }
}
