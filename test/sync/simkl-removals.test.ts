// slow: the whole service over every combination
// Removals at SIMKL in complete runs: removing an entry deletes its history, so only some entries may be removed.
import t from 'tap'
import { expectOk, runToEnd } from '../demo/sign-in.ts'
import { connected, fill, ofFeature, ON, planned, settled, statusOf } from './simkl-world.ts'

t.test("items removed from the tracker's watchlist are removed from SIMKL, and nothing else is", async (t) => {
  const { stack, simkl, service } = await connected()
  await using _stack = stack
  fill(simkl)
  await runToEnd(service)
  await settled(service, simkl)
  const work = simkl.movie(12)
  const key = `movie:tmdb:${work.ids['tmdb']}`
  await expectOk(service, '/api/watchlist/delete', { provider: 'SVC', keys: [key] })

  const run = await settled(service, simkl)

  t.equal(run.result, 'ok')
  t.equal(statusOf(simkl, work), undefined)
  t.equal(simkl.user.account.library.size, 12 + 6 + 1 + 1 - 1, 'and nothing else')
  t.equal(planned(await settled(service, simkl)), 0)
})

t.test('the watchlist tool removes a planned title from SIMKL, and keeps one that was watched meanwhile', async (t) => {
  const { stack, simkl, service } = await connected()
  await using _stack = stack
  fill(simkl)
  await runToEnd(service)
  const [untouched, watched] = [simkl.movie(12), simkl.movie(13)]
  simkl.advance(2_000)
  simkl.user.watch(watched)
  const { body } = await service.json('/api/watchlist/delete', {
    json: { provider: 'TRACKB', keys: [untouched, watched].map(({ ids }) => `movie:tmdb:${ids['tmdb']}`) },
  })
  t.match(body, { deleted_ok: 1, partial: true })
  t.equal(statusOf(simkl, untouched), undefined)
  t.match(simkl.user.entry(watched), { status: 'completed', watchedAtMs: Number })
})

for (const approval of ['the pair', 'its plan']) {
  t.test(
    `with only the watchlist in the pair, a removal at SIMKL waits for a person, who approves it for ${approval}`,
    async (t) => {
      const { stack, simkl, service, pairId } = await connected({ watchlist: ON })
      await using _stack = stack
      fill(simkl)
      await runToEnd(service)
      await settled(service, simkl)
      const work = simkl.movie(13)
      await expectOk(service, '/api/watchlist/delete', { provider: 'SVC', keys: [`movie:tmdb:${work.ids['tmdb']}`] })

      const held = await settled(service, simkl)
      t.equal(statusOf(simkl, work), 'plantowatch')
      t.equal(held.result, 'partial')
      const planId = ofFeature(held, 'watchlist').plan_id
      const { body: plan } = await service.json(`/api/run/plan/${planId}`)
      t.match(plan.items, [{ op: 'remove', state: 'held', reason: 'removal_side_effects' }])

      const released = await runToEnd(service, {
        ...(approval === 'the pair' ? { pair_id: pairId } : { plan_id: planId }),
        allow_mass_delete: true,
      })
      t.equal(released.removed_last, 1)
      t.equal(statusOf(simkl, work), undefined)
    },
  )
}
