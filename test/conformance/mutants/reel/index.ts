// Connects Playhead to Reel: watchlist, history, ratings and progress of one account. The mutants are made of this file.
import { PlayheadError, Type, type Item, type Static, type UpstreamAccount } from '@playhead/sdk'
import {
  batchOutcomes,
  createCheckpoints,
  createLineage,
  defineProvider,
  isWanted,
  pagedRead,
  playTime,
  renewTokens,
  saveWhenValid,
  unchangedEnd,
  type AccountContext,
  type FeatureSupport,
  type Feature,
  type ItemOutcome,
  type ReadPart,
  type ReadRequest,
  type WriteRequest,
  type WriteResult,
} from '@playhead/sdk/provider'

const Profile = Type.Object({
  server: Type.String({ default: '', maxLength: 500 }),
  access_token: Type.String({ default: '', maxLength: 500, secret: true, boundTo: 'server' }),
  refresh_token: Type.String({ default: '', maxLength: 500, secret: true, boundTo: 'server' }),
  // Epoch seconds.
  expires_at: Type.Integer({ default: 0, minimum: 0 }),
  page_size: Type.Integer({ default: 100, minimum: 1, maximum: 500, inherit: true }),
  timeout_ms: Type.Integer({ default: 20_000, minimum: 100, maximum: 120_000, inherit: true }),
})
type Account = AccountContext<Static<typeof Profile>>

interface Session {
  readonly account: Account
  readonly api: UpstreamAccount
}

// Responses of the service.
const Tokens = Type.Object({ access_token: Type.String(), refresh_token: Type.String(), expires_in: Type.Integer() })
const User = Type.Object({ id: Type.String({ minLength: 1 }), name: Type.String() })
const Ids = Type.Object({
  imdb: Type.Optional(Type.String()),
  tmdb: Type.Optional(Type.Integer()),
  tvdb: Type.Optional(Type.Integer()),
})
const Row = Type.Object({
  kind: Type.Union([Type.Literal('movie'), Type.Literal('show'), Type.Literal('season'), Type.Literal('episode')]),
  title: Type.String(),
  year: Type.Integer(),
  // Of seasons and episodes: the ids of the show.
  ids: Ids,
  season: Type.Optional(Type.Integer()),
  episode: Type.Optional(Type.Integer()),
  // Epoch seconds.
  at: Type.Union([Type.Integer(), Type.Null()]),
  // Half a star to five stars.
  stars: Type.Optional(Type.Number()),
  // Seconds.
  position: Type.Optional(Type.Integer()),
  runtime: Type.Optional(Type.Integer()),
})
type Row = Static<typeof Row>
const Page = Type.Object({ items: Type.Array(Row), total: Type.Integer(), pages: Type.Integer() })
const Changes = Type.Record(Type.String(), Type.String())
const Results = Type.Object({ results: Type.Array(Type.String()) })

const checkpoints = createCheckpoints(Type.Object({ changed: Type.String() }))
const lineageOf = (account: Account) => createLineage(account, ({ access_token: token }) => token)

function openApi(account: Account): UpstreamAccount {
  const api: UpstreamAccount = account.upstream({
    baseUrl: account.profile.server,
    limits: { concurrency: 4 },
    timeoutMs: account.profile.timeout_ms,
    credential: {
      secrets: () => ({ token: account.current().access_token }),
      place: [{ in: 'header', name: 'authorization', template: 'Bearer {token}' }],
      expiresAtMs: () => (account.current().expires_at > 0 ? account.current().expires_at * 1_000 : undefined),
      refresh: (signal) => refresh(account, api, signal),
    },
  })
  return api
}

const requestTokens = (api: UpstreamAccount, json: object, signal: AbortSignal) =>
  api.json({ path: 'token', method: 'POST', json, anonymous: true, signal }, Tokens)

function toSettings({ access_token, refresh_token, expires_in }: Static<typeof Tokens>) {
  return { access_token, refresh_token, expires_at: Math.floor(Date.now() / 1_000) + expires_in }
}

