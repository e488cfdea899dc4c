// Playback sessions: validation by the kit, and the keyed cache.
import t from 'tap'
import { createKeyedCache, type PlaySession, type Provider } from '@playhead/sdk/provider'
import { acmePlugin, movie, startAcme } from './support.ts'

const config = { server: 'http://127.0.0.1:9', access_token: 'a-token' }
const good: PlaySession = {
  key: 'a',
  item: { type: 'movie', title: 'Film', ids: { imdb: 'tt0000001' } },
  state: 'playing',
  positionMs: 1_000,
  durationMs: 60_000,
  account: { id: '1', name: 'Ann', relation: 'own' },
}
const telling = (playing: () => Promise<readonly unknown[]>) =>
  startAcme(acmePlugin({ change: { playback: { playing: playing as () => Promise<readonly PlaySession[]> } } }), {
    config,
  })

t.test('sessions are passed on unchanged, and the provider declares that it reports them', async (t) => {
  const bare: PlaySession = {
    key: 'b',
    item: { type: 'episode', ids: {}, season: 0, episode: 1 },
    state: 'buffering',
    account: { id: '1', name: '', relation: 'own' },
  }
  await using acme = await telling(async () => [good, bare])
  t.same((await acme.provider.describe()).playback, { watch: 'poll' })
  t.same(await acme.provider.playing!('default'), [good, bare])
})

t.test('a session that contradicts itself is omitted and not corrected', async (t) => {
  const wrong: readonly (readonly [string, Partial<Record<keyof PlaySession, unknown>>])[] = [
    ['a position behind the end', { positionMs: 60_001 }],
    ['a position before the beginning', { positionMs: -1 }],
    ['half a millisecond', { positionMs: 0.5 }],
    ['no number', { positionMs: Number.NaN }],
    ['no length at all', { durationMs: 0 }],
    ['a show', { item: { type: 'show', ids: { imdb: 'tt0000002' } } }],
    ['a season', { item: { type: 'season', ids: {}, season: 1 } }],
    ['a state that nobody knows', { state: 'stopped' }],
    ['no state', { state: undefined }],
    ['no key', { key: '' }],
    ['nobody', { account: { id: '', name: 'Ann' } }],
    ['a key that was there', { key: 'a', item: movie(3) }],
  ]
  let told: readonly unknown[] = []
  await using acme = await telling(async () => told)
  for (const [name, change] of wrong) {
    told = [good, { ...good, key: 'other', ...change }]
    t.same(await acme.provider.playing!('default'), [good], name)
  }
})

t.test('a picture that might contain a secret is removed', async (t) => {
  const covers = [
    'https://a.example/b.jpg',
    'https://a.example/b.jpg?X-Plex-Token=1',
    'https://ann:pw@a.example/b.jpg',
    'file:///etc/passwd',
    'b.jpg',
  ]
  await using acme = await telling(async () => covers.map((cover, index) => ({ ...good, key: String(index), cover })))
  t.same(
    (await acme.provider.playing!('default')).map(({ cover }) => cover),
    [covers[0], undefined, undefined, undefined, undefined],
  )
})

t.test(
  'a caller without a sign-in, a cancelled one, and one at a provider without sessions get an error',
  async (t) => {
    await using acme = await telling(() => new Promise(() => {}))
    await t.rejects(acme.provider.playing!('default', {}, AbortSignal.timeout(1)), { code: 'PLH_ABORTED' })
    await acme.host.changeConfig({ access_token: '' })
    await t.rejects(acme.provider.playing!('default'), { code: 'PLH_NOT_READY', wire: 'not_configured' })

    await using silent = await startAcme(acmePlugin(), { config })
    const provider: Partial<Provider> = silent.provider as unknown as Provider
    t.equal((await silent.provider.describe()).playback, undefined)
    await t.rejects((provider as Provider).playing!('default'), { code: 'PLH_UNSUPPORTED' })
  },
)

t.test(
  'facts are requested once, unknown ones again after a minute, and those used least recently are dropped first',
  async (t) => {
    let nowMs = 0
    const asked: (readonly string[])[] = []
    const facts = createKeyedCache({
      load: async (keys) => {
        asked.push(keys)
        return new Map(keys.filter((key) => key !== 'none').map((key) => [key, key.toUpperCase()]))
      },
      most: 3,
      now: () => nowMs,
    })
    t.same(
      [...(await facts.get(['a', 'b', 'a', 'none']))],
      [
        ['a', 'A'],
        ['b', 'B'],
      ],
    )
    t.same([...(await facts.get(['b', 'none']))], [['b', 'B']])
    t.same(asked.splice(0), [['a', 'b', 'none']])
    nowMs += 60_000
    await facts.get(['a', 'none'])
    t.same(asked.splice(0), [['none']])
    await facts.get(['c'])
    await facts.get(['a'])
    await facts.get(['b'])
    t.same(asked.splice(0), [['c'], ['b']])
    nowMs += 3_600_000
    await facts.get(['a'])
    t.same(asked.splice(0), [['a']])
  },
)

t.test('a failed request is repeated', async (t) => {
  let fails = true
  const facts = createKeyedCache({
    load: async () => {
      if (fails) throw new Error('down')
      return new Map([['a', 1]])
    },
  })
  await t.rejects(facts.get(['a']), { message: 'down' })
  fails = false
  t.same([...(await facts.get(['a']))], [['a', 1]])
})
