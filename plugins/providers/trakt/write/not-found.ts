// Matches echoed unknown items to the targets that were sent.
import type { Group, Target } from './targets.ts'
import type { WriteAnswer } from '../wire.ts'

type Fields = Readonly<Record<string, unknown>>

/** Targets that were not found. An unknown show or season includes all its sent parts. */
export function notFoundAmong(
  targets: readonly Target[],
  { not_found: echoes = {} }: WriteAnswer,
): ReadonlySet<Target> {
  const missing = new Set<Target>()
  for (const group of ['movies', 'shows', 'seasons', 'episodes'] as const) {
    for (const echo of echoes[group] ?? []) {
      if (isFields(echo)) for (const target of meant(targets, group, echo)) missing.add(target)
    }
  }
  return missing
}

function meant(targets: readonly Target[], group: Group, echo: Fields): readonly Target[] {
  const inGroup = targets.filter((target) => target.group === group && isNamedBy(target, echo['ids']))
  const seasons = listOf(echo['seasons'])
  if (seasons.length === 0) return inGroup
  return inGroup.filter((target) =>
    seasons.some((season) => {
      const episodes = listOf(season['episodes'])
      return (
        season['number'] === target.season &&
        (episodes.length === 0 || episodes.some(({ number }) => number === target.episode))
      )
    }),
  )
}

/** Every echoed id was sent for the target, and there is at least one. */
function isNamedBy({ ids }: Target, echoed: unknown): boolean {
  if (!isFields(echoed)) return false
  const echoedIds = Object.entries(echoed).filter(([, id]) => id !== null && id !== undefined)
  return (
    echoedIds.length > 0 && echoedIds.every(([name, id]) => ids[name] !== undefined && String(ids[name]) === String(id))
  )
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : []
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