function refresh(account: Account, api: UpstreamAccount, signal: AbortSignal): Promise<void> {
  return renewTokens(account, {
    lineage: lineageOf(account),
    label: 'Reel',
    exchange: async ({ refresh_token }) => toSettings(await requestTokens(api, { refresh_token }, signal)),
    refusedBy: [400, 401],
  })
}

async function whoIs({ account, api }: Session, signal: AbortSignal) {
  const user = await api.json({ path: 'me', signal }, User)
  return { user, account: `${new URL(account.profile.server).host}/${user.id}` }
}

const timeOf = (seconds: number) => new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z')

function toItem(
  feature: Feature,
  { kind, title, year, ids, season, episode, at, stars, position, runtime }: Row,
): Item {
  const shared = {
    ...(ids.imdb === undefined ? {} : { imdb: ids.imdb }),
    ...(ids.tmdb === undefined ? {} : { tmdb: String(ids.tmdb) }),
    ...(ids.tvdb === undefined ? {} : { tvdb: String(ids.tvdb) }),
  }
  const isPart = kind === 'season' || kind === 'episode'
  const time = at === null ? undefined : timeOf(at)
  return {
    type: kind,
    ...(isPart ? { ids: {}, show_ids: shared, series_title: title } : { ids: shared, title, year }),
    ...(season === undefined ? {} : { season }),
    ...(episode === undefined ? {} : { episode }),
    ...(feature === 'history' ? { watched: true } : {}),
    ...(stars === undefined ? {} : { rating: Math.round(stars * 2) }),
    ...(position === undefined ? {} : { progress_ms: position * 1_000 }),
    ...(runtime === undefined ? {} : { duration_ms: runtime * 1_000 }),
    ...(time === undefined ? {} : { [TIMES[feature as keyof typeof TIMES]]: time }),
  }
}
const TIMES = { watchlist: 'added_at', history: 'watched_at', ratings: 'rated_at', progress: 'progress_at' } as const

function toRow(feature: Feature, item: Item): object {
  const ids = item.type === 'season' || item.type === 'episode' ? (item.show_ids ?? {}) : item.ids
  const at = item[TIMES[feature as keyof typeof TIMES]]
  return {
    kind: item.type,
    ids: {
      imdb: ids.imdb,
      tmdb: ids.tmdb === undefined ? undefined : Number(ids.tmdb),
      tvdb: ids.tvdb === undefined ? undefined : Number(ids.tvdb),
    },
    season: item.season,
    episode: item.episode,
    at: at === undefined ? null : Date.parse(at) / 1_000,
    stars: item.rating === undefined ? undefined : item.rating / 2,
    position: item.progress_ms === undefined ? undefined : Math.round(item.progress_ms / 1_000),
    runtime: item.duration_ms === undefined ? undefined : Math.round(item.duration_ms / 1_000),
  }
}

async function* read(session: Session, request: ReadRequest, signal: AbortSignal): AsyncGenerator<ReadPart> {
  const { feature, since } = request
  const { api } = session
  const { account } = await whoIs(session, signal)
  // Asked for first: what changes while the list is read is found by the next read.
  const changed = (await api.json({ path: 'changes', signal }, Changes))[feature] ?? ''
  const before = checkpoints.decode(since, { account, nowMs: Date.now() })
  if (before !== undefined && before.changed === changed) {
    yield unchangedEnd(account, since as string)
    return
  }
  yield* pagedRead({
    account,
    signal,
    checkpoint: checkpoints.encode({ account, fullAtMs: Date.now(), changed }),
    async fetchPage({ index, signal: until }) {
      const query = { page: index, size: session.account.profile.page_size }
      const page = await api.json({ path: feature, query, signal: until }, Page)
      const rows = page.items.map((row) => toItem(feature, row)).filter((item) => isWanted(item, request))
      return { rows, count: page.items.length, total: page.total, pages: page.pages }
    },
  })
}

// Anything else is an unknown answer.
const OUTCOMES: Readonly<Record<string, ItemOutcome>> = {
  done: { outcome: 'applied' },
  same: { outcome: 'already' },
  absent: { outcome: 'already' },
  unknown: { outcome: 'not_found' },
  invalid: { outcome: 'rejected' },
}

