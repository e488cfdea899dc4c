// The operations behind the routes: changes of the settings with their pairs and states, and their views.
import { accountLabel, accountName, defined, type PairState, type ProviderDescription } from '@playhead/sdk'
import {
  cloneRuleset,
  removeEndpoint,
  removeMapping,
  removeRuleset,
  saveMapping,
  saveRuleset,
  usersOf,
} from './config/changes.ts'
import { refreshEndpoint, saveEndpointInput } from './config/endpoints.ts'
import { resolveMapping, type ResolvedMapping } from './config/mappings.ts'
import { conflict, unknown } from './config/refusals.ts'
import type { EndpointInput, MappingInput } from './config/requests.ts'
import { knownRulesets, type Ruleset } from './config/rulesets.ts'
import { isCompatible, OWNER, pairIdOf, pairOf, pairsOf, repairPairs } from './pairs.ts'
import type { Parts } from './parts.ts'
import { codeOf } from './run/failures.ts'
import { scopeOf } from './run/planner.ts'
import type { Result } from './contract.ts'
import type { Runs } from './run/runs.ts'
import type { Endpoint, Mapping } from './settings.ts'

export type PlaylistsService = ReturnType<typeof createService>

export function createService(parts: Parts, runs: Runs) {
  const { store, accounts } = parts
  /** Allows the deletion of their pairs. */
  const removing = new Set<string>()

  const labels = async () => {
    const descriptions = await accounts.providers()
    return (provider: string) => descriptions.find(({ id }) => id === provider)?.label ?? provider
  }
  const pairs = async (): Promise<readonly PairState[]> => (await parts.sync()?.pairs()) ?? []

  /** Updates pairs and states after a change of the settings. */
  async function follow(mappings: readonly Mapping[]): Promise<void> {
    const config = parts.config()
    for (const { id } of mappings) {
      const mapping = config.mappings.find((one) => one.id === id)
      const resolved = mapping === undefined ? undefined : tryResolve(mapping)
      if (mapping !== undefined && resolved !== undefined)
        await store.keepScope(id, scopeOf(mapping, resolved, parts.ctx.host.dataEpoch))
    }
    await repairPairs(parts)
  }

  function tryResolve(mapping: Mapping): ResolvedMapping | undefined {
    try {
      return resolveMapping(mapping, parts.config())
    } catch {
      return undefined
    }
  }

  async function savePair(mapping: Mapping): Promise<void> {
    await parts.sync()?.savePair(pairOf(mapping, resolveMapping(mapping, parts.config())))
  }

  async function enrich(mappings: readonly Mapping[]) {
    const [label, known, results] = await Promise.all([labels(), pairs(), store.results()])
    return mappings.map((mapping) => enriched(mapping, label, known, results.get(mapping.id) ?? null))
  }

  function enriched(
    mapping: Mapping,
    label: (provider: string) => string,
    known: readonly PairState[],
    lastResult: Result | null,
  ) {
    const { endpoints, rulesets } = parts.config()
    const end = (id: string) => {
      const found = endpoints.find((one) => one.id === id)
      return found === undefined ? [] : [endOf(found, label)]
    }
    const [source] = end(mapping.source_endpoint)
    const targets = mapping.target_endpoints.flatMap(end)
    const [pair] = pairsOf(mapping.id, known)
    const ruleset = knownRulesets(rulesets).find((one) => one.ruleset.id === mapping.ruleset_id)?.ruleset
    const why = problemOf(mapping)
    return {
      ...mapping,
      valid: why === undefined,
      ...defined({ problem: why }),
      running: runs.isRunning(mapping.id),
      source: source ?? null,
      target: targets[0] ?? null,
      targets,
      ruleset: ruleset ?? null,
      assigned_pair: pair?.id ?? null,
      assigned_pair_label: pair?.name ?? '',
      last_result: lastResult,
    }
  }

  function problemOf(mapping: Mapping): string | undefined {
    try {
      resolveMapping(mapping, parts.config())
      return undefined
    } catch (error) {
      return codeOf(error)
    }
  }

  const listed = async () => {
    const label = await labels()
    return parts.config().endpoints.map((endpoint) => ({ ...endpoint, provider_label: label(endpoint.provider) }))
  }
  const rulesets = () =>
    knownRulesets(parts.config().rulesets).map(({ ruleset, valid, errors }) => ({
      ...ruleset,
      valid,
      ...(valid ? {} : { errors }),
    }))

  return {
    /** Whether the mapping of a pair is being deleted. */
    isRemoving: (mappingId: string) => removing.has(mappingId),
    endpoints: listed,
    async saveEndpoint(input: EndpointInput, signal: AbortSignal) {
      const saved = await saveEndpointInput(parts, input, signal)
      if (!saved.created) await follow(usersOf(saved.endpoint.id, parts.config()))
      return saved
    },
    async removeEndpoint(id: string) {
      await parts.change((config) => ({ change: removeEndpoint(id, config), value: undefined }))
      await store.setCreation(id, null)
    },
    refreshEndpoint: (id: string, signal: AbortSignal) => refreshEndpoint(parts, id, signal),
    rulesets,
    ruleset(id: string): Ruleset {
      const found = knownRulesets(parts.config().rulesets).find(({ ruleset }) => ruleset.id === id)
      if (found === undefined) throw unknown('ruleset', id)
      return found.ruleset
    },
    async saveRuleset(input: Readonly<Record<string, unknown>>) {
      const saved = await parts.change((config) => {
        const made = saveRuleset(input, config)
        return { change: made.change, value: made }
      })
      await repairPairs(parts)
      return saved
    },
    cloneRuleset: (id: string, changes: Readonly<Record<string, unknown>>) =>
      parts.change((config) => {
        const made = cloneRuleset(id, changes, config)
        return { change: made.change, value: made.saved }
      }),
    removeRuleset: (id: string) => parts.change((config) => ({ change: removeRuleset(id, config), value: undefined })),
    /** Updates pairs and states after a change of several mappings. */
    async followed(ids: readonly string[]) {
      const { mappings } = parts.config()
      await follow(mappings.filter(({ id }) => ids.includes(id)))
      for (const id of ids) if (!mappings.some((one) => one.id === id)) await store.forget(id)
    },
    mappings: () => enrich(parts.config().mappings),
    async saveMapping(input: MappingInput) {
      const before = parts.config().mappings.find(({ id }) => id === input.id)
      const { saved, created } = await parts.change((config) => {
        const made = saveMapping(input, config)
        return { change: made.change, value: made }
      }, input.across_persons)
      try {
        await savePair(saved)
      } catch (error) {
        await parts.change(({ mappings }) => {
          const others = before === undefined ? mappings.filter(({ id }) => id !== saved.id) : mappings
          const next = others.map((one) => (one.id === saved.id && before !== undefined ? before : one))
          return { change: { mappings: next }, value: undefined }
        })
        throw error
      }
      await follow([saved])
      const [mapping] = await enrich([saved])
      return { mapping, created, pair_id: pairIdOf(saved.id) }
    },
    async removeMapping(id: string) {
      if (!parts.config().mappings.some((one) => one.id === id)) throw unknown('mapping', id)
      if (runs.isRunning(id)) throw conflict('busy', 'The mapping is being run.', { holder: 'sync', mapping_id: id })
      removing.add(id)
      try {
        await parts.sync()?.deletePair({ id: pairIdOf(id), owner: OWNER })
        await parts.change((config) => ({ change: removeMapping(id, config), value: undefined }))
      } finally {
        removing.delete(id)
      }
      await store.forget(id)
    },
    async result(id: string): Promise<Result | null> {
      if (!parts.config().mappings.some((one) => one.id === id)) throw unknown('mapping', id)
      return store.result(id)
    },
    async ofPair(pairId: string) {
      const known = await pairs()
      const pair = known.find(({ id }) => id === pairId)
      if (pair === undefined) throw unknown('pair', pairId)
      const chosen = parts.config().mappings.filter((mapping) => {
        const resolved = tryResolve(mapping)
        const own = pairsOf(mapping.id, known)
        return resolved !== undefined && isCompatible(resolved, pair) && (own.length === 0 || own.includes(pair))
      })
      const shown = await enrich(chosen)
      return shown.map((one) => ({ ...one, selected: pairsOf(one.id, known).includes(pair) }))
    },
    activity: (limit: number, mappingId?: string) => store.activity(limit, mappingId),
    async overview() {
      const { endpoints, mappings } = parts.config()
      const [shown, results, activity, known, own] = await Promise.all([
        enrich(mappings),
        store.results(),
        store.activity(25),
        pairs(),
        listed(),
      ])
      const current = mappings.flatMap(({ id }) => {
        const result = results.get(id)
        return result === undefined ? [] : [[id, result] as const]
      })
      const times = [
        ...endpoints.flatMap(({ last_synced: at }) => at ?? []),
        ...current.flatMap(([, { finished_at: at }]) => at ?? []),
      ]
      const warnings = [
        ...current.flatMap(([, result]) => result.warnings ?? []),
        ...shown.flatMap((one) => one.problem ?? []),
        ...endpoints.flatMap(({ last_error: error }) => error?.code ?? []),
      ]
      return {
        endpoints: own,
        mappings: shown,
        results: Object.fromEntries(current),
        activity,
        summary: {
          total_mappings: mappings.length,
          enabled_mappings: mappings.filter(({ id, enabled }) => enabled && pairsOf(id, known).length > 0).length,
          endpoints: endpoints.length,
          last_sync_epoch: times.length === 0 ? null : Math.max(...times),
          unresolved: current.reduce((sum, [, { unresolved_count: count = 0 }]) => sum + count, 0),
          warnings: [...new Set(warnings)].toSorted(),
        },
      }
    },
  }
}

function endOf(endpoint: Endpoint, label: (provider: ProviderDescription['id']) => string) {
  const { id, name, provider, instance, playlist_name: list } = endpoint
  const account = accountLabel(label(provider), instance)
  return { endpoint_id: id, name, provider, instance, playlist_name: list, label: `${account}: ${list || name}` }
}

/** Endpoints of an account, listed before the account is removed. */
export function usagesOf({ endpoints, mappings }: ReturnType<Parts['config']>, provider: string, instance: string) {
  const wanted = accountName(provider.toUpperCase(), instance)
  return endpoints
    .filter((endpoint) => accountName(endpoint.provider, endpoint.instance) === wanted)
    .map(({ id, name }) => {
      const users = mappings.filter((one) => one.source_endpoint === id || one.target_endpoints.includes(id))
      return {
        feature: 'playlists',
        role: 'endpoint',
        endpoint_id: id,
        // Usages of one mapping: its pair is the same usage.
        ...(users.length === 1 ? { pair_id: pairIdOf(users[0]!.id) } : {}),
        label: users.length === 0 ? name : `${name} (${users.map((one) => one.name).join(', ')})`,
        enabled: users.some(({ enabled }) => enabled),
      }
    })
}
