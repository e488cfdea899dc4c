import t from 'tap'
import type { AnalyzerPage, AnalyzerWorld, Item } from '@playhead/sdk'
import { checkAnalyzer, createTestHost } from '@playhead/sdk/testing'
import plugin from './index.ts'

const manifest = new URL('./plugin.json', import.meta.url)

t.test('a title without a year is found, one with a year is not', async (t) => {
  const items: readonly Item[] = [
    { type: 'movie', title: 'One', year: 1999, ids: { tmdb: '1' } },
    { type: 'movie', title: 'Two', ids: { tmdb: '2' } },
    { type: 'episode', title: 'Part', ids: { tmdb: '3' } },
  ]
  const page = { rows: items.map((item, index) => ({ key: String(index), item })) } as unknown as AnalyzerPage
  t.strictSame([...plugin.rule.inspect!(page, {} as AnalyzerWorld)], [{ type: 'acmeToken_missing_year', key: '1' }])
})

t.test('the plugin offers the rule, and the rule keeps its promises', async (t) => {
  await using host = await createTestHost({ plugin, manifest })
  t.same(host.failures, [])
  t.same(
    checkAnalyzer(plugin).filter(({ ok }) => !ok),
    [],
  )
})