async function write(
  { api }: Session,
  { feature, op, items }: WriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  const refused = items.flatMap(({ key, item }) => {
    const time = feature === 'history' && op !== 'remove' ? playTime(item, Date.now()) : undefined
    return time !== undefined && 'refused' in time ? [{ key, ...time.refused }] : []
  })
  const ready = items.filter(({ key }) => !refused.some((one) => one.key === key))
  if (ready.length === 0) return { outcomes: refused }
  const { outcomes, ...more } = await batchOutcomes(ready, async () => {
    const { results } = await api.json(
      {
        path: op === 'remove' ? `${feature}/remove` : feature,
        method: 'POST',
        json: { items: ready.map(({ item }) => toRow(feature, item)) },
        // The history gets a play each time.
        idempotent: feature !== 'history',
        signal,
      },
      Results,
    )
    if (results.length !== ready.length)
      throw new PlayheadError('PLH_UPSTREAM_INVALID', 'Reel answered for another number of items.')
    return ready.map(({ key }, index) => ({ key, ...(OUTCOMES[results[index] as string] ?? { outcome: 'unknown' }) }))
  })
  return { outcomes: [...outcomes, ...refused], ...more }
}

const all = { read: true, add: true, remove: true, maxBatch: 20, needsAnyId: ['imdb', 'tmdb', 'tvdb'] } as const

export default defineProvider<typeof Profile, Session>({
  profile: Profile,
  group: 'tracker',
  features: {
    watchlist: { ...all, update: false, kinds: ['movie', 'show'], idempotentAdd: true },
    history: { ...all, update: false, kinds: ['movie', 'episode'] },
    ratings: { ...all, update: true, kinds: ['movie', 'show', 'season', 'episode'], idempotentAdd: true },
    progress: { ...all, update: true, kinds: ['movie', 'episode'], idempotentAdd: true },
  } satisfies Partial<Record<Feature, FeatureSupport>>,
  signIn: {
    flow: 'token',
    methods: ['password'],
    fields: [{ key: 'reelToken.server', label: 'Server', type: 'text', required: true }],
    actions: { start: false, finish: true, refresh: false, disconnect: true },
    verifyUrl: null,
    notes: null,
  },
  credentials: ['access_token', 'refresh_token', 'expires_at'],
  missing: ({ server, access_token: token }) => (server === '' || token === '' ? 'not_configured' : undefined),
  open: (account) => ({ account, api: openApi(account) }),
  async probe(session, signal) {
    const { user, account } = await whoIs(session, signal)
    return { status: 'ok', account, user }
  },
  probes: [
    {
      about: 'ratings',
      ask: ({ api }, signal) => api.request({ path: 'ratings', query: { page: 0, size: 10 }, signal }),
      fields: { total: 'number', 'items[].stars': 'number', 'items[].ids.tmdb': 'number' },
    },
  ],
  read: { watchlist: read, history: read, ratings: read, progress: read },
  write: { watchlist: write, history: write, ratings: write, progress: write },

  routes(app, kit) {
    const body = Type.Object({
      server: Type.String({ maxLength: 500 }),
      username: Type.String({ maxLength: 200 }),
      password: Type.String({ maxLength: 200 }),
    })
    app.get('/api/reelToken/state', (request) => {
      const { server } = kit.profile(kit.instanceOf(request))
      return Promise.resolve({ ok: true, server })
    })
    app.post<{ Body: Static<typeof body> }>('/api/reelToken/login', { schema: { body } }, (request) => {
      const { server, username, password } = request.body
      return saveWhenValid(kit, kit.instanceOf(request), { server }, async (account) => {
        const tokens = await requestTokens(openApi(account), { username, password }, AbortSignal.timeout(20_000))
        return { save: { server, ...toSettings(tokens) }, result: { ok: true } }
      })
    })
    app.post('/api/reelToken/disconnect', async (request) => {
      const instance = kit.instanceOf(request)
      await kit.assertUnused(instance)
      await kit.disconnect(instance)
      return { ok: true, instance }
    })
  },
})
