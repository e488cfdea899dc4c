// General faults: self-description, sign-in and sign-out, secrets, hosts, and leftovers.
import type { AccountHealth, PluginApp, ReadPart } from '@playhead/sdk'
import plugin from '../../../sdk/templates/provider/index.ts'
import { type Bad, nothing, spoil, withRows } from './spoil.ts'

const bad = (habit: string, fails: readonly string[], habits: Parameters<typeof spoil>[1]): Bad => ({
  habit,
  fails,
  plugin: spoil(plugin, habits),
})
const keyIn = (config: unknown): string => String((config as { api_key?: unknown }).api_key ?? '')
const healthWith = (change: (health: AccountHealth) => Partial<AccountHealth>): Parameters<typeof spoil>[1] => ({
  provider: (good) => ({
    async probe(...args) {
      const health = await good.probe(...args)
      return { ...health, ...change(health) }
    },
  }),
})

export const badManners: readonly Bad[] = [
  bad('calls itself by another name', ['basics.describes'], {
    provider: (good) => ({ describe: () => ({ ...good.describe(), label: 'Shell' }) }),
  }),
  bad('takes no kind of item', ['basics.features'], {
    provider: (good) => ({
      describe: () => ({
        ...good.describe(),
        features: { ratings: { read: true, add: true, update: true, remove: true, kinds: [] } },
      }),
    }),
  }),
  bad('asks for settings that are not its own', ['basics.fields'], {
    provider: (good) => ({
      describe: () => ({
        ...good.describe(),
        signIn: {
          ...good.describe().signIn,
          fields: [{ key: 'other.server', label: 'Server', type: 'text', required: true }],
        },
      }),
    }),
  }),
  bad('reads an empty list before anybody has signed in', ['basics.unconfigured', 'basics.unsupported'], {
    provider: (good) => ({
      async *read(...args): AsyncGenerator<ReadPart> {
        try {
          yield* good.read(...args)
        } catch {
          yield nothing
        }
      },
    }),
  }),
  bad(
    'is always well',
    ['basics.unconfigured-probe'],
    healthWith(() => ({ status: 'ok' })),
  ),
  bad('does not name the account', ['sign-in.works', 'sign-in.account'], {
    provider: (good) => ({
      async probe(...args) {
        const { account: _account, ...health } = await good.probe(...args)
        return health
      },
    }),
  }),
  bad('takes all people for one', ['sign-in.account'], {
    provider: (good) => ({
      probe: async (...args) => ({ ...(await good.probe(...args)), account: 'all' }),
      async *read(...args) {
        for await (const part of good.read(...args))
          yield part.type === 'end' ? { ...part, end: { ...part.end, account: 'all' } } : part
      },
    }),
  }),
  bad('saves what was typed in without asking', ['sign-in.refused'], {
    routes(given) {
      const app = given as PluginApp
      app.post<{ Body: object; Querystring: { instance: string } }>(
        '/api/acmeToken/save',
        async ({ body, query: { instance } }) => {
          await app.playhead.updateConfig(
            instance === 'default' ? { ...(body as object) } : { instances: { [instance]: body } },
          )
          return { ok: true }
        },
      )
      app.post('/api/acmeToken/disconnect', () => ({ ok: true }))
    },
  }),
  bad('keeps the key when it is disconnected', ['sign-in.disconnect', 'sign-in.disconnect-unreachable'], {
    provider: () => ({ disconnect: async () => {} }),
  }),
  bad('reads an empty list when the key was revoked', ['sign-in.revoked', 'sign-in.disconnect'], {
    provider: (good) => ({
      async *read(...args): AsyncGenerator<ReadPart> {
        try {
          yield* good.read(...args)
        } catch {
          yield nothing
        }
      },
    }),
  }),
  bad('copies the key with the settings', ['sign-in.new-profile'], {
    provider: (good) => ({ createProfile: (profile) => good.createProfile({ ...profile, includeCredentials: true }) }),
  }),
  bad('says that it is set up before it is', ['basics.default-profile'], {
    provider: (good) => ({ profiles: () => good.profiles().map((profile) => ({ ...profile, configured: true })) }),
  }),
]

