// `npm run demo`: Playhead with stand-ins of Jellyfin, Emby, Plex, Trakt and AniList on this machine. It signs in to each over
// its own protocol, creates pairs and a playlist mapping, shows the plan, runs it twice, scrobbles Jellyfin and Plex to Trakt,
// and stays open. With --exit it plays one film quickly and ends when Trakt has the play.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readEnvironment } from '../../core/environment.ts'
import { startPlayhead } from '../../core/main.ts'
import { filmsOnJellyfin, filmsOnPlex, watchInAHurry, watchOneAfterAnother } from './player.ts'
import { createProgress, heading, line, table } from './screen.ts'
import { readServerEvents } from './server-events.ts'
import {
  type Client,
  expectOk,
  signInByQuickConnect,
  signInToEmby,
  signInToPlex,
  signInToTrakt,
  untilTrue,
} from './sign-in.ts'
import { startDemoWorld } from './world.ts'

const ACCOUNT = { username: 'demo', password: 'watch state everywhere' }
const OTHER_AFTER_MS = 7_000
const FEATURES = ['history', 'watchlist', 'ratings', 'progress', 'playlists']

const directory = await mkdtemp(join(tmpdir(), 'playhead-demo-'))
await using stack = new AsyncDisposableStack()
stack.defer(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))

heading('Five services')
const world = stack.use(await startDemoWorld())
table([
  ['product', 'address', 'holds'],
  ['Jellyfin', world.jellyfin.url, `${world.jellyfin.items().length} items`],
  ['Emby', world.emby.url, `${world.emby.items().length} items`],
  ['Plex', world.plex.server.url, `${world.plex.state.items.size} items, and its cloud at ${world.plex.cloud.url}`],
  ['Trakt', world.trakt.url, `an account of ada with ${world.trakt.user.account.plays.length} plays`],
  [
    'AniList',
    world.anime.anilist.url,
    `an account of ada with ${world.anime.anilist.user.account.entries.size} titles`,
  ],
])

const playhead = await startPlayhead({
  environment: readEnvironment({
    PLAYHEAD_DATA_DIR: join(directory, 'data'),
    PLAYHEAD_PORT: process.env['PLAYHEAD_PORT'] ?? '0',
    PLAYHEAD_LOG_LEVEL: 'warn',
  }),
  logTo: (text) => process.stderr.write(text),
})
stack.defer(() => playhead.stop())
const client = await createAccount(playhead.url)

heading('Signing in')
await signInByQuickConnect(client, world.jellyfin)
line('Jellyfin  Quick Connect: the code was approved on the server')
await signInToEmby(client, world.emby)
line('Emby      user name and password')
await signInToPlex(client, world.plex)
line('Plex      PIN: typed in at the link page')
await signInToTrakt(client, world.trakt)
line('Trakt     device code: typed in on the website')
await world.anime.signIn(client, playhead.url, client.open)
line('AniList   allowed on the website')
const { source_count: sources, edge_count: edges } = await world.anime.switchOn(client)
line(`anime mapping switched on: ${sources} seasons and entries, ${edges} links`)

heading('Pairs')
const on = { enabled: true, add: true, remove: true }
const pairs: readonly Readonly<Record<string, unknown>>[] = [
  {
    name: 'Jellyfin and Emby',
    source: 'MEDIAB',
    target: 'MEDIAC',
    mode: 'two_way',
    enabled: true,
    features: { history: on, watchlist: on, progress: on },
  },
  {
    name: 'Jellyfin to Trakt',
    source: 'MEDIAB',
    target: 'TRACKA',
    mode: 'one_way',
    enabled: true,
    features: { history: on },
  },
  {
    name: 'Plex and Trakt',
    source: 'MEDIAA',
    target: 'TRACKA',
    mode: 'two_way',
    enabled: true,
    features: { history: on, watchlist: on, ratings: { ...on, types: 'all', mode: 'all' } },
  },
  {
    name: 'AniList to Trakt',
    source: 'ANIMEA',
    target: 'TRACKA',
    mode: 'one_way',
    enabled: true,
    features: { watchlist: on },
  },
]
const names = new Map<string, string>()
for (const pair of pairs) {
  const { id } = await expectOk(client, '/api/pairs', pair)
  names.set(id, String(pair['name']))
  line(
    `${pair['name']} (${String(pair['mode']).replace('_', '-')}: ${Object.keys(pair['features'] as object).join(', ')})`,
  )
}

