// Writes of plays, positions and favourites: each outcome, and data that must be kept.
import t from 'tap'
import type { Item } from '@playhead/sdk'
import { copiesOf, itemFor, outcomes, PRODUCTS, signedIn } from './support.ts'

const AT = '2026-07-01T20:15:00Z'
const AT_MS = Date.parse(AT)
const DAY_MS = 86_400_000
const isPlay = ({ method, path }: { method: string; path: string }) => method === 'POST' && /PlayedItems/.test(path)

for (const product of PRODUCTS) {
  t.test(
    `${product}: a play is written with its time, to films and episodes, and a second time changes nothing`,
    async (t) => {
      await using account = await signedIn(product, { movies: 3, shows: 1 })
      const { server } = account
      const targets = [server.items('Movie')[0]!, server.items('Episode')[1]!]
      const items = targets.map((target) => ({ ...itemFor(server, target), watched_at: AT }))
      t.same(outcomes(await account.write('history', 'add', items)), ['applied', 'applied'])
      t.same(outcomes(await account.write('history', 'add', items)), ['already', 'already'])
      for (const { id } of targets)
        t.match(server.actions.userData('sam', id), { played: true, playCount: 1, lastPlayedAtMs: AT_MS })
      t.same(
        (await account.read('history')).rows.map(({ watched_at: at }) => at),
        [AT, AT],
      )
    },
  )

  t.test(`${product}: an episode is found by its own ids, otherwise by its show and numbers`, async (t) => {
    await using account = await signedIn(product, { movies: 0, shows: 3 })
    const { server } = account
    const [first, second] = server.items('Episode')
    const show = itemFor(server, first!).show_ids!
    const own: Item = { type: 'episode', ids: itemFor(server, first!).ids, watched_at: AT }
    const { parentIndex: season, index: episode } = second!
    const numbered: Item = {
      type: 'episode',
      ids: {},
      show_ids: { imdb: show.imdb! },
      season: season!,
      episode: episode!,
      watched_at: AT,
    }
    const told = await account.write('history', 'add', [own, numbered])
    t.match(told, [
      { outcome: 'applied', native: { item_id: first!.id } },
      { outcome: 'applied', native: { item_id: second!.id } },
    ])
  })

  t.test(`${product}: missing items, items without ids and contradicting ones are not written`, async (t) => {
    await using account = await signedIn(product, { movies: 3, shows: 1 })
    const { server } = account
    const [a, b] = server.items('Movie').map((movie) => itemFor(server, movie))
    const episode = itemFor(server, server.items('Episode')[0]!)
    account.requests()
    const told = await account.write('history', 'add', [
      { type: 'movie', ids: { tmdb: '5' }, watched_at: AT },
      {
        type: 'movie',
        ids: {},
        title: server.items('Movie')[0]!.name,
        year: server.items('Movie')[0]!.year!,
        watched_at: AT,
      },
      { type: 'movie', ids: { tmdb: a!.ids.tmdb!, imdb: b!.ids.imdb! }, watched_at: AT },
      { ...episode, ids: {}, season: 40, watched_at: AT },
      { ...episode, ids: { tvdb: '99' }, watched_at: AT },
      { type: 'show', ids: episode.show_ids!, watched_at: AT },
    ])
    t.same(outcomes(told), [
      'not_found: not_in_library',
      'unsupported: missing_ids',
      'rejected: ambiguous_identity',
      'not_found: episode_missing',
      'rejected: ambiguous_identity',
      'unsupported: unsupported_type',
    ])
    t.equal(server.count(isPlay), 0)
    t.ok(account.requests() <= 4)
  })

  t.test(`${product}: items added to the library since the last read are found`, async (t) => {
    await using account = await signedIn(product, { movies: 3, shows: 0 })
    const { server } = account
    await account.write('history', 'add', [{ ...itemFor(server, server.items('Movie')[0]!), watched_at: AT }])
    const added = server.actions.addItem({ type: 'movie', title: 'Fresh', year: 2026, ids: { tmdb: 77 } })
    const realNow = Date.now
    Date.now = () => realNow() + 61_000
    t.teardown(() => {
      Date.now = realNow
    })
    t.same(outcomes(await account.write('history', 'add', [{ ...itemFor(server, added), watched_at: AT }])), [
      'applied',
    ])
    server.actions.removeItem(added.id)
    t.same(outcomes(await account.write('history', 'add', [{ ...itemFor(server, added), watched_at: AT }])), [
      'not_found: not_in_library',
    ])
  })

  t.test(`${product}: a newer play of the account stays, an older one is replaced and counted`, async (t) => {
    await using account = await signedIn(product, { movies: 3, shows: 0 })
    const { server } = account
    const [a, b] = server.items('Movie')
    server.actions.markPlayed('sam', a!.id, AT_MS + DAY_MS)
    server.actions.markPlayed('sam', b!.id, AT_MS - DAY_MS)
    const items = [a!, b!].map((movie) => ({ ...itemFor(server, movie), watched_at: AT }))
    t.same(outcomes(await account.write('history', 'add', items)), ['already', 'applied'])
    t.match(server.actions.userData('sam', a!.id), { playCount: 1, lastPlayedAtMs: AT_MS + DAY_MS })
    t.match(server.actions.userData('sam', b!.id), { playCount: 2, lastPlayedAtMs: AT_MS })
  })

  t.test(`${product}: without a time none is invented`, async (t) => {
    await using account = await signedIn(product, { movies: 3, shows: 0 })
    const { server } = account
    const [movie] = server.items('Movie')
    t.same(outcomes(await account.write('history', 'add', [{ ...itemFor(server, movie!), watched: true }])), [
      'applied',
    ])
    t.match(server.actions.userData('sam', movie!.id), { played: true, playCount: 1, lastPlayedAtMs: undefined })
    t.equal((await account.read('history')).rows[0]?.watched_at, undefined)
    t.same(outcomes(await account.write('history', 'update', [{ ...itemFor(server, movie!), watched_at: AT }])), [
      'applied',
    ])
    const dated = { played: true, playCount: 1, lastPlayedAtMs: AT_MS }
    t.match(server.actions.userData('sam', movie!.id), dated, 'its time became known; it was no other play')
  })

  t.test(`${product}: marking a play leaves likes and favourites alone, and a position of a later day`, async (t) => {
    await using account = await signedIn(product, { movies: 3, shows: 0 })
    const { server } = account
    const [movie] = server.items('Movie')
    server.actions.setFavourite('sam', movie!.id, true)
    server.actions.setRating('sam', movie!.id, 8)
    server.actions.setPosition('sam', movie!.id, 60_000, AT_MS + DAY_MS)
    t.same(outcomes(await account.write('history', 'add', [{ ...itemFor(server, movie!), watched_at: AT }])), [
      'applied',
    ])
    t.match(server.actions.userData('sam', movie!.id), {
      played: true,
      playCount: 1,
      favourite: true,
      rating: 8,
      positionTicks: 600_000_000,
      lastPlayedAtMs: AT_MS + DAY_MS,
    })
    const [row] = (await account.read('history')).rows
    t.same(outcomes(await account.write('history', 'remove', [row!])), ['applied'])
    t.match(server.actions.userData('sam', movie!.id), {
      played: false,
      favourite: true,
      rating: 8,
      positionTicks: 600_000_000,
    })
  })

  t.test(`${product}: a play is written to all copies, and removed from all`, async (t) => {
    await using account = await signedIn(product, { movies: 10, shows: 0 })
    const { server } = account
    const copies = copiesOf(server)
    t.equal(copies.length, 2)
    const item = { ...itemFor(server, copies[0]!), watched_at: AT }
    t.same(outcomes(await account.write('history', 'add', [item])), ['applied'])
    for (const { id } of copies) t.match(server.actions.userData('sam', id), { played: true, lastPlayedAtMs: AT_MS })
    t.same(outcomes(await account.write('history', 'remove', (await account.read('history')).rows)), ['applied'])
    for (const { id } of copies) t.match(server.actions.userData('sam', id), { played: false })
    t.same(outcomes(await account.write('history', 'remove', [item])), ['already'])
  })

  t.test(`${product}: an item watched again since the read is not removed`, async (t) => {
    await using account = await signedIn(product, { movies: 3, shows: 0 })
    const { server } = account
    const [movie] = server.items('Movie')
    server.actions.markPlayed('sam', movie!.id, AT_MS)
    const { rows } = await account.read('history')
    server.actions.markPlayed('sam', movie!.id, AT_MS + DAY_MS)
    t.same(outcomes(await account.write('history', 'remove', rows)), ['failed: changed_since_read'])
    t.match(server.actions.userData('sam', movie!.id), { played: true, lastPlayedAtMs: AT_MS + DAY_MS })
  })

  t.test(`${product}: an unconfirmed removal is unknown`, async (t) => {
    await using account = await signedIn(product, { movies: 3, shows: 0 })
    const { server } = account
    server.actions.markPlayed('sam', server.items('Movie')[0]!.id, AT_MS)
    const { rows } = await account.read('history')
    for (const fault of [{ kind: 'html', status: 200 }, { kind: 'empty' }] as const) {
      server.faults.add({ ...fault, times: 1, match: ({ method }) => method === 'DELETE' })
      t.same(outcomes(await account.write('history', 'remove', rows)), ['unknown: unconfirmed'])
    }
    t.same(outcomes(await account.write('history', 'remove', rows)), ['applied'])
  })

  t.test(`${product}: favourites are set and removed, for shows as well, and positions stay`, async (t) => {
    await using account = await signedIn(product, { movies: 10, shows: 1 })
    const { server } = account
    const [movie] = server.items('Movie')
    const [show] = server.items('Series')
    const copies = copiesOf(server)
    server.actions.setPosition('sam', movie!.id, 60_000, AT_MS)
    const items = [movie!, show!, copies[0]!].map((item) => itemFor(server, item))
    t.same(outcomes(await account.write('watchlist', 'add', items)), ['applied', 'applied', 'applied'])
    t.same(outcomes(await account.write('watchlist', 'add', items)), ['already', 'already', 'already'])
    t.match(server.actions.userData('sam', movie!.id), {
      favourite: true,
      positionTicks: 600_000_000,
      lastPlayedAtMs: AT_MS,
    })
    t.equal(copies.filter(({ id }) => server.actions.userData('sam', id)?.favourite).length, 1, 'one of the copies')
    for (const { id } of copies) server.actions.setFavourite('sam', id, true)
    t.same(outcomes(await account.write('watchlist', 'remove', (await account.read('watchlist')).rows)), [
      'applied',
      'applied',
      'applied',
    ])
    t.same((await account.read('watchlist')).rows, [])
  })

  t.test(`${product}: writes go to the chosen libraries only`, async (t) => {
    await using account = await signedIn(product, { movies: 10, shows: 0 })
    const { server, host } = account
    const copies = copiesOf(server)
    await host.changeConfig({ history: { libraries: [copies[1]!.libraryId] } })
    const item = { ...itemFor(server, copies[0]!), watched_at: AT }
    t.match(await account.write('history', 'add', [item]), [{ outcome: 'applied', native: { item_id: copies[1]!.id } }])
    t.equal(server.actions.userData('sam', copies[0]!.id), undefined)
    const elsewhere = { ...itemFor(server, server.items('Movie')[0]!), watched_at: AT }
    t.same(outcomes(await account.write('history', 'add', [elsewhere])), ['not_found: not_in_library'])
  })

  t.test(`${product}: failures are reported per item: not done, possibly done, and refused`, async (t) => {
    await using account = await signedIn(product, { movies: 10, shows: 0, settings: { max_retries: 0 } })
    const { server } = account
    const items = server
      .items('Movie')
      .slice(0, 6)
      .map((movie) => ({ ...itemFor(server, movie), watched_at: AT }))
    await account.write('history', 'add', [items[5]!])
    const failing = async (fault: Parameters<typeof server.faults.add>[0], item: Item) => {
      server.faults.add({ match: isPlay, ...fault })
      const told = outcomes(await account.write('history', 'add', [item]))
      server.faults.clear()
      return told[0]
    }
    t.match(await failing({ kind: 'status', status: 403 }, items[0]!), 'rejected')
    t.match(await failing({ kind: 'status', status: 404 }, items[0]!), 'not_found: not_in_library')
    t.match(await failing({ kind: 'status', status: 400 }, items[0]!), 'rejected')
    t.match(await failing({ kind: 'status', status: 503 }, items[0]!), 'failed')
    t.match(await failing({ kind: 'status', status: 500 }, items[0]!), 'unknown')
    t.match(await failing({ kind: 'status', status: 429, headers: { 'retry-after': '7' } }, items[0]!), 'rate_limited')
    t.match(await failing({ kind: 'empty' }, items[1]!), 'unknown: unconfirmed')
    t.match(await failing({ kind: 'html', status: 200 }, items[1]!), 'unknown: unconfirmed')
    t.match(await failing({ kind: 'reset' }, items[2]!), 'unknown')
    t.match(
      server.actions.userData('sam', server.items('Movie')[2]!.id),
      { played: true, playCount: 1 },
      'it was done, and not done twice',
    )
    t.match(await failing({ kind: 'reset' }, items[2]!), 'already')
  })

  t.test(`${product}: a revoked token ends the batch, and nothing more is sent`, async (t) => {
    await using account = await signedIn(product, { movies: 60, shows: 0 })
    const { server } = account
    const items = server
      .items('Movie')
      .slice(0, 38)
      .map((movie) => ({ ...itemFor(server, movie), watched_at: AT }))
    server.faults.add({
      kind: 'slow',
      delayMs: 0,
      match: (request) => {
        if (isPlay(request) && server.count(isPlay) === 10) server.actions.expireTokens()
        return false
      },
    })
    const told = await account.write('history', 'add', items)
    t.equal(told.length, items.length)
    const applied = told.filter(({ outcome }) => outcome === 'applied').length
    t.ok(applied >= 1 && applied <= 10)
    t.same(new Set(outcomes(told)), new Set(['applied', 'failed: unauthorized']))
    t.ok(server.count(isPlay) <= 10 + 2 * 8)
    t.equal(
      server.items('Movie').filter(({ id }) => server.actions.userData('sam', id)?.played).length >= applied,
      true,
    )
  })

  t.test(`${product}: an unreachable server does not get a request per item`, async (t) => {
    const account = await signedIn(product, { movies: 60, shows: 0, settings: { max_retries: 0 } })
    const { server } = account
    const items = server
      .items('Movie')
      .slice(0, 38)
      .map((movie) => ({ ...itemFor(server, movie), watched_at: AT }))
    server.faults.add({ kind: 'status', status: 503, match: isPlay })
    const told = await account.write('history', 'add', items)
    t.ok(told.every(({ outcome }) => outcome === 'failed'))
    t.ok(server.count(isPlay) <= 24)
    await server.close()
    await t.rejects(account.write('history', 'add', [items[0]!]), { code: 'PLH_UPSTREAM' })
    await account.host.close()
  })
}

