// A scheduled pair is not removed by accident.
import { PAIR_USAGE } from '@playhead/sdk'
import t from 'tap'
import { createTestHost } from '@playhead/sdk/testing'
import plugin from '../../../plugins/services/scheduling/index.ts'

t.test('jobs, workflows and rules that name a pair are listed, including disabled ones', async (t) => {
  await using host = await createTestHost({
    plugin,
    manifest: new URL('../../../plugins/services/scheduling/plugin.json', import.meta.url),
    config: {
      advanced: {
        jobs: [
          { id: 'night', pair_id: 'pair_1', at: '03:00', active: false },
          { id: 'other', pair_id: 'pair_2', at: '04:00' },
        ],
        workflows: [
          {
            id: 'flow',
            name: 'All of it',
            steps: [
              { id: 's1', pair_id: 'pair_2' },
              { id: 's2', pair_id: 'pair_1' },
            ],
          },
        ],
        event_rules: [{ id: 'rule', event: 'stop', action: { kind: 'sync_pair', pair_id: 'pair_1' } }],
      },
    },
    hooks: [PAIR_USAGE],
    capabilities: { sync: { pairs: async () => [], active: async () => null } },
  })
  const usages = async (pairId: string) =>
    (await host.callHook(PAIR_USAGE, { pair_id: pairId })).flat().map(({ feature, id }) => `${feature} ${id}`)

  t.same(await usages('pair_1'), ['schedule_job night', 'workflow flow', 'event_rule rule'])
  t.same(await usages('pair_2'), ['schedule_job other', 'workflow flow'])
  t.same(await usages('pair_3'), [])
})
