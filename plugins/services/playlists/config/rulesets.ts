// Rulesets: how items are distributed over several targets, or carried both ways.
import { oneOf, readBySchema, type Static, type TSchema, Type } from '@playhead/sdk'
import { isRecord } from '@playhead/sdk/items'
import { MEMBERSHIPS, ORDERS } from '../settings.ts'
import { nameProblem, type Problem, problem, toName } from './names.ts'

const only = <const Name extends string>(name: Name) => oneOf([name], name)
const limit = (fallback: number, maximum: number) => Type.Integer({ default: fallback, minimum: 1, maximum })

const Rules = Type.Object({
  direction: oneOf(['bidirectional', 'one_way'], 'bidirectional'),
  initial_sync: only('source_authoritative'),
  read_mode: only('aggregate'),
  write_mode: only('partition'),
  membership: oneOf(['managed_only', ...MEMBERSHIPS.filter((one) => one !== 'managed_only')], 'managed_only'),
  order: oneOf(ORDERS, 'ignore'),
  deduplicate: only('canonical_id'),
  allocation: only('stable_first_fit'),
  rebalance: only('never'),
  overflow: only('block'),
  per_endpoint_capacity: limit(250, 100_000),
  aggregate_capacity: limit(1_000, 1_000_000),
  maximum_targets: limit(5, 50),
})
export const Ruleset = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  schema_version: Type.Literal(1),
  built_in: Type.Boolean(),
  ...Rules.properties,
  track_assignments: Type.Literal(true),
})
export type Ruleset = Readonly<Static<typeof Ruleset>>

/** Choices that clients know and that have no effect. */
const UNSUPPORTED: Readonly<Record<string, string>> = { read_mode: 'direct', write_mode: 'direct' }
// Lists of rulesets add the last two, and clients send them back.
const KNOWN = new Set([...Object.keys(Ruleset.properties), 'valid', 'errors'])
const MAX_DESCRIPTION = 1_000
const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

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
  return {
    id: usableId,
    name: toName(textOf(given['name'])) || toName(usableId) || 'Rules',
    description: textOf(given['description']).slice(0, MAX_DESCRIPTION).trim(),
    schema_version: 1,
    built_in: given['built_in'] === true,
    ...readBySchema(Rules, given, fit),
    track_assignments: true,
  }
}

function fit(value: unknown, { enum: words, minimum, maximum, default: fallback }: TSchema): unknown {
  if (words !== undefined) return words.includes(value) ? value : fallback
  return Number.isInteger(value) ? Math.min(Math.max(value as number, minimum), maximum) : fallback
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
    add('id', 'invalid_id', 'An ID has at most 64 letters, numbers, _ and -, and starts with a letter or a number.')
  const name = nameProblem(textOf(given['name']).trim().normalize('NFC'))
  if (name !== undefined) errors.push(name)
  const { description, schema_version: version, track_assignments: tracks } = given
  if (description !== undefined && (typeof description !== 'string' || description.length > MAX_DESCRIPTION))
    add('description', 'invalid_description', `A description is a text of at most ${MAX_DESCRIPTION} characters.`)
  if (version !== undefined && version !== 1)
    add('schema_version', 'unsupported_schema_version', 'The version of rules must be 1.')
  if (tracks !== undefined && tracks !== true)
    add('track_assignments', 'unsupported_mode', 'An item always stays in the list that it was put into.')
  for (const [field, schema] of Object.entries(Rules.properties)) errors.push(...checkRule(field, schema, given[field]))
  const unknown = Object.keys(given).filter((field) => !KNOWN.has(field))
  return {
    errors,
    warnings: unknown.slice(0, 20).map((field) => `unknown_field:${field.slice(0, 80)}`),
    ruleset: normalizeRuleset(given),
  }
}

function checkRule(field: string, { enum: words, minimum, maximum }: TSchema, value: unknown): readonly Problem[] {
  if (value === undefined) return []
  if (words !== undefined) {
    if (words.includes(value)) return []
    return value === UNSUPPORTED[field]
      ? [problem(field, 'unsupported_mode', `${field} is ${words[0]} for all rulesets.`)]
      : [
          problem(
            field,
            'invalid_choice',
            `${field} is one of ${[...words, UNSUPPORTED[field] ?? []].flat().join(', ')}.`,
          ),
        ]
  }
  if (!Number.isInteger(value)) return [problem(field, 'invalid_number', `${field} is a whole number.`)]
  if ((value as number) >= minimum && (value as number) <= maximum) return []
  return [problem(field, 'out_of_range', `${field} is between ${minimum} and ${maximum}.`)]
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
