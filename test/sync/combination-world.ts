// A service with a stand-in for every product, whose accounts can be paired in any combination.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { FEATURES, type Feature, type ProviderDescription } from '@playhead/sdk'
import { expectOk } from '../stands/client.ts'
import { startService, type Service } from '../harness.ts'
import { shippedProviders } from '../stands/descriptions.ts'
import { startStands } from '../stands/index.ts'
import { type Account, type Stand, writesOf } from '../stands/stand.ts'
import { openTracker, TRACKER } from '../stands/tracker.ts'

export type Mode = 'one_way' | 'two_way'

/** An account that a pair can name. */
export interface Joined extends Account, Pick<Stand, 'itemOf' | 'tellsDuration'> {
  /** Requests of its service so far that change something. */
  writes(): number
  readonly about: ProviderDescription
  readonly instance: string
}

export type CombinationWorld = Awaited<ReturnType<typeof startCombinationWorld>>

const ON = { enabled: true, add: true, remove: true }
const OPTIONS: { readonly [feature in Feature]?: object } = { ratings: { ...ON, types: 'all', mode: 'all' } }

export async function startCombinationWorld() {
  const stack = new AsyncDisposableStack()
  const providers = await shippedProviders()
  const stands = stack.use(await startStands())
  const service = stack.use(
    await startService({ shipped: true, watch: false, environment: { PLAYHEAD_LOG_LEVEL: 'warn' } }),
  )
  const tracker = stack.use(await openTracker(join(service.directory, 'data', 'database.sqlite')))
  const about = (id: string) => providers.find((one) => one.id === id)!

  const joined = (account: Account, stand: Stand, instance: string, provider: string): Joined => ({
    ...account,
    itemOf: stand.itemOf,
    tellsDuration: stand.tellsDuration,
    writes: () => writesOf(stand),
    about: about(provider),
    instance,
  })

  async function profile(provider: string): Promise<string> {
    return String((await expectOk(service, `/api/provider-instances/${about(provider).token}/next`, {})).id)
  }

  return {
    service,
    providers,
    /** A new account: in the first profile of the provider, or in an additional one. */
    async account(provider: string, further = false): Promise<Joined> {
      const stand = stands.get(provider)
      if (stand === undefined) {
        const instance = await profile(provider)
        return joined(tracker.workspace(instance), TRACKER as unknown as Stand, instance, provider)
      }
      const account = await stand.account()
      const instance = further ? await profile(provider) : 'default'
      const own = await account.signIn()
      await expectOk(service, '/api/config', { [stand.section]: further ? { instances: { [instance]: own } } : own })
      return joined(account, stand, instance, provider)
    },
    /** The number of additional profiles is limited, so they are freed for the next combination. */
    async release({ about: { token }, instance }: Joined): Promise<void> {
      if (instance !== 'default')
        await expectOk(service, `/api/provider-instances/${token}/${instance}`, undefined, 'DELETE')
    },
    async pair(
      source: Joined,
      target: Joined,
      mode: Mode,
      chosen = sharedFeatures(source.about, target.about, mode),
    ): Promise<string> {
      const features = Object.fromEntries(chosen.map((feature) => [feature, OPTIONS[feature] ?? ON]))
      const body = {
        source: source.about.id,
        source_instance: source.instance,
        target: target.about.id,
        target_instance: target.instance,
        mode,
        enabled: true,
        features,
      }
      return String((await expectOk(service, '/api/pairs', body)).id)
    },
    /** The response of the service for a pair of the first profiles. */
    ask: (source: string, target: string, mode: Mode) =>
      service.json('/api/pairs', { json: { source, target, mode, enabled: true, features: { history: ON } } }),
    removePair: (id: string) => expectOk(service, `/api/pairs/${id}`, undefined, 'DELETE'),
    async run(): Promise<any> {
      for (const stand of stands.values()) stand.later?.()
      return quickRun(service)
    },
    /** The last warnings of the service. */
    log: async (): Promise<readonly string[]> => (await service.json('/api/logs/dump?n=20')).body.lines,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Features that can be synced from the source to the target, and in a two-way pair in both directions. */
export function sharedFeatures(
  source: ProviderDescription,
  target: ProviderDescription,
  mode: Mode,
): readonly Feature[] {
  const isWay = (from: ProviderDescription, to: ProviderDescription, feature: Feature) =>
    from.features[feature]?.read === true && to.features[feature]?.read === true && to.features[feature].add
  return FEATURES.filter(
    (feature) => isWay(source, target, feature) && (mode === 'one_way' || isWay(target, source, feature)),
  ).filter((feature) => feature !== 'playlists')
}

/** The service's reason why the pair is impossible; undefined if it is possible. */
export function oneWay(source: ProviderDescription, target: ProviderDescription): string | undefined {
  const can = ({ features }: ProviderDescription, what: 'read' | 'add') =>
    Object.values(features).some((one) => one[what])
  if (!can(source, 'read')) return `${source.label} cannot be a source`
  return can(target, 'add') ? undefined : `${target.label} cannot be a target`
}

export function twoWay(source: ProviderDescription, target: ProviderDescription): string | undefined {
  const side = source.bidirectional ? (target.bidirectional ? undefined : 'target') : 'source'
  return side === undefined
    ? undefined
    : `${(side === 'source' ? source : target).label} (${side}) cannot be part of a two-way pair`
}

async function quickRun(service: Service): Promise<any> {
  const { run_id: runId } = await expectOk(service, '/api/run')
  for (;;) {
    const { body } = await service.json('/api/run/summary')
    if (body.run_id === runId && body.running === false) return body
    await sleep(25)
  }
}