const pairId = await world.playlist.map(client)
names.set(pairId, 'Playlist of Jellyfin to Trakt')
line('a playlist of Jellyfin and a new list at Trakt (one-way, in the same order)')

const labels = new Map<string, string>(
  (await client.json('/api/sync/providers')).body.map(({ name, label }: { name: string; label: string }) => [
    name,
    label,
  ]),
)

heading('The plan (nothing is written yet)')
const dry = await run({ dry_run: true })
const plans: (string | number)[][] = [['pair', 'feature', 'read', 'add', 'change', 'remove', 'held']]
for (const pair of dry.pairs) {
  for (const feature of pair.features) {
    const plan = feature.plan_id === null ? null : (await client.json(`/api/run/plan/${feature.plan_id}?limit=3`)).body
    const count = (op: string) =>
      plan === null ? 0 : ['a', 'b'].reduce((sum, side) => sum + Number(plan.sides?.[side]?.[op] ?? 0), 0)
    plans.push([
      nameOf(pair.pair_id),
      feature.feature,
      `${feature.read.a ?? '-'} | ${feature.read.b ?? '-'}`,
      feature.feature === 'playlists' ? feature.planned : count('add'),
      count('update'),
      count('remove'),
      feature.held,
    ])
  }
}
table(plans)

heading('The run')
const first = await run({})
report(first)
showPlaylist()

heading('The same again')
world.playlist.moveLast()
line('sam moved the last film of the playlist to the front')
const second = await run({})
report(second)
showPlaylist()

heading('Scrobbling')
await expectOk(client, '/api/scrobbler/settings', { sources: { watcher: true, webhook: true }, watch_autostart: true })
for (const provider of ['MEDIAB', 'MEDIAA']) {
  await expectOk(client, '/api/scrobbler/routes', { provider, sink: 'TRACKA' })
  line(`what plays on ${labels.get(provider)} goes to Trakt`)
}
await expectOk(client, '/api/watch/start')
await untilTrue('following', async () =>
  (await client.json('/api/watch/status')).body.groups.every((group: { connected: boolean }) => group.connected),
)
const printScrobbles = await createScrobblePrinter()

if (process.argv.includes('--exit')) {
  const [film] = filmsOnJellyfin(world)
  if (film === undefined) throw new Error('every film was watched')
  line(`sam plays ${film.title} on Jellyfin, in a hurry`)
  await watchInAHurry(film)
  await untilTrue('the play at Trakt', async () => world.trakt.user.plays().some(({ key }) => key === film.key))
  await untilTrue('the play in the activity', async () => (await printScrobbles()) > 0)
  openForVisitors()
  line('--exit was given: stopping')
} else {
  const end = new AbortController()
  line('a short film begins on each, and another one when it has ended')
  openForVisitors()
  line('Ctrl+C ends it; nothing is left behind')
  void watchOneAfterAnother(filmsOnJellyfin(world), end.signal)
  // A different film, because the same would be one play, and not in the same second, because Trakt accepts one report per
  // second.
  void watchOneAfterAnother(filmsOnPlex(world).toReversed(), end.signal, OTHER_AFTER_MS)
  const printing = setInterval(() => void printScrobbles().catch(() => {}), 3_000)
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
  clearInterval(printing)
  end.abort()
}

function showPlaylist(): void {
  const { jellyfin, trakt } = world.playlist.titles()
  const isSame = jellyfin.join('|') === trakt.join('|')
  line(`the list at Trakt ${isSame ? 'is as the playlist' : 'differs'}: ${trakt.join(', ')}`)
  if (!isSame) throw new Error(`the playlist did not arrive: ${jellyfin.join(', ')}`)
}

