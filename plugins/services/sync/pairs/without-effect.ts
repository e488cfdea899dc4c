// Options of a pair that would have no effect. They are rejected, because the client would rely on them.
import type { FeatureOptions } from '@playhead/sdk'
import { DROPPED_SHOWS_OPTION } from '../plan/dropped-shows.ts'
import { type Problem, problem } from './input.ts'
import { namesOf, type Pair } from './pair.ts'

/** The sides of a pair, and all providers by id. */
interface Names extends Pick<Pair, 'source' | 'source_instance' | 'target' | 'target_instance'> {
  readonly providers: readonly string[]
  /** Providers with a list of dropped shows. */
  readonly droppers: readonly string[]
}

export function optionsWithoutEffect(feature: string, options: FeatureOptions, names: Names): readonly Problem[] {
  const { source, target } = names
  const field = (name: string) => `features.${feature}.${name}`
  const problems: Problem[] = []
  const winner = options['source_of_truth']
  if (winner !== undefined && !['A', 'B', source, target].includes(String(winner))) {
    problems.push(
      problem(field('source_of_truth'), `${String(winner)} is no side of the pair; there are ${source} and ${target}`),
    )
  }
  // A library filter for an account outside the pair would have no effect, and everything would be synced.
  const accounts = Object.values(namesOf(names))
  for (const name of Object.keys(options['libraries'] ?? {})) {
    if (names.providers.includes(name)) continue
    if (!name.includes('@')) problems.push(problem(field(`libraries.${name}`), `${name} is no provider`))
    else if (!accounts.some((account) => account.toUpperCase() === name.toUpperCase()))
      problems.push(
        problem(field(`libraries.${name}`), `${name} is no side of the pair; there are ${accounts.join(' and ')}`),
      )
  }
  return problems
}

/** A boolean is the older form, from when there was a single override. */
export function overridesWithoutEffect(
  sent: Readonly<Record<string, unknown>>,
  { source, target, droppers }: Names,
): readonly Problem[] {
  return Object.entries(sent).flatMap(([name, value]) => {
    const field = `providers.${name}`
    if (![source, target].includes(name.toUpperCase()))
      return [problem(field, `${name} is no side of the pair; there are ${source} and ${target}`)]
    const isDropper = droppers.includes(name.toUpperCase())
    return typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([option, wanted]) => whyWithout(`${field}.${option}`, option, wanted, isDropper))
      : []
  })
}

function whyWithout(field: string, option: string, wanted: unknown, isDropper: boolean): readonly Problem[] {
  // Matching is always strict.
  if (option === 'strict_id_matching') return []
  if (option !== DROPPED_SHOWS_OPTION) return [problem(field, 'is nothing that a pair can change')]
  if (wanted !== null && typeof wanted !== 'boolean') return [problem(field, 'is true or false', 'bool_parsing')]
  return wanted === true && !isDropper
    ? [problem(field, 'this provider does not report dropped shows; nothing would be left out')]
    : []
}
