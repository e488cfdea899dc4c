// Reads the options of a pair's feature leniently: aliases, words for booleans, numbers out of range.
import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import { defined } from '../defined.ts'
import { PlayheadError } from '../errors.ts'
import { oneOf } from '../schemas.ts'
import type { FeatureOptions } from './contract.ts'

type RawOptions = Readonly<Record<string, unknown>>

export interface OptionProblem {
  readonly option: string
  readonly message: string
}

const WORDS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 'true', 'yes', 'on'].map((word) => [word, true] as const),
  ...['0', 'false', 'no', 'off'].map((word) => [word, false] as const),
])
/** The option `libraries`: libraries by media server. */
export const LibraryChoice = Type.Record(Type.String(), Type.Array(Type.String()), {
  title: 'Only these libraries',
  description:
    'IDs of libraries by service (MEDIAA) or account (MEDIAA@KIDS). All libraries of other accounts are used.',
})

/** The two accounts of a pair, as the pair names them. */
export interface PairSides {
  readonly source: string
  readonly source_instance: string
  readonly target: string
  readonly target_instance: string
}

/**
 * The libraries that a pair's options select for one of its accounts; empty: all. Ids of libraries are valid at one
 * server only, so in a pair of two accounts of one provider the provider's name alone means the source.
 *
 * @example
 * chosenLibraries({ libraries: { 'MEDIAA@KIDS': ['2'] } }, pair, { provider: 'MEDIAA', instance: 'KIDS' }) // ['2']
 */
export function chosenLibraries(
  options: RawOptions,
  { source, source_instance: sourceInstance, target }: PairSides,
  { provider, instance }: { readonly provider: string; readonly instance: string },
): readonly string[] {
  const chosen = asOptions(options['libraries'])
  const byAccount = Object.entries(chosen).find(
    ([name]) => name.toUpperCase() === `${provider}@${instance}`.toUpperCase(),
  )
  const isNamed = source !== target || instance === sourceInstance
  const ids = byAccount?.[1] ?? (isNamed ? chosen[provider] : undefined)
  return Array.isArray(ids) ? ids.map(String) : []
}

/** Gets the sent value, undefined without one, and returns undefined for an option that is left out. */
export type ReadOption = (value: unknown, problem: (message: string, option?: string) => void) => unknown

const RemoveMode = oneOf(['source_deletes', 'mirror'])
const SWITCHES = {
  add: Type.Boolean({ default: true }),
  remove: Type.Boolean({ default: false }),
  remove_mode: RemoveMode,
  source_of_truth: Type.String(),
  restore_deleted: Type.Boolean(),
}
const OWN: Readonly<Record<string, ReadOption>> = {
  remove_mode: (value, problem) =>
    value === undefined || value === '' ? undefined : readValue(value, RemoveMode, problem),
  source_of_truth: (value) => (typeof value === 'string' && value.trim().toUpperCase().slice(0, 40)) || undefined,
  libraries: readLibraries,
}

/**
 * The options of a feature in the form of their schema, after the switches that all features have. Names may be in camel case,
 * booleans words, numbers text, and choices written with dashes; numbers are clamped to their range. Without a default, an
 * option is left out unless it was sent.
 *
 * @param read options that are neither booleans, numbers nor choices, by name; by default they stay as they were sent
 * @throws `PLH_INVALID` with `details.problems`, a list of `OptionProblem`
 *
 * @example normalize: (options) => readFeatureOptions(Options, options)
 */
export function readFeatureOptions(
  { properties }: TObject,
  options: unknown,
  read: Readonly<Record<string, ReadOption>> = {},
): FeatureOptions {
  const given = asOptions(options)
  const readers = { ...OWN, ...read }
  const problems: OptionProblem[] = []
  const readOne = (name: string, schema: TSchema) => {
    const value = given[name] ?? given[camelCase(name)] ?? undefined
    const problem = (message: string, option = name) => void problems.push({ option, message })
    const readOwn = readers[name]
    if (readOwn !== undefined) return readOwn(value, problem)
    return value === undefined ? structuredClone(schema.default) : readValue(value, schema, problem)
  }
  // `enable` is the older name; `enabled` takes precedence.
  const enabled = readOne(
    'enabled',
    Type.Boolean({ default: readOne('enable', Type.Boolean({ default: true })) as boolean }),
  )
  const others = Object.entries({ ...SWITCHES, ...properties }).map(([name, schema]) => [name, readOne(name, schema)])
  const normal: RawOptions = defined({ enabled, ...Object.fromEntries(others) })
  if (problems.length > 0) {
    const text = problems.map(({ option, message }) => `${option} ${message}`).join('; ')
    throw new PlayheadError('PLH_INVALID', `The options cannot be used: ${text}`, { details: { problems } })
  }
  // Limiting a pair to anime needs the mapping.
  return (normal['use_anime_mapping'] === false ? { ...normal, anime_only_sync: false } : normal) as FeatureOptions
}

function readValue(
  value: unknown,
  { type, minimum, maximum, enum: words, oneOf: titled }: TSchema,
  problem: Parameters<ReadOption>[1],
): unknown {
  if (type === 'boolean') return readFlag(value) ?? problem('must be true or false')
  if (type === 'number' || type === 'integer') {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    if (typeof number !== 'number' || Number.isNaN(number)) return problem('must be a number')
    return Math.min(maximum ?? Infinity, Math.max(minimum ?? -Infinity, number))
  }
  const choices = (words ?? titled?.map((one: TSchema) => one.const)) as readonly string[] | undefined
  if (choices === undefined) return value
  const choice = choices.find((one) => one === String(value).trim().toLowerCase().replaceAll('-', '_'))
  return choice ?? problem(`must be one of ${choices.join(', ')}`)
}

/** Normalizes options of a request or an older configuration: a boolean sets all switches. */
function asOptions(value: unknown): RawOptions {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as RawOptions
  const flag = readFlag(value)
  return flag === undefined ? {} : { enabled: flag, add: flag, remove: false }
}

/** Libraries by provider or account, in upper case: `{ MEDIAA: ['1', '3'] }`. */
function readLibraries(...[value, problem]: Parameters<ReadOption>): unknown {
  if (value === undefined) return undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return problem('must be an object of lists by provider')
  const chosen = Object.entries(value).flatMap(([provider, ids]) => {
    if (!Array.isArray(ids)) {
      problem('must be a list of library ids', `libraries.${provider}`)
      return []
    }
    const names = [...new Set(ids.map((id) => String(id).trim()).filter((id) => id !== ''))]
    return names.length === 0 ? [] : [[provider.toUpperCase(), names] as const]
  })
  return chosen.length === 0 ? undefined : Object.fromEntries(chosen)
}

/** The switches of the anime mapping. */
export const AnimeOptions = {
  use_anime_mapping: Type.Optional(
    Type.Boolean({
      title: 'Use the anime mapping',
      description: 'Matches titles between anime services and other services. The anime mapping must be on.',
    }),
  ),
  anime_only_sync: Type.Optional(
    Type.Boolean({
      title: 'Only anime',
      description: 'Skips titles that are not anime. The anime mapping must be on.',
    }),
  ),
}

/** true, false, 1, 0 and the words true, yes, on, false, no, off; undefined for anything else. */
export function readFlag(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  return typeof value === 'string' || typeof value === 'number'
    ? WORDS.get(String(value).trim().toLowerCase())
    : undefined
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
