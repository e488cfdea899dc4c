// Mappings: validation of requests, and conflicts between mappings.
import type { AccountName, PlayheadError } from '@playhead/sdk'
import type { Endpoint, Mapping, PlaylistsConfig } from '../settings.ts'
import { ORDERS, MEMBERSHIPS } from '../settings.ts'
import { listKey } from './lists.ts'
import { readName } from './names.ts'
import { conflict, invalid, unknown } from './refusals.ts'
import type { MappingInput } from './requests.ts'
import { knownRulesets, type Ruleset } from './rulesets.ts'

type NewMapping = Omit<Mapping, 'id'>

export const isMirror = (mapping: NewMapping, ruleset: Ruleset | null) =>
  (ruleset === null ? mapping.membership : ruleset.membership) === 'mirror'

/** The mapping of a request. Throws 400 for values that are never valid. */
export function readMapping(input: MappingInput, before: Mapping | undefined): NewMapping {
  const idOf = (named: string | { readonly id?: string }) =>
    (typeof named === 'string' ? named : (named.id ?? '')).trim()
  const targets = (input.target_endpoints ?? before?.target_endpoints ?? []).map(idOf).filter((id) => id !== '')
  const { id: _, ...kept } = before ?? ({} as Partial<Mapping>)
  const allow = input.allow_mass_delete ?? before?.allow_mass_delete ?? false
  const confirm = input.confirm_destructive ?? before?.confirm_destructive ?? false
  const { allow_mass_delete: _allow, confirm_destructive: _confirm, ...rest } = kept
  return {
    ...rest,
    name: readName(input.name ?? before?.name ?? ''),
    source_endpoint: idOf(input.source_endpoint ?? before?.source_endpoint ?? ''),
    target_endpoints: [...new Set(targets)],
    ruleset_id: (input.ruleset_id ?? before?.ruleset_id ?? '').trim(),
    membership: choice('membership', MEMBERSHIPS, input.membership ?? before?.membership ?? 'managed_only'),
    order: choice('order', ORDERS, input.order ?? before?.order ?? 'ignore'),
    enabled: input.enabled ?? before?.enabled ?? true,
    ...(allow ? { allow_mass_delete: true } : {}),
    ...(confirm ? { confirm_destructive: true } : {}),
  }
}

function choice<const Name extends string>(field: string, names: readonly Name[], value: string): Name {
  const found = names.find((name) => name === value)
  if (found === undefined)
    throw invalid('invalid_choice', `${field} is one of ${names.join(', ')}.`, { field, choices: names })
  return found
}

export interface ResolvedMapping {
  readonly source: Endpoint
  readonly targets: readonly Endpoint[]
  readonly ruleset: Ruleset | null
}

/** The ruleset of a mapping; null for a direct one. Throws 404 `ruleset_not_found`, 400 `ruleset_invalid`. */
function rulesetOf({ ruleset_id: id }: NewMapping, stored: PlaylistsConfig['rulesets']): Ruleset | null {
  if (id === '') return null
  const found = knownRulesets(stored).find(({ ruleset }) => ruleset.id === id)
  if (found === undefined) throw unknown('ruleset', id, 'ruleset_id')
  if (found.valid) return found.ruleset
  const code = found.errors.some((one) => one.code === 'unsupported_mode') ? 'unsupported_mode' : 'ruleset_invalid'
  throw invalid(code, 'The rules of the playlist sync are not valid.', { field: 'ruleset_id', errors: found.errors })
}

/** The endpoints and rules of a mapping that can run. Throws the errors of `POST /api/playlists/mappings`. */
export function resolveMapping(mapping: NewMapping, config: PlaylistsConfig): ResolvedMapping {
  const { source_endpoint: sourceId, target_endpoints: targetIds } = mapping
  if (sourceId === '' || targetIds.length === 0)
    throw invalid('endpoints_required', 'A mapping has a source and at least one target.', {
      field: sourceId === '' ? 'source_endpoint' : 'target_endpoints',
    })
  if (targetIds.includes(sourceId))
    throw invalid('same_endpoint', 'Source and target must differ.', { field: 'target_endpoints' })
  const find = (id: string, field: string) => {
    const found = config.endpoints.find((one) => one.id === id)
    if (found === undefined) throw unknown('endpoint', id, field)
    return found
  }
  const source = find(sourceId, 'source_endpoint')
  const targets = targetIds.map((id) => find(id, 'target_endpoints'))
  const keys = targets.map(listKey)
  if (keys.includes(listKey(source)))
    throw invalid('same_endpoint', 'Source and target are the same list.', { field: 'target_endpoints' })
  if (new Set(keys).size < keys.length)
    throw invalid('duplicate_targets', 'Two targets are the same list.', { field: 'target_endpoints' })
  if (targets.some(({ provider, instance }) => provider !== targets[0]!.provider || instance !== targets[0]!.instance))
    throw invalid('targets_differ', 'All targets must be lists of the same account.', { field: 'target_endpoints' })
  const ruleset = rulesetOf(mapping, config.rulesets)
  const most = ruleset?.maximum_targets ?? 1
  if (targets.length > most)
    throw invalid('too_many_targets', `There can be at most ${most} targets.`, { field: 'target_endpoints', most })
  return { source, targets, ruleset }
}

