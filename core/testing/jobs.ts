// A fake scheduler: jobs run on request, and the test sees the outcome.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { PlayheadError } from '@playhead/sdk'
import type { HostDependencies } from '../host/dependencies.ts'
import type { ScheduledJob } from '../scheduling/scheduler.ts'
import type { TestServices } from './services.ts'

interface JobRunner {
  /** Replaces the scheduler. */
  readonly scheduler: HostDependencies['scheduler']
  /** Runs a job of the plugin now and throws its error. */
  run(name: string): Promise<void>
  /** Resolves when the next time of each job is computed, unless one is due. */
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
    // Computing due jobs would run them.
    const isDue = () => scheduler.all().some(({ nextAtMs }) => nextAtMs !== null && nextAtMs <= clock.now())
    while (!isDue() && (await ticks.runDue())) await nextTurn()
  }

  const isRunning = (name: string) => scheduler.jobs(plugin).some((job) => job.name === name && job.running)

  return {
    scheduler: {
      ...scheduler,
      setJobs: (jobs) => scheduler.setJobs(jobs.map((job) => (job.owner === plugin ? watchedJob(job) : job))),
      retime(owner, name) {
        scheduler.retime(owner, name)
        void planned()
      },
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
