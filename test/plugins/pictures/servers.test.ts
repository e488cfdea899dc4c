// Pictures of the three media servers: found by ids, scaled by the server, and only pictures of reasonable size.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Ids, PictureRequest, Provider } from '@playhead/sdk'
import t from 'tap'
import type { Fault } from '../../upstreams/base/faults.ts'
import type { Upstream } from '../../upstreams/base/index.ts'
import { paint } from '../../upstreams/base/paint.ts'
import { PRODUCTS, signedIn } from '../jellyfin-and-emby/support.ts'
import { startWorld } from '../plex/world.ts'

interface Server {
  readonly name: string
  readonly provider: Provider
  readonly upstream: Upstream
  /** Matches the path of pictures. */
  readonly pictures: RegExp
  readonly film: Ids
  readonly show: Ids
}

interface Test {
  teardown(fn: () => PromiseLike<void>): void
}

type ErrorMatch = { code: string | RegExp; details?: { reason: string } }

const MANY = 12

async function open(name: 'plex' | (typeof PRODUCTS)[number], test: Test): Promise<Server> {
  if (name === 'plex') {
    const world = await startWorld(test, { movies: 20, shows: 3 })
    const idsOf = (type: 'movie' | 'show') =>
      Object.fromEntries(
        world
          .ofType(type)
          .find(({ guids }) => guids.length > 0)!
          .guids.map((guid) => guid.split('://')),
      ) as Ids
    return {
      name,
      provider: world.provider,
      upstream: world.plex.server,
      pictures: /^\/photo/,
      film: idsOf('movie'),
      show: idsOf('show'),
    }
  }
  const account = await signedIn(name, { movies: 20, shows: 3 })
  test.teardown(() => account[Symbol.asyncDispose]())
  const idsOf = (type: 'Movie' | 'Series') => {
    const { providerIds } = account.server.items(type).find(({ providerIds: ids }) => Object.keys(ids).length > 0)!
    return Object.fromEntries(Object.entries(providerIds).map(([scheme, id]) => [scheme.toLowerCase(), id])) as Ids
  }
  return {
    name,
    provider: account.provider,
    upstream: account.server,
    pictures: /\/Images\//,
    film: idsOf('Movie'),
    show: idsOf('Series'),
  }
}

const poster = (ids: Ids, more: Partial<PictureRequest> = {}): PictureRequest => ({
  type: 'movie',
  ids,
  art: 'poster',
  width: 185,
  ...more,
})

const HUGE = 100 * 1024 * 1024
const PIECE = Buffer.alloc(64 * 1024, paint(1, 16, 24))
const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"></svg>'

/** Server responses in place of a picture, and their result. */
const ATTACKS: readonly (readonly [name: string, fault: Omit<Fault, 'match'>, expected: ErrorMatch | null])[] = [
  ['a page', { kind: 'html', status: 200 }, { code: 'PLH_UPSTREAM_INVALID', details: { reason: 'not_a_picture' } }],
  ['nothing', { kind: 'empty' }, { code: 'PLH_UPSTREAM_INVALID' }],
  ['no such picture', { kind: 'status', status: 404 }, null],
  ['half of a picture', { kind: 'truncate' }, { code: /^PLH_UPSTREAM/ }],
  [
    'an SVG with a script',
    spoil('image/svg+xml', (response) => response.end(svg)),
    { code: 'PLH_UPSTREAM_INVALID', details: { reason: 'not_a_picture' } },
  ],
  [
    'an SVG that is called JPEG',
    spoil('image/jpeg', (response) => response.end(svg)),
    { code: 'PLH_UPSTREAM_INVALID', details: { reason: 'not_a_picture' } },
  ],
  [
    'a page that begins as a PNG and is called HTML',
    spoil('text/html', (response) => response.end(Buffer.concat([paint(1, 16, 24), Buffer.from('<script>')]))),
    { code: 'PLH_UPSTREAM_INVALID', details: { reason: 'not_a_picture' } },
  ],
  [
    'a hundred megabytes, announced',
    spoil('image/png', (response) => {
      response.setHeader('content-length', HUGE)
      response.write(PIECE)
    }),
    { code: 'PLH_UPSTREAM_INVALID', details: { reason: 'picture_too_large' } },
  ],
  [
    'a picture without an end',
    spoil('image/png', (response) => {
      const write = () => {
        while (!response.destroyed && response.write(PIECE));
      }
      response.on('drain', write)
      write()
    }),
    { code: 'PLH_UPSTREAM_INVALID', details: { reason: 'picture_too_large' } },
  ],
]

