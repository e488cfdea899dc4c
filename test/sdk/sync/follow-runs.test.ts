// Delivery of finished runs.
import t from 'tap'
import { definePlugin, type RunSummary } from '@playhead/sdk'
import { followRuns } from '@playhead/sdk/sync'
import { createTestHost } from '@playhead/sdk/testing'

const RUNS = 120

function world({ whenQuiet }: { whenQuiet: boolean }) {
  const runs: RunSummary[] = []
  const seen = { looks: 0, taken: [] as string[] }
  const sync = {
    reports: async (count: number) => {
      seen.looks += 1
      return runs.toReversed().slice(0, count)
    },
    active: async () => null,
  }
  const plugin = definePlugin({
    setup: (ctx) => followRuns(ctx, async ({ run_id: id }) => void seen.taken.push(id), { whenQuiet }),
  })
  return { seen, runs, open: () => createTestHost({ plugin, capabilities: { sync } }) }
}

for (const whenQuiet of [false, true]) {
  t.test(
    `many consecutive runs are ingested once each${whenQuiet ? ', with a few checks when it is quiet' : ''}`,
    async (t) => {
      const { seen, runs, open } = world({ whenQuiet })
      await using host = await open()
      for (let run = 0; run < RUNS; run += 1) {
        runs.push({ run_id: `run-${run}`, dry_run: false } as unknown as RunSummary)
        host.events.emit('run.finished', { run_id: `run-${run}` })
      }
      await host.events.settled()
      while (seen.taken.length < RUNS) await new Promise((resolve) => setImmediate(resolve))
      t.same(
        seen.taken,
        runs.map(({ run_id: id }) => id),
      )
      // Each pass waits for quiet, and a stop would wait for all of them.
      if (whenQuiet) t.ok(seen.looks < RUNS / 10, `${seen.looks} looks`)
    },
  )
}
