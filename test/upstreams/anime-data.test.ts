// The stand-in for the hosts of the anime data sets behaves as they do.
import t from 'tap'
import { startAnimeData } from './anime-data.ts'

const sets = {
  stats: { meta: { generated_on: '2026-07-01T00:00:00Z' } },
  mappings: { 'mal:1': {} },
  identities: 'anidb\n1\n',
}

t.test('releases are redirected to signed addresses of another host', async (t) => {
  await using data = await startAnimeData(sets)
  const url = `${data.mappingsUrl}/v3/stats.json`
  const redirect = await fetch(url, { redirect: 'manual' })
  const target = redirect.headers.get('location') as string
  t.equal(redirect.status, 302)
  t.ok(target.startsWith(data.assets.url))
  const answer = await fetch(url)
  t.same(await answer.json(), sets.stats)
  const etag = answer.headers.get('etag') as string
  t.equal((await fetch(url, { headers: { 'if-none-match': etag } })).status, 304)
  t.equal((await fetch(target.replace('%2B', '+'))).status, 403, 'a signature that was changed')
  t.equal((await fetch(`${data.mappingsUrl}/v4/stats.json`)).status, 404)
  data.redirectTo(null)
  t.equal((await fetch(url, { redirect: 'manual' })).status, 200)
})

t.test('etags change with the content', async (t) => {
  await using data = await startAnimeData(sets)
  const first = (await fetch(data.identitiesUrl)).headers.get('etag') as string
  data.publish('v3', { ...sets, identities: 'anidb\n2\n' })
  const second = await fetch(data.identitiesUrl, { headers: { 'if-none-match': first } })
  t.equal(second.status, 200)
  t.equal(await second.text(), 'anidb\n2\n')
})