function openForVisitors(): void {
  heading('Playhead stays open')
  line(`${playhead.url}   sign in as ${ACCOUNT.username}, password ${ACCOUNT.password}`)
}

/** Prints the scrobbles since the last call, and returns their number. */
async function createScrobblePrinter(): Promise<() => Promise<number>> {
  const read = async (): Promise<any[]> => (await client.json('/api/activity/recent?limit=50')).body.items
  const known = new Set((await read()).map(({ id }) => id))
  return async () => {
    const rows = (await read()).filter(({ id, kind }) => kind === 'scrobble' && !known.has(id))
    for (const { id, title, year, source, target, progress } of rows.reverse()) {
      known.add(id)
      const film = year === null ? title : `${title} (${year})`
      line(`${nameOfProvider(source)} to ${nameOfProvider(target)}: ${film}, ${Math.round(progress)} %`)
    }
    return rows.length
  }
}

/** `mediab` and `MEDIAB` are Jellyfin. */
function nameOfProvider(id: string): string {
  return labels.get(id.toUpperCase()) ?? id
}

async function createAccount(
  url: string,
): Promise<Client & { stream(path: string): Promise<Response>; open(address: string): Promise<Response> }> {
  let cookie = ''
  const json: Client['json'] = async (path, { json: body, ...init } = {}) => {
    const answer = await fetch(url + path, {
      ...init,
      ...(body === undefined ? {} : { body: JSON.stringify(body), method: init.method ?? 'POST' }),
      headers: { cookie, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    })
    cookie ||= (answer.headers.get('set-cookie') ?? '').split(';')[0] as string
    return { status: answer.status, body: await answer.json() }
  }
  await expectOk({ json }, '/api/app-auth/credentials', { enabled: true, ...ACCOUNT })
  const open = (address: string) => fetch(address, { headers: { cookie } })
  return { json, open, stream: (path) => open(url + path) }
}

/** Starts a run, draws its progress from the live stream, and returns the summary. */
async function run(request: object): Promise<any> {
  const before = world.requests()
  const startedAtMs = performance.now()
  const { run_id: runId } = await expectOk(client, '/api/run', request)
  const progress = createProgress()
  for await (const { event, data } of readServerEvents(await client.stream('/api/run/summary/stream'))) {
    if (event === 'ping') continue
    const told = JSON.parse(data)
    if (event === 'snapshot:progress')
      progress.show(`reading ${told.feature} of ${labels.get(told.dst)}`, told.done, told.total ?? told.done)
    else if (/^(two:)?apply:.*:progress$/.test(event))
      progress.show(`writing ${told.feature} to ${labels.get(told.dst)}`, told.done, told.total)
    else if (event === 'feature:done') progress.end()
    else if (event === 'message' && told.run_id === runId && told.running === false) {
      progress.end()
      const after = world.requests()
      return {
        ...told,
        wall_ms: performance.now() - startedAtMs,
        requests: Object.fromEntries(Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)])),
      }
    }
  }
  throw new Error('the stream ended before the run did')
}

function report(summary: any): void {
  const rows: (string | number)[][] = [
    ['pair', 'feature', 'status', 'added', 'changed', 'removed', 'already', 'held', 'unresolved'],
  ]
  for (const pair of summary.pairs) {
    for (const one of pair.features.toSorted(
      (a: any, b: any) => FEATURES.indexOf(a.feature) - FEATURES.indexOf(b.feature),
    )) {
      rows.push([
        nameOf(pair.pair_id),
        one.feature,
        one.reason === undefined ? one.status : `${one.status}: ${one.reason}`,
        one.added,
        one.updated,
        one.removed,
        one.already,
        one.held,
        one.unresolved,
      ])
    }
  }
  table(rows)
  line(
    `result ${summary.result}, ${(summary.wall_ms / 1_000).toFixed(1)} s; requests: ${Object.entries(summary.requests)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')}`,
  )
}

function nameOf(pairId: string): string {
  return names.get(pairId) ?? pairId
}
