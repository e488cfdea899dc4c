// Parsed webhooks of Jellyfin and Emby: for every format the right unit and person, without requests for known data.
import fc, { runsOf } from '../../fast-check.ts'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import type { Provider, WebhookReport, WebhookRequest } from '@playhead/sdk'
import { encoded } from '../../upstreams/media-browser/playback/webhooks.ts'
import { PRODUCTS, type Product, signedIn, type SignedIn } from './support.ts'
import { type Body, FIXTURES, sceneOf } from './webhook-bodies.ts'

type Playback = Extract<WebhookReport, { readonly type: 'playback' }>

function parse(provider: Provider, payload: Body, more: Partial<WebhookRequest> = {}): Promise<WebhookReport> {
  return provider.parseWebhook!('default', { payload, body: new Uint8Array(), headers: {}, needs: {}, ...more })
}

async function playbackOf(provider: Provider, payload: Body, more?: Partial<WebhookRequest>): Promise<Playback> {
  const report = await parse(provider, payload, more)
  if (report.type !== 'playback') throw new Error(`it is ${JSON.stringify(report)}`)
  return report
}

/** A body that reports playback. */
function bodyOf(product: Product, account: SignedIn, name = product === 'jellyfin' ? 'B2' : 'C2'): Body {
  return FIXTURES[product].find((one) => one.name.startsWith(name))!.body(sceneOf(account.server))
}

const plainIds = (ids: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(ids)
      .filter(([, id]) => id !== '')
      .map(([name, id]) => [name.toLowerCase(), id]),
  )

