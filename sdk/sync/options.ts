// Reads the options of a pair's feature leniently: aliases, words for booleans, numbers out of range.
import { Type } from '@sinclair/typebox'
import { PlayheadError } from '../errors.ts'
import type { FeatureOptions } from './contract.ts'

export type RawOptions = Readonly<Record<string, unknown>>

/** Reads option values and collects problems. */
export interface OptionReader {
  /** As `readFlag`. */
  flag(name: string, fallback: boolean): boolean
  /** A number or its text, clamped to the range. 0 is valid. */
  number(name: string, fallback: number, range: { readonly min: number; readonly max: number }): number
  oneOf<Name extends string>(name: string, choices: readonly Name[], fallback: Name): Name
  /** The raw value, under its name or an alias. */
  raw(name: string): unknown
  problem(name: string, message: string): void
  /** Throws `PLH_INVALID` with `details.problems`, a list of `{ option, message }`, if there are any. */
  finish(): void
}

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
    'Ids of libraries by provider (MEDIAA) or account (MEDIAA@KIDS). An account that is not named is read whole.',
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

const REMOVE_MODES = ['source_deletes', 'mirror'] as const

/** Normalizes options of a request or an older configuration: a boolean sets all switches. */
export function asOptions(value: unknown): RawOptions {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as RawOptions
  const flag = readFlag(value)
  return flag === undefined ? {} : { enabled: flag, add: flag, remove: false }
}

export function readOptions(options: RawOptions): OptionReader {
  const problems: OptionProblem[] = []
  const raw = (name: string) => options[name] ?? options[camelCase(name)] ?? undefined
  const problem = (option: string, message: string) => void problems.push({ option, message })
  return {
    raw,
    problem,
    flag(name, fallback) {
      const value = raw(name)
      const flag = value === undefined ? fallback : readFlag(value)
      if (flag === undefined) problem(name, 'must be true or false')
      return flag ?? fallback
    },
    number(name, fallback, { min, max }) {
      const value = raw(name)
      if (value === undefined) return fallback
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
      if (typeof number === 'number' && !Number.isNaN(number)) return Math.min(max, Math.max(min, number))
      problem(name, 'must be a number')
      return fallback
    },
    oneOf(name, choices, fallback) {
      const value = raw(name)
      if (value === undefined) return fallback
      const choice = choices.find((one) => one === String(value).trim().toLowerCase().replaceAll('-', '_'))
      if (choice === undefined) problem(name, `must be one of ${choices.join(', ')}`)
      return choice ?? fallback
    },
    finish() {
      if (problems.length === 0) return
      const text = problems.map(({ option, message }) => `${option} ${message}`).join('; ')
      throw new PlayheadError('PLH_INVALID', `The options cannot be used: ${text}`, { details: { problems } })
    },
  }
}

/** Options of all features: switches, removal mode, and the source of truth. */
export function readSwitches(reader: OptionReader): FeatureOptions {
  const removeMode = reader.raw('remove_mode')
  const truth = reader.raw('source_of_truth')
  return {
    // `enable` is the older name; `enabled` takes precedence.
    enabled: reader.flag('enabled', reader.flag('enable', true)),
    add: reader.flag('add', true),
    remove: reader.flag('remove', false),
    ...(removeMode === undefined || removeMode === ''
      ? {}
      : { remove_mode: reader.oneOf('remove_mode', REMOVE_MODES, 'source_deletes') }),
    ...(typeof truth === 'string' && truth.trim() !== ''
      ? { source_of_truth: truth.trim().toUpperCase().slice(0, 40) }
      : {}),
    ...(reader.raw('restore_deleted') === undefined ? {} : { restore_deleted: reader.flag('restore_deleted', false) }),
  }
}

/** Libraries by provider or account, in upper case: `{ MEDIAA: ['1', '3'] }`. Omitted if empty. */
export function readLibraries(reader: OptionReader): {
  readonly libraries?: Readonly<Record<string, readonly string[]>>
} {
  const value = reader.raw('libraries')
  if (value === undefined) return {}
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    reader.problem('libraries', 'must be an object of lists by provider')
    return {}
  }
  const chosen = Object.entries(value).flatMap(([provider, ids]) => {
    if (!Array.isArray(ids)) {
      reader.problem(`libraries.${provider}`, 'must be a list of library ids')
      return []
    }
    const names = [...new Set(ids.map((id) => String(id).trim()).filter((id) => id !== ''))]
    return names.length === 0 ? [] : [[provider.toUpperCase(), names] as const]
  })
  return chosen.length === 0 ? {} : { libraries: Object.fromEntries(chosen) }
}

/** Schema of the options that readAnime() reads. */
export const AnimeOptions = {
  use_anime_mapping: Type.Optional(
    Type.Boolean({
      title: 'Use the anime mapping',
      description: 'Matches titles between anime services and others with the mapping data, if it is switched on.',
    }),
  ),
  anime_only_sync: Type.Optional(
    Type.Boolean({ title: 'Only anime', description: 'Leaves out every title that is no anime. Needs the mapping.' }),
  ),
}

/** Both switches of the anime mapping, if the first is given: limiting to anime requires mapping. */
export function readAnime(reader: OptionReader): {
  readonly use_anime_mapping?: boolean
  readonly anime_only_sync?: boolean
} {
  const given = (name: string) => reader.raw(name) !== undefined
  const uses = given('use_anime_mapping') ? { use_anime_mapping: reader.flag('use_anime_mapping', false) } : {}
  const only = given('anime_only_sync') ? { anime_only_sync: reader.flag('anime_only_sync', false) } : {}
  return uses.use_anime_mapping === false ? { ...uses, anime_only_sync: false } : { ...uses, ...only }
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
