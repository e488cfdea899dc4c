// A small service with ratings, and its provider, for tests of the provider kit.
import { Type, type Item, type UpstreamAccount, capability, providerCapability } from '@playhead/sdk'
import {
  defineProvider,
  pagedRead,
  writeInTurn,
  type AccountContext,
  type FlowAnswer,
  type Provider,
  type ProviderDefinition,
  type ProviderKit,
  type SignInFlow,
} from '@playhead/sdk/provider'
import {
  createTestAccounts,
  createTestHost,
  startServer,
  type Reply,
  type TestHost,
  type TestHostOptions,
} from '@playhead/sdk/testing'

export const ACME = { id: 'ACME', token: 'acme', label: 'Acme' }

export const Profile = Type.Object({
  server: Type.String({ default: '' }),
  access_token: Type.String({ default: '', secret: true, boundTo: 'server' }),
  refresh_token: Type.String({ default: '', secret: true, boundTo: 'server' }),
  user_id: Type.String({ default: '' }),
  client_id: Type.String({ default: '', inherit: true }),
  client_secret: Type.String({ default: '', secret: true, inherit: true }),
  page_size: Type.Integer({ default: 2, minimum: 1, maximum: 100, inherit: true }),
  history: Type.Object({ libraries: Type.Array(Type.String(), { default: [] }) }, { default: {} }),
})

export interface Client {
  readonly account: AccountContext<typeof Profile.static>
  readonly api: UpstreamAccount
}

export interface AcmeOptions {
  /** Called with each opened account. */
  readonly onOpen?: (instance: string) => void
  readonly poll?: () => FlowAnswer | Promise<FlowAnswer>
  readonly flow?: Partial<{ background: boolean; intervalMs: number; lifeMs: number }>
  readonly change?: Partial<ProviderDefinition<typeof Profile, Client>>
}

type Kit = ProviderKit<typeof Profile.static, Client>

export function acmeFlow(
  kit: Kit,
  instance: string,
  { poll = () => ({ state: 'pending' }), flow = {} }: AcmeOptions,
): SignInFlow {
  const { background = true, intervalMs = 10, lifeMs = 60_000 } = flow
  return {
    method: 'device_code',
    background,
    start: async () => ({
      shown: { code: 'ABCD' },
      secret: { device: 'device-secret' },
      expiresAtMs: Date.now() + lifeMs,
      intervalMs,
    }),
    async poll() {
      const answer = await poll()
      if (answer.state === 'authorized') await kit.account(instance).save({ access_token: 'from-flow' })
      return answer
    },
  }
}

export function acmePlugin(options: AcmeOptions = {}) {
  return defineProvider<typeof Profile, Client>({
    profile: Profile,
    group: 'tracker',
    features: {
      ratings: {
        read: true,
        add: true,
        update: true,
        remove: true,
        kinds: ['movie', 'episode'],
        needsAnyId: ['imdb', 'tmdb'],
        maxBatch: 5,
      },
      history: { read: true, add: false, update: false, remove: false, kinds: ['movie'] },
    },
    signIn: {
      flow: 'device_code',
      methods: ['device_code'],
      fields: [],
      verifyUrl: null,
      notes: null,
      actions: { start: true, finish: true, refresh: false, disconnect: true },
    },
    credentials: ['access_token', 'refresh_token', 'user_id'],
    missing: ({ server, access_token: token }) =>
      server === '' ? 'not_configured' : token === '' ? 'missing_credentials' : undefined,
    normalize: (profile) => ({ ...profile, server: profile.server.trim() }),
    libraryChoice: ({ history }) => ({ history: history.libraries }),
    open(account) {
      options.onOpen?.(account.instance)
      return { account, api: openApi(account) }
    },
    async probe({ api, account }, signal) {
      const { user } = await api.json({ path: 'me', signal }, Type.Object({ user: Type.String() }))
      return { status: 'ok', account: `${account.profile.server}/${user}`, user: { id: user, name: user } }
    },
    read: {
      ratings: ({ api }, { since }, signal) =>
        pagedRead({
          account: 'acme/me',
          signal,
          checkpoint: since ?? 'now',
          fetchPage: async ({ index }) => {
            const page = await api.json({ path: 'ratings', query: { page: index }, signal }, Ratings)
            return { rows: page.rows as readonly Item[], total: page.total, pages: page.pages }
          },
        }),
      history: async function* () {
        /* Ends without its end. */
      },
    },
    write: {
      ratings: ({ api, account }, { items }) =>
        writeInTurn(
          items,
          async ({ item }) => {
            await api.request({ path: 'ratings', method: 'POST', json: item.ids })
            return { outcome: 'applied' }
          },
          { log: account.log, atOnce: 1 },
        ),
    },
    signOut: async ({ api }) => void (await api.request({ path: 'logout', method: 'POST' })),
    signInFlow: (kit, instance) => acmeFlow(kit, instance, options),
    routes(app, kit) {
      app.get('/api/acme/instance', (request) => ({ instance: kit.instanceOf(request) }))
      app.post('/api/acme/disconnect', async (request) => {
        const instance = kit.instanceOf(request)
        await kit.assertUnused(instance)
        await kit.disconnect(instance)
        return { ok: true, instance }
      })
    },
    ...options.change,
    async setup(ctx, kit) {
      ctx.provide(capability('kit:acme'), { get: () => ({ kit }) })
      await options.change?.setup?.(ctx, kit)
    },
  })
}

const Ratings = Type.Object({ rows: Type.Array(Type.Unknown()), total: Type.Integer(), pages: Type.Integer() })

export function openApi(account: AccountContext<typeof Profile.static>): UpstreamAccount {
  return account.upstream({
    baseUrl: account.profile.server,
    tries: 1,
    credential: {
      secrets: () => ({ token: account.current().access_token }),
      place: [{ in: 'header', name: 'authorization', template: 'Bearer {token}' }],
    },
  })
}

export async function startAcme(plugin = acmePlugin(), options: Partial<TestHostOptions> = {}) {
  const accounts = createTestAccounts()
  const host = await createTestHost({ plugin, provider: ACME, capabilities: { accounts }, ...options })
  return {
    host,
    accounts,
    provider: host.capability<Provider>(providerCapability('ACME')),
    kit: () => kitOf(host),
    [Symbol.asyncDispose]: () => host.close(),
  }
}

/** The kit of the active version. */
export async function kitOf(host: TestHost): Promise<Kit> {
  return (await host.capability<{ get(): { kit: Kit } }>(capability('kit:acme')).get()).kit
}

/** The service: three ratings in pages of two, unless `handle` responds. */
export function startService(
  handle: (path: string, method: string, body: string) => Reply | undefined = () => undefined,
) {
  return startServer(
    ({ path, method, query, body }) =>
      handle(path, method, body) ??
      (path === '/me'
        ? { json: { user: 'me' } }
        : path === '/ratings' && method === 'GET'
          ? { json: pageOf(Number(query.get('page'))) }
          : { json: {} }),
  )
}

function pageOf(index: number): object {
  return { total: 3, pages: 2, rows: index === 0 ? [movie(1), movie(2)] : [movie(3)] }
}

export function movie(number: number): Item {
  return { type: 'movie', ids: { imdb: `tt${String(number).padStart(7, '0')}` }, rating: 7 }
}

export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5))
}