type Send = NonNullable<Fault['send']>
function spoil(type: string, send: (response: Parameters<Send>[0]) => void): Omit<Fault, 'match'> {
  return {
    kind: 'spoil',
    instead: true,
    send(response) {
      response.statusCode = 200
      response.setHeader('content-type', type)
      send(response)
    },
  }
}

for (const product of [...PRODUCTS, 'plex'] as const) {
  t.test(product, async (t) => {
    const { provider, upstream, pictures, film, show } = await open(product, t)
    const ask = (request: PictureRequest) => provider.picture!('default', request)

    t.ok((await provider.describe()).pictures)
    const first = await ask(poster(film))
    t.equal(first?.type, 'image/png')
    t.equal(Buffer.from(first!.bytes).readUInt32BE(16), 185, 'in the width that was asked for')
    const backdrop = await ask(poster(show, { type: 'show', art: 'backdrop', width: 780 }))
    const [width, height] = [16, 20].map((place) => Buffer.from(backdrop!.bytes).readUInt32BE(place)) as [
      number,
      number,
    ]
    t.ok(width > height, 'a backdrop is wider than high')

    const before = upstream.count()
    for (let index = 0; index < MANY; index += 1) await ask(poster(film))
    t.equal(upstream.count() - before, MANY, 'a poster costs one request: the title is found without any')
    t.equal(await ask(poster({ tmdb: '424242424' })), null, 'a title that the server lacks')
    t.equal(await ask(poster({ tmdb: '../../../etc/passwd' })), null)
    t.equal(await ask(poster(film, { type: 'show' })), null, 'ids of films are no ids of shows')
    t.equal(await ask(poster({ ...film, imdb: 'tt424242424' })), null, 'ids that contradict name no title')

    for (const [name, fault, expected] of ATTACKS) {
      upstream.faults.add({ ...fault, match: pictures, times: 20 } as Fault)
      if (expected === null) t.equal(await ask(poster(film)), null, name)
      else await t.rejects(ask(poster(film)), expected, name)
      upstream.faults.clear()
    }
    t.equal((await ask(poster(film)))?.type, 'image/png', 'works again')
  })

  t.test(`${product}: a redirect to another host is not followed`, async (t) => {
    const { provider, upstream, pictures, film } = await open(product, t)
    const seen: string[] = []
    const other = createServer((request, response) => {
      seen.push(`${request.url} ${JSON.stringify(request.headers)}`)
      response.setHeader('content-type', 'image/png')
      response.end(paint(1, 16, 24))
    }).listen(0, '127.0.0.1')
    await once(other, 'listening')
    t.teardown(() => other.close())
    const own = `http://127.0.0.1:${(other.address() as AddressInfo).port}/latest/meta-data`
    for (const location of [
      own,
      'http://169.254.169.254/latest/meta-data/',
      'file:///etc/passwd',
      '//evil.example/x',
    ]) {
      upstream.faults.add({ kind: 'status', status: 302, headers: { location }, match: pictures, times: 5 })
      await t.rejects(provider.picture!('default', poster(film)), { code: /^PLH_(?:HOST_DENIED|UPSTREAM)$/ }, location)
      upstream.faults.clear()
    }
    t.same(seen, [], 'no request, and no token, reached another host')
  })
}

t.test('a child sees no pictures of hidden items', async (t) => {
  await using account = await signedIn('jellyfin', { movies: 10, shows: 3 })
  const users = [...account.server.world.users.values()]
  users[0]!.libraries = ['Shows']
  const { providerIds } = account.server.items('Movie').find(({ providerIds: ids }) => ids['Tmdb'] !== undefined)!
  t.equal(await account.provider.picture!('default', poster({ tmdb: providerIds['Tmdb']! })), null)
})
