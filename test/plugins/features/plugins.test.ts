// Each feature is a plugin that provides one capability, which returns plain data.
import t from 'tap'
import { featureCapability, type SyncFeature } from '@playhead/sdk'
import { createTestHost } from '@playhead/sdk/testing'
import history from '../../../plugins/features/history/index.ts'
import progress from '../../../plugins/features/progress/index.ts'
import ratings from '../../../plugins/features/ratings/index.ts'
import watchlist from '../../../plugins/features/watchlist/index.ts'
import { createTable, rulesOf } from '../../sdk/sync/tables.ts'
import { FEATURES_UNDER_TEST, type Name } from '../../sdk/sync/worlds.ts'

const PLUGINS = { history, progress, ratings, watchlist } as const

for (const [name, plugin] of Object.entries(PLUGINS)) {
  t.test(`${name} is used as a capability and gives the same decisions there as here`, async (t) => {
    await using host = await createTestHost({
      plugin,
      manifest: new URL(`../../../plugins/features/${name}/plugin.json`, import.meta.url),
    })
    const feature = host.capability<SyncFeature>(featureCapability(name as Name))
    t.equal((await feature.describe()).feature, name)
    t.match(await feature.normalize({ enabled: 'yes' }), { enabled: true, add: true, remove: false })
    const { group } = createTable(name as Name)
    const groups = ['n n 1 0', 'y y 0 1', 'y y ? 1'].map((when) => group(when))
    const rules = rulesOf({ mode: 'two_way', remove: true })
    t.same(await feature.decide(groups, rules), FEATURES_UNDER_TEST[name]!.decide(groups, rules))
  })
}

t.test('a run processes history before the features that watching changes', async (t) => {
  t.same(FEATURES_UNDER_TEST['watchlist']!.describe().after, ['history'])
  t.same(FEATURES_UNDER_TEST['progress']!.describe().after, ['history'])
})
