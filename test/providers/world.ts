// The whole service with every shipped provider, each signed in at its stand-in with two profiles of two people.
import { DEFAULT_PROFILE, type ProviderDescription } from '@playhead/sdk'
import type { TestHost } from '@playhead/sdk/testing'
import type { Simulator, Subject } from '@playhead/sdk/testing/conformance'
import { type Service, startService } from '../harness.ts'
import { startPlex } from '../upstreams/plex.ts'
import { adapterOf, subjectOf, WITH_SERVICE } from './subjects.ts'

export interface Account {
  readonly plugin: string
  readonly subject: Subject
  readonly about: ProviderDescription
  readonly simulator: Simulator
  /** `default`, and a profile of another person. */
  readonly instances: readonly [string, string]
}

export interface World extends AsyncDisposable {
  readonly service: Service
  readonly accounts: readonly Account[]
  post(path: string, json?: unknown): Promise<{ status: number; body: any }>
  get(path: string): Promise<{ status: number; body: any }>
  isConfigured(account: Account, instance: string): Promise<boolean>
}

export async function startWorld(plugins: readonly string[] = WITH_SERVICE): Promise<World> {
  await using stack = new AsyncDisposableStack()
  const service = stack.use(
    await startService({ shipped: true, watch: false, environment: { PLAYHEAD_LOG_LEVEL: 'warn' } }),
  )
  const post: World['post'] = (path, json = {}) => service.json(path, { json })
  const get: World['get'] = (path) => service.json(path)
  const plex = stack.use(await startPlex({ movies: 1, shows: 1, cloudTitles: 1 }))
  await expectOk(
    post('/api/config', { plugins: { sso: { cloud_url: plex.cloud.url } }, metaA: { api_url: `${plex.cloud.url}/3` } }),
  )

  const accounts: Account[] = []
  for (const plugin of plugins) {
    const [subject, adapter] = await Promise.all([subjectOf(plugin), adapterOf(plugin)])
    const simulator = await adapter.start({ size: 40 })
    stack.defer(() => simulator.close())
    const about = subject.description
    await expectOk(post('/api/config', { [about.token]: simulator.config }))
    const { id: second } = await expectOk(
      post(`/api/provider-instances/${about.id}/next`, { template: simulator.config }),
    )
    const client = asHost(service, about)
    await simulator.signIn(client, DEFAULT_PROFILE, 0)
    await simulator.signIn(client, second, 1)
    accounts.push({ plugin, subject, about, simulator, instances: [DEFAULT_PROFILE, second] })
  }
  const all = stack.move()
  return {
    service,
    accounts,
    post,
    get,
    async isConfigured({ about }, instance) {
      const { body } = await get(`/api/provider-instances/${about.id}`)
      return (body as { id: string; configured: boolean }[]).find(({ id }) => id === instance)?.configured === true
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** Settings as saved over HTTP, for adapters that sign people in. */
function asHost(service: Service, { id, token }: ProviderDescription): TestHost {
  const host = {
    async inject(request: string | { method?: string; url: string; payload?: object }) {
      const { method = 'GET', url, payload } = typeof request === 'string' ? { url: request } : request
      const { status, body } = await service.json(url, { method, ...(payload === undefined ? {} : { json: payload }) })
      return { statusCode: status, body: JSON.stringify(body), json: () => body as unknown }
    },
    changeConfig: (settings: object) => expectOk(service.json('/api/config', { json: { [token]: settings } })),
    capability: () => ({
      saveProfile: (instance: string, settings: object) =>
        expectOk(service.json(`/api/provider-instances/${id}/${instance}`, { json: settings })),
    }),
  }
  return host as unknown as TestHost
}

export async function expectOk(answer: Promise<{ status: number; body: any }>): Promise<any> {
  const { status, body } = await answer
  if (status !== 200 || body?.ok === false) throw new Error(`${status}: ${JSON.stringify(body).slice(0, 500)}`)
  return body
}

/** The settings with an address of the service, set to another address. */
export function movedTo({ subject, simulator }: Account, url: string): Readonly<Record<string, string>> {
  const fields = subject.description.signIn.fields
    .map(({ key }) => key.split('.').slice(1).join('.'))
    .filter((key) => /^(server|server_url|base_url)$/.test(key))
  const configured = Object.entries(simulator.config).flatMap(([name, value]) => {
    const service = typeof value === 'string' ? simulator.services.find((one) => value.startsWith(one.url)) : undefined
    return service === undefined ? [] : [[name, url + String(value).slice(service.url.length)] as const]
  })
  return { ...Object.fromEntries(fields.map((name) => [name, url])), ...Object.fromEntries(configured) }
}

/** A client that sends back the masked values that it received. */
export function masked({ subject }: Account): Readonly<Record<string, string>> {
  const schema = subject.plugin.config as
    | { readonly properties?: Readonly<Record<string, { readonly secret?: boolean }>> }
    | undefined
  return Object.fromEntries(
    Object.entries(schema?.properties ?? {}).flatMap(([name, { secret }]) =>
      secret === true ? [[name, '\u2022'.repeat(8)]] : [],
    ),
  )
}