for (const product of PRODUCTS) {
  t.test(`${product}: common webhooks of people`, async (t) => {
    await using account = await signedIn(product, { movies: 3, shows: 1 })
    const scene = sceneOf(account.server)
    for (const { name, body, expected } of FIXTURES[product]) {
      const report = await parse(account.provider, body(scene))
      if ('ignored' in expected) {
        t.match(report, { type: 'ignored', reason: expected.ignored }, name)
        continue
      }
      const { action, state, share, completed, of } = expected
      const item = scene[of]
      const durationMs = item.runtimeTicks! / 10_000
      t.match(
        report,
        {
          type: 'playback',
          action,
          session: {
            state,
            durationMs,
            positionMs: Number.isNaN(share) ? 500 : Math.round(durationMs * share),
            account: { relation: 'own', name: scene.sam.name },
            item: { type: of === 'film' ? 'movie' : 'episode', title: item.name, native: { item_id: item.id } },
          },
        },
        name,
      )
      if (report.type !== 'playback') continue
      t.equal(report.session.completed, completed, name)
      for (const [scheme, id] of Object.entries(report.session.item.ids))
        t.equal(id, plainIds(item.providerIds)[scheme], `${name}: an id of the item itself`)
      if (of === 'film') continue
      t.same(report.session.item.show_ids, plainIds(scene.series.providerIds), `${name}: ids of the show apart`)
      t.match(report.session.item, { season: item.parentIndex, episode: item.index, series_title: scene.series.name })
    }
  })

  t.test(`${product}: in every encoding the document is in a declared field`, async (t) => {
    await using account = await signedIn(product, { movies: 3, shows: 1 })
    const { playback } = await account.provider.describe()
    const { fields = [], ratings, setup = '' } = playback?.webhook ?? {}
    t.equal(ratings, false)
    t.match(setup, /address/)
    const body = bodyOf(product, account)
    const form = new URLSearchParams(encoded(body, 'urlencoded').body)
    const field = fields.find((name) => form.has(name))
    t.match(await parse(account.provider, JSON.parse(form.get(field!)!) as Body), { type: 'playback' })
    const [, part] = /name="(\w+)"/.exec(encoded(body, 'multipart').body) ?? []
    t.ok(fields.includes(part!))
    t.same(await parse(account.provider, {}), { type: 'ignored', reason: 'empty_payload' })
    t.match(await parse(account.provider, { Hello: 1 }), { type: 'ignored', reason: 'unsupported_event' })
    t.match(await parse(account.provider, body, { purpose: 'ratings' }), { reason: 'unsupported_event' })
  })

  t.test(`${product}: the user is identified by ids alone, and by this server`, async (t) => {
    await using account = await signedIn(product, { movies: 3, shows: 1 })
    const { sam, kim } = sceneOf(account.server)
    const body = bodyOf(product, account)
    const withUser = (user: Body | undefined): Body =>
      product === 'jellyfin'
        ? { ...body, UserId: user?.['Id'], NotificationUsername: user?.['Name'] }
        : { ...body, User: user }
    const relationOf = async (payload: Body) => (await playbackOf(account.provider, payload)).session.account
    const dashed = sam.id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-').toUpperCase()
    t.match(await relationOf(withUser({ Id: sam.id, Name: 'kim' })), { relation: 'own' })
    t.match(await relationOf(withUser({ Id: dashed, Name: 'Sam' })), { relation: 'own', name: 'Sam' })
    t.match(await relationOf(withUser({ Id: kim.id, Name: 'sam' })), { relation: 'other', id: kim.id })
    t.same(await relationOf(withUser({ Name: 'sam' })), { name: 'sam', relation: 'unknown' }, 'a name is no proof')
    t.match(await relationOf(withUser({ Id: [sam.id], Name: 'sam' })), { relation: 'unknown' })
    t.same(await relationOf(withUser(undefined)), { relation: 'unknown' })

    account.requests()
    const elsewhere = { ...body, ServerId: 'f'.repeat(32), Server: { Id: 'f'.repeat(32) } }
    const { session } = await playbackOf(account.provider, elsewhere, { needs: { libraries: true, files: true } })
    t.match(session, { account: { relation: 'unknown', elsewhere: true }, server: 'f'.repeat(32) })
    t.notOk('libraries' in session)
    t.equal(account.requests(), 0, 'ids of another server are not looked up here')
  })

  t.test(`${product}: a session is one person's play of one item on one player`, async (t) => {
    await using account = await signedIn(product, { movies: 3, shows: 1 })
    const scene = sceneOf(account.server)
    const keys = new Map<string, Set<string>>()
    for (const { body, expected } of FIXTURES[product]) {
      const report = 'of' in expected ? await parse(account.provider, body(scene)) : undefined
      if (report?.type !== 'playback' || !('of' in expected) || report.session.deviceId !== 'dev-tv-01') continue
      keys.set(expected.of, (keys.get(expected.of) ?? new Set()).add(report.session.key))
    }
    t.same(
      [...keys.values()].map(({ size }) => size),
      [1, 1],
      'the same from its start to its end',
    )
    const body = bodyOf(product, account)
    const changed: Body[] =
      product === 'jellyfin'
        ? [{ UserId: scene.kim.id }, { DeviceId: 'dev-ph-13' }, { ItemId: 'other' }]
        : [
            { User: { Id: scene.kim.id, Name: 'kim' } },
            { Session: { Id: 'sess-c-9', DeviceId: 'dev-ph-13' } },
            { Item: { ...(body['Item'] as Body), Id: '77' } },
          ]
    const all = await Promise.all([{}, ...changed].map((one) => playbackOf(account.provider, { ...body, ...one })))
    t.equal(new Set(all.map(({ session }) => session.key)).size, 4)
  })

  t.test(`${product}: known data is not requested again, and unreadable data is omitted`, async (t) => {
    await using account = await signedIn(product, { movies: 3, shows: 1 })
    const { server, provider } = account
    const { series, episode } = sceneOf(server)
    const body = bodyOf(product, account)
    server.faults.add({ match: ({ path }) => /Items/.test(path), kind: 'status', status: 500 })
    const without = await playbackOf(provider, body, { needs: { libraries: true } })
    t.notOk(without.session.item.show_ids)
    t.notOk('libraries' in without.session)
    t.equal(without.session.account.relation, 'own')
    account.requests()
    await playbackOf(provider, body)
    t.equal(account.requests(), 0, 'a server that fails is not asked again with every report')
    server.faults.clear()

    await using other = await signedIn(product, { movies: 3, shows: 1 })
    const again = bodyOf(product, other)
    const needs = { libraries: true, files: true }
    const first = await playbackOf(other.provider, again, { needs })
    t.same(first.session.item.show_ids, plainIds(sceneOf(other.server).series.providerIds))
    t.same(first.session.libraries, [episode.libraryId === undefined ? '' : sceneOf(other.server).episode.libraryId])
    t.match(first.session.files, { paths: [sceneOf(other.server).episode.path], trusted: true })
    other.requests()
    for (let count = 0; count < 5; count += 1) await playbackOf(other.provider, again, { needs })
    t.equal(other.requests(), 0)
    t.ok(series.id)
  })

  t.test(`${product}: a path in the body is not trusted`, async (t) => {
    await using account = await signedIn(product, { movies: 3, shows: 1 })
    const body = bodyOf(product, account, product === 'jellyfin' ? 'B7' : 'C1')
    const item = { ...(body['Item'] as Body), Id: 'unknown', Path: '/etc/passwd' }
    const needs = { files: true }
    const { session } = await playbackOf(account.provider, { ...body, Item: item }, { needs })
    t.same(session.files, { paths: ['/etc/passwd'], editions: [], trusted: false })
    t.notOk('files' in (await playbackOf(account.provider, { ...body, Item: item })).session)
  })

  t.test(`${product}: positions and lengths are as reported, or absent`, async (t) => {
    await using account = await signedIn(product, { movies: 3, shows: 1 })
    const { film, sam } = sceneOf(account.server)
    const read = async (more: Body) => {
      const body = { NotificationType: 'PlaybackStop', UserId: sam.id, ItemType: 'Movie', ItemId: film.id, ...more }
      const { positionMs, durationMs, percent, completed } = (await playbackOf(account.provider, body)).session
      return [positionMs, durationMs, percent, completed]
    }
    const lengthMs = film.runtimeTicks! / 10_000
    const known = { RunTimeTicks: film.runtimeTicks, Provider_tmdb: '1' }
    t.same(await read({ ...known, PlaybackPositionTicks: 9_999 }), [1, lengthMs, undefined, undefined])
    t.same(await read({ ...known, PositionMs: 20_000 }), [20_000, lengthMs, undefined, undefined])
    t.same(await read({ ...known, PlaybackPositionTicks: -5 }), [undefined, lengthMs, undefined, undefined])
    t.same(await read({ ...known, PlaybackPositionTicks: 'soon' }), [undefined, lengthMs, undefined, undefined])
    const late = film.runtimeTicks! + 900 * 10_000
    t.same(await read({ ...known, PlaybackPositionTicks: late }), [lengthMs, lengthMs, undefined, undefined])
    t.same(await read({ ...known, PlaybackPositionTicks: late * 2 }), [undefined, lengthMs, undefined, undefined])
    t.same(await read({ ...known, Progress: '33.3', PlaybackPositionTicks: 5 }), [undefined, lengthMs, 33.3, undefined])
    t.same(await read({ ...known, Progress: 133 }), [undefined, lengthMs, undefined, undefined])
    t.same(await read({ ...known, PlayedToCompletion: 'True' }), [lengthMs, lengthMs, undefined, true])
    t.same(await read({ Provider_tmdb: '1', PlayedToCompletion: true }), [undefined, undefined, 100, true])
    const start = { ...known, NotificationType: 'PlaybackStart', PlayedToCompletion: true, PlaybackPositionTicks: 0 }
    t.same(await read(start), [0, lengthMs, undefined, undefined], 'only a stop completes')
    t.same(await read({ PlaybackPositionTicks: 0 }), [0, lengthMs, undefined, undefined], 'the server knows the length')
  })

  t.test(`${product}: the webhooks of a whole play report the same as its sessions`, async (t) => {
    await using account = await signedIn(product, { movies: 3, shows: 1 })
    const { server, provider } = account
    const { film, episode } = sceneOf(server)
    const lengthMs = film.runtimeTicks! / 10_000
    const heard: Playback[] = []
    const sink = createServer((request, response) => {
      void Array.fromAsync(request as AsyncIterable<Buffer>)
        .then((chunks) => playbackOf(provider, JSON.parse(Buffer.concat(chunks).toString()) as Body))
        .then((report) => heard.push(report))
        .finally(() => response.end())
    })
    await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve))
    t.teardown(() => sink.close())
    server.webhooks(`http://127.0.0.1:${(sink.address() as AddressInfo).port}/`)
    const tv = { userId: 'kim', deviceId: 'tv', deviceName: 'Living room', along: ['sam'] }
    const play = await server.playback.start({ ...tv, item: film })
    const sessions = await provider.playing!('default')
    t.same(
      heard.map(
        ({
          session: {
            item,
            account: { id, name, relation },
            deviceId,
            device,
          },
        }) => [item, id, name, relation, deviceId, device],
      ),
      sessions.map(({ item, account: { id, name, relation }, deviceId, device }) => [
        item,
        id,
        name,
        relation,
        deviceId,
        device,
      ]),
    )
    await play.at(lengthMs / 2)
    await play.pause()
    await play.resume()
    await play.next(episode)
    await play.finish()
    const own = heard.filter(({ session }) => session.account.relation === 'own')
    t.equal(own.length * 2, heard.length)
    const progress = product === 'jellyfin' ? 'progress' : undefined
    t.same(
      own.map(({ action, session }) => [action, session.state, session.item.type, session.completed]),
      [
        ['start', 'playing', 'movie', undefined],
        [progress, 'playing', 'movie', undefined],
        [progress ?? 'pause', 'paused', 'movie', undefined],
        [progress ?? 'start', 'playing', 'movie', undefined],
        ['stop', 'stopped', 'movie', undefined],
        ['start', 'playing', 'episode', undefined],
        ['stop', 'stopped', 'episode', true],
      ].filter(([action]) => action !== undefined),
    )
  })

  t.test(
    `${product}: malicious documents never throw, and are never the profile's user's without that id`,
    async (t) => {
      await using account = await signedIn(product, { movies: 3, shows: 1 })
      const scene = sceneOf(account.server)
      const bodies = FIXTURES[product].map(({ body }) => JSON.stringify(body(scene)))
      const plain = (text: string) => text.replaceAll('-', '').toLowerCase()
      const value = fc.oneof(
        fc.jsonValue({ maxDepth: 3 }),
        fc.constantFrom(
          sam(),
          '__proto__',
          '-1',
          '9'.repeat(400),
          'x'.repeat(2_000),
          1e308,
          -0,
          0.1,
          '../..',
          'a,b',
          '\u0000',
        ),
      )
      function sam() {
        return [scene.sam.id]
      }
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...bodies),
          fc.array(fc.tuple(fc.nat(), fc.constantFrom('replace', 'remove', 'rename', 'wrap'), value), { maxLength: 4 }),
          fc.boolean(),
          async (text, changes, hasNeeds) => {
            const payload = JSON.parse(text) as Body
            for (const [at, how, given] of changes) mutate(payload, at, how, given)
            const report = await parse(account.provider, payload, { needs: { libraries: hasNeeds, files: hasNeeds } })
            if (report.type !== 'playback') return
            const { account: who, positionMs, durationMs, key, item } = report.session
            if (who.relation === 'own') {
              const named = plain(JSON.stringify(payload['UserId'] ?? payload['User'] ?? payload))
              if (!named.includes(plain(scene.sam.id))) throw new Error('it is another user')
            }
            if (key === '' || (item.type !== 'movie' && item.type !== 'episode')) throw new Error('it is no session')
            if (positionMs !== undefined && !(positionMs >= 0 && positionMs <= (durationMs ?? Infinity)))
              throw new Error(`the position is ${positionMs}`)
          },
        ),
        { numRuns: runsOf(300) },
      )
      t.equal(({} as Body)['polluted'], undefined)
    },
  )
}

