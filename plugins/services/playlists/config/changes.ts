// Changes of the stored section. They run inside the writer, on the current section; an exception cancels the change.
import { defined, type SettingsChange } from '@playhead/sdk'
import type { Endpoint, Mapping, PlaylistsConfig } from '../settings.ts'
import { listKey } from './lists.ts'
import { checkMapping, readMapping } from './mappings.ts'
import { nameProblem, uniqueName } from './names.ts'
import { conflict, invalid, unknown } from './refusals.ts'
import type { MappingInput } from './requests.ts'
import { BUILT_IN, checkRuleset, isBuiltIn, knownRulesets, normalizeRuleset, type Ruleset } from './rulesets.ts'

interface Saved<Value> {
  readonly change: SettingsChange
  readonly saved: Value
  readonly created: boolean
}

type Counter = keyof PlaylistsConfig['last_ids']
const PREFIX = { endpoint: 'EP', mapping: 'MAP', ruleset: 'RULE' } as const satisfies Record<Counter, string>

function numberIn(id: string, what: Counter): number {
  return Number(new RegExp(`^${PREFIX[what]}-(\\d{1,9})$`).exec(id)?.[1] ?? 0)
}

function lastNumber(what: Counter, config: PlaylistsConfig, known: readonly { readonly id: string }[]): number {
  return Math.max(config.last_ids[what], ...known.map(({ id }) => numberIn(id, what)))
}

const idOf = (what: Counter, number: number) => `${PREFIX[what]}-${String(number).padStart(2, '0')}`

/** The next id that was never given out, and the counter after it. */
function nextId(what: Counter, config: PlaylistsConfig, known: readonly { readonly id: string }[]) {
  const number = lastNumber(what, config, known) + 1
  return { id: idOf(what, number), last_ids: { [what]: number } }
}

/** Gives out ids that were never given out. `last` are the counters, also for ids that the settings hold. */
export function createIds(config: PlaylistsConfig) {
  const last = {
    ...config.last_ids,
    endpoint: lastNumber('endpoint', config, config.endpoints),
    mapping: lastNumber('mapping', config, config.mappings),
  }
  return {
    last,
    endpoint: () => idOf('endpoint', (last.endpoint += 1)),
    mapping: () => idOf('mapping', (last.mapping += 1)),
  }
}

function withRow<Row extends { readonly id: string }>(row: Row, rows: readonly Row[]): Row[] {
  return rows.some(({ id }) => id === row.id) ? rows.map((one) => (one.id === row.id ? row : one)) : [...rows, row]
}

/** @param endpoint without an id: a new one */
export function saveEndpoint(
  endpoint: Omit<Endpoint, 'id'> & { readonly id?: string },
  config: PlaylistsConfig,
): Saved<Endpoint> {
  const { endpoints } = config
  const { id: given, ...fields } = endpoint
  const before = given === undefined ? undefined : endpoints.find((one) => one.id === given)
  if (given !== undefined && before === undefined) throw unknown('endpoint', given)
  const { id, last_ids: lastIds } = before === undefined ? nextId('endpoint', config, endpoints) : { id: before.id }
  const saved = { ...fields, id }
  const same = endpoints.find((one) => one.id !== id && listKey(one) === listKey(saved))
  if (same !== undefined)
    throw conflict('duplicate_endpoint', `${same.name} (${same.id}) is the same list.`, { endpoint_id: same.id })
  const next = withRow(saved, endpoints)
  if (before !== undefined) assertStillValid(usersOf(id, config), config, { ...config, endpoints: next })
  return { change: { endpoints: next, ...defined({ last_ids: lastIds }) }, saved, created: before === undefined }
}

/** Mappings that use an endpoint. */
export function usersOf(endpointId: string, { mappings }: PlaylistsConfig): readonly Mapping[] {
  return mappings.filter((one) => one.source_endpoint === endpointId || one.target_endpoints.includes(endpointId))
}

export function removeEndpoint(id: string, config: PlaylistsConfig): SettingsChange {
  if (!config.endpoints.some((one) => one.id === id)) throw unknown('endpoint', id)
  assertUnused('endpoint', usersOf(id, config))
  return { endpoints: config.endpoints.filter((one) => one.id !== id) }
}

export function saveMapping(input: MappingInput, config: PlaylistsConfig): Saved<Mapping> {
  const { mappings } = config
  const given = input.id ?? ''
  const before = mappings.find((one) => one.id === given)
  if (given !== '' && before === undefined) throw unknown('mapping', given)
  const fields = readMapping(input, before)
  checkMapping(fields, given, config)
  const { id, last_ids: lastIds } = before === undefined ? nextId('mapping', config, mappings) : { id: before.id }
  const saved = { ...fields, id }
  return {
    change: { mappings: withRow(saved, mappings), ...defined({ last_ids: lastIds }) },
    saved,
    created: before === undefined,
  }
}

