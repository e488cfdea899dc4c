// Rulesets: how items are distributed over several targets, or carried both ways.
import type { Membership } from '@playhead/sdk'
import { isRecord } from '@playhead/sdk/items'
import { MEMBERSHIPS, ORDERS } from '../settings.ts'
import { nameProblem, type Problem, problem, toName } from './names.ts'

export interface Ruleset {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly schema_version: 1
  readonly built_in: boolean
  readonly direction: 'one_way' | 'bidirectional'
  readonly initial_sync: 'source_authoritative'
  readonly read_mode: 'aggregate'
  readonly write_mode: 'partition'
  readonly membership: Membership
  readonly order: 'ignore' | 'preserve'
  readonly deduplicate: 'canonical_id'
  readonly allocation: 'stable_first_fit'
  readonly rebalance: 'never'
  readonly overflow: 'block'
  readonly per_endpoint_capacity: number
  readonly aggregate_capacity: number
  readonly maximum_targets: number
  readonly track_assignments: true
}

/** A stored ruleset. One that a manual edit broke is listed but not used. */
interface KnownRuleset {
  readonly ruleset: Ruleset
  readonly valid: boolean
  readonly errors: readonly Problem[]
}

interface RulesetCheck {
  readonly errors: readonly Problem[]
  readonly warnings: readonly string[]
  readonly ruleset: Ruleset
}

const MAX_DESCRIPTION = 1_000

/** The first choice is the default. */
const CHOICES = {
  direction: ['bidirectional', 'one_way'],
  initial_sync: ['source_authoritative'],
  read_mode: ['aggregate', 'direct'],
  write_mode: ['partition', 'direct'],
  membership: ['managed_only', ...MEMBERSHIPS.filter((one) => one !== 'managed_only')],
  order: ORDERS,
  deduplicate: ['canonical_id'],
  allocation: ['stable_first_fit'],
  rebalance: ['never'],
  overflow: ['block'],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** Choices that are accepted but have no effect. */
const UNSUPPORTED: Readonly<Record<string, string>> = { read_mode: 'direct', write_mode: 'direct' }

const NUMBERS = {
  per_endpoint_capacity: { fallback: 250, least: 1, most: 100_000 },
  aggregate_capacity: { fallback: 1_000, least: 1, most: 1_000_000 },
  maximum_targets: { fallback: 5, least: 1, most: 50 },
} as const

const KNOWN = new Set([
  ...['id', 'name', 'description', 'schema_version', 'built_in', 'track_assignments'],
  ...[...Object.keys(CHOICES), ...Object.keys(NUMBERS)],
  // Lists of rulesets add them, and clients send them back.
  ...['valid', 'errors'],
])
const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

export const BUILT_IN: readonly Ruleset[] = [
  normalizeRuleset({
    id: 'tracka_free_account',
    name: 'Trakt free account',
    description: 'Up to 250 items in each of up to five lists, both ways.',
    built_in: true,
    per_endpoint_capacity: 250,
    aggregate_capacity: 1_000,
    maximum_targets: 5,
  }),
]

export function isBuiltIn(id: string): boolean {
  return BUILT_IN.some((one) => one.id === id)
}

/** All rulesets: those of the product first, then those of the person by id. */
export function knownRulesets(stored: readonly unknown[]): readonly KnownRuleset[] {
  const own = stored
    .map((raw) => {
      const { errors, ruleset } = checkRuleset(raw, true)
      return { ruleset: { ...ruleset, built_in: false }, valid: errors.length === 0, errors }
    })
    .toSorted((a, b) => (a.ruleset.id < b.ruleset.id ? -1 : 1))
  return [...BUILT_IN.map((ruleset) => ({ ruleset, valid: true, errors: [] })), ...own]
}

/** Converts any value to a complete, valid ruleset; invalid parts get their defaults. */
export function normalizeRuleset(raw: unknown): Ruleset {
  const given = isRecord(raw) ? raw : {}
  const id = textOf(given['id'])
  const usableId = ID.test(id) ? id : ''
  const choices = Object.entries(CHOICES).map(([field, options]) => {
    const value = given[field]
    const isUsable = (options as readonly unknown[]).includes(value) && value !== UNSUPPORTED[field]
    return [field, isUsable ? value : options[0]]
  })
  const numbers = Object.entries(NUMBERS).map(([field, { fallback, least, most }]) => {
    const value = given[field]
    return [field, Number.isInteger(value) ? Math.min(Math.max(value as number, least), most) : fallback]
  })
  return {
    id: usableId,
    name: toName(textOf(given['name'])) || toName(usableId) || 'Rules',
    description: textOf(given['description']).slice(0, MAX_DESCRIPTION).trim(),
    schema_version: 1,
    built_in: given['built_in'] === true,
    ...Object.fromEntries(choices),
    ...Object.fromEntries(numbers),
    track_assignments: true,
  } as Ruleset
}

/**
 * All errors of a ruleset, and the normalized ruleset.
 *
 * @param needsId an id is required; otherwise it is validated if present
 */
export function checkRuleset(raw: unknown, needsId: boolean): RulesetCheck {
  const given = isRecord(raw) ? raw : {}
  const { id } = given
  const errors: Problem[] = []
  const add = (field: string, code: string, message: string) => errors.push(problem(field, code, message))
  if (needsId && (id === undefined || id === '')) add('id', 'id_required', 'An id is required.')
  else if (id !== undefined && id !== '' && !(typeof id === 'string' && ID.test(id)))
    add('id', 'invalid_id', 'An id has at most 64 letters, numbers, _ and -, and starts with a letter or a number.')
  const name = nameProblem(textOf(given['name']).trim().normalize('NFC'))
  if (name !== undefined) errors.push(name)
  const { description, schema_version: version, track_assignments: tracks } = given
  if (description !== undefined && (typeof description !== 'string' || description.length > MAX_DESCRIPTION))
    add('description', 'invalid_description', `A description is a text of at most ${MAX_DESCRIPTION} characters.`)
  if (version !== undefined && version !== 1)
    add('schema_version', 'unsupported_schema_version', 'The version of a ruleset is 1.')
  if (tracks !== undefined && tracks !== true)
    add('track_assignments', 'unsupported_mode', 'An item always stays in the list that it was put into.')
  for (const [field, options] of Object.entries(CHOICES)) {
    const value = given[field]
    if (value === undefined) continue
    if (!(options as readonly unknown[]).includes(value))
      add(field, 'invalid_choice', `${field} is one of ${options.join(', ')}.`)
    else if (value === UNSUPPORTED[field]) add(field, 'unsupported_mode', `${field} is ${options[0]} for all rulesets.`)
  }
  for (const [field, { least, most }] of Object.entries(NUMBERS)) {
    const value = given[field]
    if (value === undefined) continue
    if (!Number.isInteger(value)) add(field, 'invalid_number', `${field} is a whole number.`)
    else if ((value as number) < least || (value as number) > most)
      add(field, 'out_of_range', `${field} is between ${least} and ${most}.`)
  }
  const unknown = Object.keys(given).filter((field) => !KNOWN.has(field))
  return {
    errors,
    warnings: unknown.slice(0, 20).map((field) => `unknown_field:${field.slice(0, 80)}`),
    ruleset: normalizeRuleset(given),
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