/** Changes the value after this many steps. */
function mutate(payload: Body, at: number, how: string, value: unknown): void {
  const places: [Body, string][] = []
  const collect = (record: Body): void => {
    for (const [name, inner] of Object.entries(record)) {
      places.push([record, name])
      if (typeof inner === 'object' && inner !== null && !Array.isArray(inner)) collect(inner as Body)
    }
  }
  collect(payload)
  const place = places[at % Math.max(1, places.length)]
  if (place === undefined) return
  const [record, name] = place
  const before = record[name]
  if (how !== 'replace') delete record[name]
  if (how === 'replace') record[name] = value
  else if (how === 'rename') record[name.toLowerCase()] = before
  else if (how === 'wrap') record[name] = [before]
}

for (const product of PRODUCTS)
  t.test(`${product}: a file of several episodes is a play of each`, async (t) => {
    await using account = await signedIn(product, { movies: 1, shows: 1 })
    const { server } = account
    const file = server.items('Episode').find(({ virtual }) => virtual !== true)!
    const item = { ...file, last: file.index! + 1 }
    const body: Body =
      product === 'jellyfin'
        ? {
            ...{ NotificationType: 'PlaybackStop', ItemType: 'Episode', ItemId: item.id, SeriesName: 'A Show' },
            ...{ SeasonNumber: item.parentIndex, EpisodeNumber: item.index, EpisodeNumberEnd: item.last },
            ...{ EpisodeNumberEnd00: '03', PlayedToCompletion: true, DeviceId: 'tv', RunTimeTicks: 36_000_000_000 },
            ...{ PlaybackPositionTicks: 35_900_000_000, NotificationUsername: 'sam' },
          }
        : {
            Event: 'playback.stop',
            User: { Name: 'sam' },
            Item: {
              ...{ Id: item.id, Type: 'Episode', ParentIndexNumber: item.parentIndex, IndexNumber: item.index },
              ...{ IndexNumberEnd: item.last, RunTimeTicks: 36_000_000_000 },
            },
            PlaybackInfo: { PlayedToCompletion: true, PositionTicks: 35_900_000_000 },
            Session: { DeviceId: 'tv' },
          }
    const { session, also = [] } = await playbackOf(account.provider, body)
    t.match(session, { completed: true, item: { season: item.parentIndex, episode: item.index } })
    t.equal(also.length, 1)
    t.match(also[0], { completed: true, state: 'stopped', item: { season: item.parentIndex, episode: item.last } })
    t.same(also[0]!.item.show_ids, session.item.show_ids)
    t.same(also[0]!.item.ids, {}, 'the ids are those of the first one')
    t.not(also[0]!.key, session.key)

    // The server's data for its sessions.
    Object.assign(file, { more: { IndexNumberEnd: item.last } })
    const play = await server.playback.start({ userId: 'sam', item: file, deviceId: 'tv', deviceName: 'TV' })
    const playing = await account.provider.playing!('default', {})
    t.same(
      playing.map(({ key, item: { episode } }) => [key.startsWith(play.key), episode]),
      [item.index, item.last].map((number) => [true, number]),
    )
  })

