import t from 'tap'
import { RUN_FINISHED } from '@playhead/sdk'
import { createTestHost } from '@playhead/sdk/testing'
import plugin from './index.ts'

const manifest = new URL('./plugin.json', import.meta.url)
const counts = { updated: 0, unresolved: 0, errors: 0, held: 0 }

t.test('the last run is remembered', async (t) => {
  await using host = await createTestHost({ plugin, manifest, hooks: [RUN_FINISHED] })
  t.same((await host.inject('/api/acme/last')).json(), { ok: true, last: null })

  for (const added of [3, 2])
    await host.callHook(RUN_FINISHED, {
      ...{ runId: `run-${added}`, dryRun: false, pairIds: [], result: 'ok', removed: 1, added },
      ...counts,
    })

  t.same((await host.inject('/api/acme/last')).json(), { ok: true, last: { result: 'ok', added: 2, removed: 1 } })
})