export function removeMapping(id: string, config: PlaylistsConfig): SettingsChange {
  if (!config.mappings.some((one) => one.id === id)) throw unknown('mapping', id)
  return { mappings: config.mappings.filter((one) => one.id !== id) }
}

/** Absent fields of a known ruleset keep their value. */
export function saveRuleset(input: Readonly<Record<string, unknown>>, config: PlaylistsConfig): Saved<Ruleset> {
  const given = typeof input['id'] === 'string' ? input['id'].trim() : input['id']
  assertNotBuiltIn(given)
  const stored = config.rulesets as readonly Readonly<Record<string, unknown>>[]
  const before = stored.find((one) => one['id'] === given)
  const { valid: _, errors: __, built_in: ___, ...asked } = input
  const raw = { ...before, ...asked, id: given }
  const { errors } = checkRuleset(raw, false)
  const [first] = errors
  if (first !== undefined) throw invalid(first.code, first.message, { field: first.field, errors })
  const known = stored.map((one) => ({ id: String(one['id']) }))
  const isNew = given === undefined || given === ''
  const { id, last_ids: lastIds } = isNew ? nextId('ruleset', config, known) : { id: given as string }
  const saved: Ruleset = { ...normalizeRuleset(raw), id, built_in: false }
  const rulesets = before === undefined ? [...stored, saved] : stored.map((one) => (one['id'] === given ? saved : one))
  const users = config.mappings.filter((one) => one.ruleset_id === id)
  assertStillValid(users, config, { ...config, rulesets })
  return {
    // An id that a client chose is reserved too, so that it is not assigned again.
    change: { rulesets, last_ids: lastIds ?? { ruleset: Math.max(config.last_ids.ruleset, numberIn(id, 'ruleset')) } },
    saved,
    created: before === undefined,
  }
}

export function cloneRuleset(
  id: string,
  changes: Readonly<Record<string, unknown>>,
  config: PlaylistsConfig,
): Saved<Ruleset> {
  const known = knownRulesets(config.rulesets)
  const source = known.find(({ ruleset }) => ruleset.id === id)?.ruleset
  if (source === undefined) throw unknown('ruleset', id)
  const taken = known.map(({ ruleset }) => ruleset.name)
  const name = changes['name'] === undefined ? uniqueName(source.name, 'Custom', taken) : changes['name']
  const wrong = nameProblem(typeof name === 'string' ? name.trim() : '')
  if (wrong !== undefined) throw invalid(wrong.code, wrong.message, { field: 'name' })
  if (changes['id'] !== undefined && known.some(({ ruleset }) => ruleset.id === changes['id']))
    throw conflict('ruleset_exists', 'Rules with this ID already exist.', { field: 'id' })
  return saveRuleset({ ...source, id: undefined, ...changes, name }, config)
}

export function removeRuleset(id: string, config: PlaylistsConfig): SettingsChange {
  assertNotBuiltIn(id)
  const stored = config.rulesets as readonly Readonly<Record<string, unknown>>[]
  if (!stored.some((one) => one['id'] === id)) throw unknown('ruleset', id)
  assertUnused(
    'ruleset',
    config.mappings.filter((one) => one.ruleset_id === id),
  )
  return { rulesets: stored.filter((one) => one['id'] !== id) }
}

function assertNotBuiltIn(id: unknown): void {
  if (typeof id !== 'string' || !isBuiltIn(id)) return
  const name = BUILT_IN.find((one) => one.id === id)?.name ?? id
  throw invalid('ruleset_built_in', `${name} comes with the product and cannot be changed; clone it.`, { field: 'id' })
}

function assertUnused(what: string, users: readonly Mapping[]): void {
  if (users.length === 0) return
  const ids = users.map(({ id }) => id)
  throw conflict('in_use', `The ${what} is used by ${ids.join(', ')}.`, { used_by: ids })
}

/** Throws the errors of saving the mappings. A mapping that already cannot run does not block the change. */
function assertStillValid(users: readonly Mapping[], before: PlaylistsConfig, after: PlaylistsConfig): void {
  for (const mapping of users) if (isValid(mapping, before)) checkMapping(mapping, mapping.id, after)
}

function isValid(mapping: Mapping, config: PlaylistsConfig): boolean {
  try {
    checkMapping(mapping, mapping.id, config)
    return true
  } catch {
    return false
  }
}