export const badNeighbours: readonly Bad[] = [
  bad('cannot be called off', ['cancel.read', 'cancel.write', 'cancel.probe', 'cancel.others', 'cancel.stops'], {
    provider: (good) => ({
      read: (instance, request) => good.read(instance, request),
      write: (instance, request) => good.write(instance, request),
      probe: (instance) => good.probe(instance),
    }),
  }),
  bad('is another account after each reload', ['reload.signed-in'], {
    provider: (good, { generation }) => ({
      profiles: () => good.profiles().map((profile) => ({ ...profile, fingerprint: `generation ${generation}` })),
    }),
  }),
  bad('takes its own end for the end of the list', ['reload.during-read'], {
    provider: (good) => ({
      async *read(...args): AsyncGenerator<ReadPart> {
        try {
          yield* good.read(...args)
        } catch {
          yield nothing
        }
      },
    }),
  }),
  bad('starts a timer and never stops it', ['reload.growth'], {
    setup: () => {
      const timer = setInterval(() => {}, 60_000)
      setTimeout(() => clearInterval(timer), 6_000)
    },
  }),
  bad('logs the key', ['secrets.logs', 'secrets.console'], {
    provider: (good, ctx) => ({
      probe(...args) {
        ctx.log.debug({ config: ctx.config }, 'probing')
        return good.probe(...args)
      },
    }),
  }),
  bad('puts the key into its errors', ['secrets.errors'], {
    provider: (good, ctx) => ({
      write(...args) {
        return good.write(...args).then((result) => {
          if (result.outcomes.some(({ outcome }) => outcome === 'failed'))
            throw new Error(`not written with ${keyIn(ctx.config)}`)
          return result
        })
      },
    }),
  }),
  bad('tells everybody the key', ['secrets.events'], {
    provider: (good, ctx) => ({
      probe(...args) {
        ctx.events.emit('acme.probed', { key: keyIn(ctx.config) })
        return good.probe(...args)
      },
    }),
  }),
  bad('shows the key with its health', ['secrets.shown'], {
    provider: (good, ctx) => ({
      probe: async (...args) => ({ ...(await good.probe(...args)), extras: { key: keyIn(ctx.config) } }),
    }),
  }),
  bad(
    'gives the key away with its rows',
    ['secrets.rows'],
    withRows((rows) => rows.map((row) => ({ ...row, title: 'the-key-of-ann' }))),
  ),
  bad('reaches the service by a way of its own', ['hosts.refused', 'hosts.redirect'], {
    provider: (good, ctx) => ({
      async probe(...args) {
        await fetch(`${String((ctx.config as { server?: string }).server)}/me`).catch(() => undefined)
        return good.probe(...args)
      },
      async *read(...args) {
        await fetch(`${String((ctx.config as { server?: string }).server)}/me`).catch(() => undefined)
        yield* good.read(...args)
      },
    }),
  }),
  { ...bad('asks for every host there is', ['hosts.declared'], {}), manifest: { needs: { hosts: ['*'] } } },
  bad(
    'calls what it reads by other ids',
    ['stable.recognised', 'stable.second-write'],
    withRows((rows) => rows.map((row) => ({ ...row, ids: { imdb: `tt7${row.ids.imdb?.slice(3)}` } }))),
  ),
  bad('reads other rows after a reload', ['stable.after-reload'], {
    provider: (good, { generation }) => ({
      async *read(...args) {
        for await (const part of good.read(...args))
          yield part.type === 'rows' && generation > 1 ? { ...part, rows: part.rows.slice(1) } : part
      },
    }),
  }),
  bad('writes while it reads', ['stable.quiet'], {
    provider: (good) => ({
      async probe(...args) {
        const item = { type: 'movie', ids: { imdb: 'tt1999999' }, rating: 5 } as const
        await good.write('default', { feature: 'ratings', op: 'add', items: [{ key: 'x', item }] })
        return good.probe(...args)
      },
    }),
  }),
]