/** The accounts of each mapping. */
export function joinedBy({ mappings, endpoints }: PlaylistsConfig): readonly (readonly AccountName[])[] {
  return mappings.map(({ source_endpoint: source, target_endpoints: targets }) =>
    endpoints.filter(({ id }) => id === source || targets.includes(id)),
  )
}

/** Stricter than `resolveMapping`: also requires writable lists, order, confirmed losses, and no mapping in the reverse direction. */
export function checkMapping(mapping: NewMapping, id: string, config: PlaylistsConfig): ResolvedMapping {
  const resolved = resolveMapping(mapping, config)
  const { source, targets, ruleset } = resolved
  for (const target of targets) assertWritable(target, 'target')
  if (ruleset?.direction === 'bidirectional') assertWritable(source, 'source')
  const unordered = targets.find((target) => !target.can_reorder)
  if (ruleset === null && mapping.order === 'preserve' && unordered !== undefined)
    throw invalid('order_unsupported', `The list of ${unordered.name} has no order that can be changed.`, {
      field: 'order',
    })
  const lossy = targets.find((target) => target.playlist_type === 'status' || target.destructive_remove)
  const isConfirmed = mapping.allow_mass_delete === true || mapping.confirm_destructive === true
  if (isMirror(mapping, ruleset) && lossy !== undefined && !isConfirmed)
    throw invalid('confirmation_required', lossy.remove_warning || 'A mirror removes works from the library.', {
      field: 'confirm_destructive',
      endpoint_id: lossy.id,
    })
  assertNoConflict(mapping, id, resolved, config)
  return resolved
}

function assertWritable(endpoint: Endpoint, role: 'source' | 'target'): void {
  if (endpoint.can_add || endpoint.can_remove) return
  const code = endpoint.smart && role === 'target' ? 'target_smart' : `${role}_read_only`
  throw invalid(code, `Nothing can be written to the list of ${endpoint.name}.`, { endpoint_id: endpoint.id })
}

interface Writer {
  readonly id: string
  readonly reads: string
  /** Lists that the mapping writes to. */
  readonly writes: readonly string[]
  readonly isMirror: boolean
  readonly isDirect: boolean
}

function writerOf(id: string, mapping: NewMapping, { source, targets, ruleset }: ResolvedMapping): Writer {
  const own = ruleset?.direction === 'bidirectional' ? [listKey(source)] : []
  return {
    id,
    reads: listKey(source),
    writes: [...targets.map(listKey), ...own],
    isMirror: isMirror(mapping, ruleset),
    isDirect: ruleset === null,
  }
}

function assertNoConflict(mapping: NewMapping, id: string, resolved: ResolvedMapping, config: PlaylistsConfig): void {
  const own = writerOf(id, mapping, resolved)
  const others = config.mappings.flatMap((other) => {
    if (other.id === id) return []
    try {
      return [writerOf(other.id, other, resolveMapping(other, config))]
    } catch {
      // The mapping cannot run.
      return []
    }
  })
  const rival = others.find(
    (one) => (one.isMirror || own.isMirror) && one.writes.some((list) => own.writes.includes(list)),
  )
  if (rival !== undefined)
    throw targetConflict('A mirror removes what another mapping adds to the same list.', [rival.id])
  const ring = mirrorRing(own, others)
  if (ring !== undefined) throw targetConflict('The mirrors form a loop: each removes what the others add.', ring)
}

/** The other mappings in a ring of direct mirrors. */
function mirrorRing(own: Writer, others: readonly Writer[]): readonly string[] | undefined {
  if (!own.isMirror || !own.isDirect) return undefined
  const mirrors = others.filter((one) => one.isMirror && one.isDirect)
  const follow = (list: string, path: readonly Writer[]): readonly string[] | undefined => {
    if (list === own.reads) return path.map(({ id }) => id)
    for (const next of mirrors) {
      if (next.reads !== list || path.includes(next)) continue
      for (const written of next.writes) {
        const found = follow(written, [...path, next])
        if (found !== undefined) return found
      }
    }
    return undefined
  }
  for (const list of own.writes) {
    const found = follow(list, [])
    if (found !== undefined) return found
  }
  return undefined
}

function targetConflict(message: string, mappings: readonly string[]): PlayheadError {
  return conflict('target_conflict', message, { mappings })
}