for (const product of PRODUCTS)
  t.test(
    `${product}: a file of several episodes is watched when each of them is, and each is read as watched`,
    async (t) => {
      await using account = await signedIn(product, { movies: 0, shows: 1 })
      const { server } = account
      const [file, other] = server.items('Episode').filter(({ parentIndex, virtual }) => parentIndex === 1 && !virtual)
      const first = file!.index!
      Object.assign(file!, { more: { IndexNumberEnd: 100 + first } })
      Object.assign(other!, { more: { IndexNumberEnd: other!.index! - 1 } })
      const isOne = (number: number) => (item: Item) => item.season === 1 && item.episode === number
      const { show_ids: show, ids } = itemFor(server, file!)
      server.actions.markPlayed('sam', file!.id, AT_MS)
      t.equal((await account.read('history')).rows.length, 1, 'an absurd range is none')
      server.actions.markUnplayed('sam', file!.id)
      Object.assign(file!, { index: 901, more: { IndexNumberEnd: 903 } })
      await account.read('history')

      const episode = (number: number, at = AT, more: Partial<Item> = {}): Item => ({
        ...{ type: 'episode', ids: {}, show_ids: show!, season: 1, episode: number, watched_at: at },
        ...more,
      })
      const words = (told: readonly { outcome: string; reason?: string }[]) =>
        told.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome} ${reason}`))
      const played = () => server.actions.userData('sam', file!.id)?.played
      const LATER = '2026-07-02T20:15:00Z'
      t.same(words(await account.write('history', 'add', [episode(903, AT, { ids: { tvdb: '77700903' } })])), [
        'not_found shared_file',
      ])
      t.same(words(await account.write('history', 'add', [episode(901, AT, { ids })])), ['not_found shared_file'])
      t.notOk(played(), 'one of them is not watched yet')
      t.same((await account.read('history')).rows, [])
      t.same(
        words(await account.write('history', 'add', [episode(902, LATER)])),
        ['applied'],
        'the last that was missing',
      )
      t.match(server.actions.userData('sam', file!.id), {
        played: true,
        playCount: 1,
        lastPlayedAtMs: Date.parse(LATER),
      })

      const { rows, end } = await account.read('history')
      t.ok(end.complete)
      t.same(rows.map(({ episode: number, watched_at: at }) => `${number} ${at}`).sort(), [
        `901 ${LATER}`,
        `902 ${LATER}`,
        `903 ${LATER}`,
      ])
      t.same(rows.find(isOne(902))?.ids, {}, 'the ids of the file are those of its first episode')
      t.match(rows.find(isOne(902)), { show_ids: show!, native: { item_id: file!.id } })

      t.same(words(await account.write('history', 'remove', [rows.find(isOne(903))!])), ['rejected shared_file'])
      t.ok(played(), 'the others stay watched')
      const both = [rows.find(isOne(901))!, rows.find(isOne(902))!]
      t.same(words(await account.write('history', 'remove', both)), ['applied', 'applied'])
      t.notOk(played())
      const after = await account.read('history')
      t.same([after.rows, after.end.gone ?? []], [[], []], 'all of them are gone, which the item proves')

      server.actions.markPlayed('sam', file!.id, AT_MS)
      t.equal((await account.read('history')).rows.length, 3)
      Object.assign(file!, { more: {} })
      const split = await account.read('history')
      t.equal(split.rows.length, 1)
      t.same(
        split.end.gone?.map(({ episode: number }) => number).sort(),
        [902, 903],
        'that the file has fewer episodes is no removal',
      )
      t.same(words(await account.write('progress', 'add', [episode(902, AT, { progress_ms: 60_000 })])), [
        'not_found episode_missing',
      ])
    },
  )
