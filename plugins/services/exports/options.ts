// The export options: accounts with rows, and the formats with their features, from the exporters themselves.
import {
  type Account,
  DEFAULT_PROFILE,
  EXPORT_FEATURES,
  type ExportFeature,
  type ProviderDescription,
} from '@playhead/sdk'
import type { Parts } from './parts.ts'
import type { Held } from './row-source.ts'
import { KINDS } from './selection.ts'

type Counts = { watchlist: number; history: number; ratings: number; combined: number; progress: number }

export async function optionsOf(parts: Parts) {
  const [formats, held, all, descriptions] = await Promise.all([
    parts.formats(),
    parts.rows.held(),
    parts.accounts.list(),
    parts.accounts.providers(),
  ])
  const providers = [...new Set(held.map(({ provider }) => provider))].sort()
  const counts: Record<string, Counts> = {}
  const perInstance: Record<string, Record<string, Counts>> = {}
  for (const provider of providers) {
    const own = held.filter((one) => one.provider === provider)
    const instances = [...new Set(own.map(({ instance }) => instance))]
    const ofInstances = new Map<string, Counts>()
    for (const instance of instances)
      ofInstances.set(
        instance,
        await countsOf(
          parts,
          own.filter((one) => one.instance === instance),
        ),
      )
    perInstance[provider] = Object.fromEntries(ofInstances)
    counts[provider] = instances.length === 1 ? ofInstances.get(instances[0]!)! : await countsOf(parts, own)
  }
  return {
    providers,
    provider_labels: labelsOf(providers, descriptions),
    instances: Object.fromEntries(providers.map((provider) => [provider, instancesOf(provider, held, all)])),
    counts,
    counts_instances: perInstance,
    formats: Object.fromEntries(
      EXPORT_FEATURES.map((feature) => [
        feature,
        formats.filter(({ description }) => description.features.includes(feature)).map((one) => one.description.id),
      ]),
    ),
    labels: Object.fromEntries(formats.map(({ description: { id, label } }) => [id, label])),
    marks: Object.fromEntries(
      formats.flatMap(({ description: { id, mark } }) => (mark === undefined ? [] : [[id, mark] as const])),
    ),
    capabilities: Object.fromEntries(
      formats.map(({ description: { id, features, kinds, extension, maxBytes } }) => [
        id,
        { features, media_types: kinds, extension, max_bytes: maxBytes ?? null },
      ]),
    ),
    rewatches: Object.fromEntries(
      providers.map((provider) => [
        provider,
        descriptions.find(({ id }) => id === provider)?.features.history?.plays?.read === true,
      ]),
    ),
    media_types: KINDS,
    default_media_types: KINDS,
    time_zone: parts.timeZone(),
  }
}

async function countsOf({ rows }: Parts, own: readonly Held[]): Promise<Counts> {
  const accounts = [...new Map(own.map(({ provider, instance }) => [instance, { provider, instance }])).values()]
  const sum = (feature: ExportFeature) =>
    own.reduce((total, one) => total + (one.feature === feature ? one.count : 0), 0)
  const united = async (feature: ExportFeature) => {
    await using open = await rows.open(accounts, feature)
    return Object.values(open.counts).reduce((all, count) => all + count, 0)
  }
  // Only joined features have to be collected.
  const count = async (feature: ExportFeature) =>
    accounts.length === 1 || sum(feature) === 0 ? sum(feature) : united(feature)
  return {
    watchlist: await count('watchlist'),
    history: await count('history'),
    ratings: await count('ratings'),
    progress: await count('progress'),
    combined: sum('ratings') === 0 ? await count('history') : await united('combined'),
  }
}

function instancesOf(provider: string, held: readonly Held[], all: readonly Account[]) {
  const ids = new Set(held.filter((one) => one.provider === provider).map(({ instance }) => instance))
  return [...ids].map((id) => {
    const label = all.find((one) => one.provider === provider && one.instance === id)?.label ?? ''
    const name = id === DEFAULT_PROFILE ? 'Default' : id
    return { id, label: label === '' || label === id ? name : `${name} - ${label}` }
  })
}

function labelsOf(providers: readonly string[], descriptions: readonly ProviderDescription[]) {
  return Object.fromEntries(providers.map((id) => [id, descriptions.find((one) => one.id === id)?.label ?? id]))
}
