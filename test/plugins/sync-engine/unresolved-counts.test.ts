// Number of unresolved items by pair and feature.
import t from 'tap'
import { countUnresolved } from '../../../plugins/services/sync/store/unresolved.ts'
import { migrations } from '../../../plugins/services/sync/store/migrations.ts'
import { createTestHost } from '@playhead/sdk/testing'
import { definePlugin } from '@playhead/sdk'

const row = (pair: string, feature: string, key: string, reason = 'refused_by_service') => ({
  pair_id: pair,
  feature,
  uid: 'u',
  op: 'add',
  key,
  provider: 'MEDIAB',
  instance: 'default',
  reason,
  item: '{}',
  identity: '',
  attempts: 1,
  failures: 1,
  skip_until_run: 0,
  quarantined_at: null,
  first_at: 0,
  last_at: 0,
  run_id: 'r',
})

t.test(
  'every open item counts for its pair and feature, including held ones, and items missing in a library separately',
  async (t) => {
    await using host = await createTestHost({
      plugin: definePlugin({ migrations }),
      manifest: { id: 'sync', name: 'Sync', version: '1.0.0', api: '^1.0.0', kind: 'service' },
    })
    t.same(await countUnresolved(host.db), [])

    await host.db
      .insertInto('sync__unresolved')
      .values([
        row('a', 'history', 'k1'),
        row('a', 'history', 'k2', 'held_mass_delete'),
        row('a', 'ratings', 'k1'),
        row('b', 'history', 'k1'),
        row('b', 'history', 'k2', 'not_in_library'),
      ])
      .execute()

    t.same(await countUnresolved(host.db), [
      { pair_id: 'a', feature: 'history', count: 2, held: 1, notInLibrary: 0, ignored: 0 },
      { pair_id: 'a', feature: 'ratings', count: 1, held: 0, notInLibrary: 0, ignored: 0 },
      { pair_id: 'b', feature: 'history', count: 1, held: 0, notInLibrary: 1, ignored: 0 },
    ])
  },
)