t.test(
  "jellyfin: the events of its other plugin have their position in the session, and completion in the item's mark",
  async (t) => {
    await using account = await signedIn('jellyfin', { movies: 2, shows: 1 })
    const { server, provider } = account
    const [film, next] = server.items('Movie')
    const durationMs = film!.runtimeTicks! / 10_000
    const bodyOfPlugin = (Event: string, share: number, played = false, playing = film!.id): Body => ({
      Event,
      Item: {
        ...{ Id: film!.id, Name: film!.name, Type: 'Movie', RunTimeTicks: film!.runtimeTicks },
        ...{ ProviderIds: film!.providerIds, UserData: { Played: played } },
      },
      User: { Name: 'sam' },
      Session: {
        DeviceId: 'tv',
        NowPlayingItem: { Id: playing },
        PlayState: { PositionTicks: Math.round(film!.runtimeTicks! * share), IsPaused: Event === 'Pause' },
      },
    })
    const camel = (value: unknown): unknown =>
      typeof value !== 'object' || value === null
        ? value
        : Object.fromEntries(
            Object.entries(value).map(([name, inner]) => [`${name[0]!.toLowerCase()}${name.slice(1)}`, camel(inner)]),
          )
    for (const shape of [(body: Body) => body, (body: Body) => camel(body) as Body]) {
      const of = async (...given: Parameters<typeof bodyOfPlugin>) => {
        const { action, session } = await playbackOf(provider, shape(bodyOfPlugin(...given)))
        const { state, positionMs, completed } = session
        return [
          action,
          state,
          positionMs === undefined ? undefined : Math.round((100 * positionMs) / durationMs),
          completed,
        ]
      }
      t.same(await of('Play', 0), ['start', 'playing', 0, undefined])
      t.same(await of('Progress', 0.4), ['progress', 'playing', 40, undefined])
      t.same(await of('Pause', 0.4), ['pause', 'paused', 40, undefined])
      t.same(await of('Scrobble', 0.92), ['stop', 'stopped', 92, undefined])
      t.same(await of('Scrobble', 0, true), ['stop', 'stopped', 100, true])
      t.same(await of('Stop', 0.97, true), ['stop', 'stopped', 100, true])
      t.same(await of('Stop', 0.2, true), ['stop', 'stopped', 20, undefined], 'a mark of another play')
      t.same(await of('Progress', 0.4, true), ['progress', 'playing', 40, undefined])
      t.same(await of('Stop', 0.01, false, next!.id), ['stop', 'stopped', undefined, undefined], 'the next item plays')
    }
    const film2: Body = {
      Event: 'Scrobble',
      Item: { Name: 'A Film', Type: 'Movie', ProviderIds: { Tmdb: '900010' }, UserData: { Played: true } },
      User: { Name: 'sam' },
    }
    t.match((await playbackOf(provider, film2)).session, { percent: 100, completed: true })
    const episode: Body = {
      ...{ Event: 'Stop', User: { Name: 'sam' }, Series: { ProviderIds: { Tvdb: '900020' } } },
      Item: { Type: 'Episode', Name: 'One', ParentIndexNumber: 1, IndexNumber: 2, IndexNumberEnd: 3 },
    }
    t.match((await playbackOf(provider, episode)).also, [{ item: { show_ids: { tvdb: '900020' }, episode: 3 } }])
  },
)
