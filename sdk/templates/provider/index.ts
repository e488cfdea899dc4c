// Connects Playhead to an Acme server with ratings. Replace it with your service, step by step. The provider kit
// handles profiles, sessions, limits, retries, secrets and outcomes per item.
import { Type, type Item, type Static, type UpstreamAccount } from '@playhead/sdk'
import { parseItem } from '@playhead/sdk/items'
import {
  defineProvider,
  isWanted,
  pagedRead,
  providerRoutes,
  routeRow,
  saveWhenValid,
  signInAnswer,
  signOutRow,
  writeInTurn,
  type AccountContext,
  type ReadPart,
  type ReadRequest,
  type WriteRequest,
  type WriteResult,
} from '@playhead/sdk/provider'

// 1. The settings of one profile. `boundTo`: the key is dropped when the address changes.
const Profile = Type.Object({
  server: Type.String({
    default: '',
    maxLength: 500,
    description: 'Address of the server, for example http://192.168.1.20:7000',
  }),
  api_key: Type.String({
    default: '',
    maxLength: 500,
    secret: true,
    boundTo: 'server',
    description: 'Made in the settings of the server.',
  }),
  page_size: Type.Integer({
    default: 100,
    minimum: 1,
    maximum: 500,
    inherit: true,
    description: 'Rows in one answer.',
  }),
})
type Account = AccountContext<Static<typeof Profile>>

interface Session {
  readonly account: Account
  readonly api: UpstreamAccount
}

// 2. Responses of the service. Anything else is an error, never an empty list.
const User = Type.Object({ id: Type.String({ minLength: 1 }), name: Type.String() })
const Page = Type.Object({
  items: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  total: Type.Integer({ minimum: 0 }),
  pages: Type.Integer({ minimum: 0 }),
})
const Written = Type.Object({ changed: Type.Boolean() })

// 3. The HTTP client. Secrets are read for each request, so a changed one applies at once.
function openApi(account: Account): UpstreamAccount {
  return account.upstream({
    baseUrl: account.profile.server,
    limits: { concurrency: 3 },
    credential: {
      secrets: () => ({ key: account.current().api_key }),
      place: [{ in: 'header', name: 'x-api-key', template: '{key}' }],
    },
  })
}

// Identifies the account: server and user.
async function whoIs(
  { account, api }: Session,
  signal: AbortSignal,
): Promise<Static<typeof User> & { readonly account: string }> {
  const user = await api.json({ path: 'me', signal }, User)
  return { ...user, account: `${new URL(account.profile.server).host}/${user.id}` }
}

// 4. Reading. Each feature is a list of its name at the service. `pagedRead` reports a complete read only if the declared
// total arrived and did not change.
async function* readList(session: Session, request: ReadRequest, signal: AbortSignal): AsyncGenerator<ReadPart> {
  const { account, api } = session
  yield* pagedRead({
    account: (await whoIs(session, signal)).account,
    signal,
    async fetchPage({ index, signal: until }) {
      const { items, total, pages } = await api.json(
        { path: request.feature, query: { page: index, size: account.profile.page_size }, signal: until },
        Page,
      )
      const parsed = items.map((item) => parseItem(item))
      return {
        rows: parsed.flatMap((one) => (one.ok && isWanted(one.value, request) ? [one.value] : [])),
        count: items.length,
        // Unreadable rows are reported, so that they do not look removed.
        unreadable: parsed.flatMap((one) => (one.ok ? [] : [{ reason: one.reason }])),
        total,
        pages,
      }
    },
  })
}

// 5. Writing, one item at a time, with nothing but the fields of its feature. An error becomes the outcome of its item: 404 is
// `not_found`, a lost response `unknown`.
const storedOf = ({ rating, rated_at }: Item) => ({ rating, rated_at })

function writeList(
  { account, api }: Session,
  { feature, op, items }: WriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  return writeInTurn(
    items,
    async ({ item }) => {
      const { type, ids } = item
      const { changed } = await api.json(
        {
          path: feature,
          method: op === 'remove' ? 'DELETE' : 'PUT',
          json: { type, ids, ...(op === 'remove' ? {} : storedOf(item)) },
          // Rating a movie twice is harmless, so a temporary failure may be retried.
          idempotent: true,
          signal,
        },
        Written,
      )
      return { outcome: changed ? 'applied' : 'already' }
    },
    { log: account.log },
  )
}

// 6. The declaration.
const ALL = {
  read: true,
  add: true,
  update: true,
  remove: true,
  needsAnyId: ['imdb', 'tmdb'],
  maxBatch: 50,
  idempotentAdd: true,
} as const

export default defineProvider<typeof Profile, Session>({
  profile: Profile,
  group: 'tracker',
  description: 'Ratings of an Acme server.',
  bidirectional: true,
  features: {
    // Which kinds the service takes.
    ratings: { ...ALL, kinds: ['movie', 'show'] },
  },
  signIn: {
    flow: 'api_keys',
    methods: ['api_key'],
    fields: [
      { key: 'acmeToken.server', label: 'Server', type: 'text', required: true },
      { key: 'acmeToken.api_key', label: 'API key', type: 'password', required: true },
    ],
    actions: { start: false, finish: true, refresh: false, disconnect: true },
    verifyUrl: null,
    notes: null,
  },
  credentials: ['api_key'],
  missing: ({ server, api_key: key }) => (server === '' || key === '' ? 'not_configured' : undefined),
  open: (account) => ({ account, api: openApi(account) }),
  async probe(session, signal) {
    const { account, id, name } = await whoIs(session, signal)
    return { status: 'ok', account, user: { id, name } }
  },
  read: { ratings: readList },
  write: { ratings: writeList },

  // 7. The sign-in, as a table of routes. Nothing is saved before the service has accepted it.
  routes: providerRoutes({
    'POST save': routeRow({
      summary: 'Save the address and the key of a profile',
      body: Type.Object({ server: Type.String({ maxLength: 500 }), api_key: Type.String({ maxLength: 500 }) }),
      response: { 200: signInAnswer({ name: Type.String() }) },
      run: ({ kit, instance, body }) =>
        saveWhenValid(kit, instance, body, async (account) => {
          const { name } = await whoIs({ account, api: openApi(account) }, AbortSignal.timeout(20_000))
          const { server, api_key } = account.profile
          return { save: { server, api_key }, result: { name } }
        }),
    }),
    'POST disconnect': signOutRow('Forget the key of a profile'),
  }),
})
