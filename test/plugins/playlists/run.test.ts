// Runs of mappings through the service, with the real sync between it and the accounts.
import t from 'tap'
import { film, worksOf } from './account.ts'
import { openWorld } from './world.ts'

t.test('a mapping carries a list to another account, and nothing the second time', async (t) => {
  await using world = await openWorld()
  const [ann, ben] = [world.account('ANN'), world.account('BEN')]
  ben.naming = 'imdb'
  const source = ann.make([1, 2, 3])
  const target = ben.make([3, 9])
  const from = await world.endpoint(ann, source)
  const to = await world.endpoint(ben, target)
  const id = await world.mapping({ source_endpoint: from, target_endpoints: [to] })

  const preview = await world.preview(id)
  t.match(preview, { planned_additions: 2, planned_removals: 0, source_count: 3, target_count: 2, blocked: false })
  t.same(ben.writes, [])
  const result = await world.run(id)
  t.match(result, { ok: true, added: 2, removed: 0, unresolved_count: 0, partial: false })
  t.same(worksOf(target), [3, 9, 1, 2])
  t.match(await world.run(id), { ok: true, planned_additions: 0, added: 0 })

  source.entries = source.entries.filter(({ work }) => work !== 1 && work !== 3)
  t.match(await world.run(id), { ok: true, removed: 1 })
  t.same(worksOf(target).toSorted(), [2, 3, 9], 'what was there before stays')
  t.ok(film(1))
})
