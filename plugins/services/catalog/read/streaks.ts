// Streaks of consecutive days with a play.
import { dateOfDay } from './zone.ts'

interface Streak {
  readonly days: number
  readonly from: string
  readonly to: string
}

/** @param days days since 1970, ascending and unique */
export function longestOf(days: readonly number[]): Streak | null {
  let best: Streak | null = null
  let start = 0
  for (let at = 0; at < days.length; at += 1) {
    if (at > 0 && days[at]! !== days[at - 1]! + 1) start = at
    const length = at - start + 1
    if (best === null || length > best.days)
      best = { days: length, from: dateOfDay(days[start]!), to: dateOfDay(days[at]!) }
  }
  return best
}

/** The streak that contains today or yesterday, because today is not over yet. */
export function presentOf(days: readonly number[], today: number): Streak | null {
  let end = days.findLastIndex((day) => day <= today)
  if (end === -1 || days[end]! < today - 1) return null
  const last = days[end]!
  while (end > 0 && days[end - 1] === days[end]! - 1) end -= 1
  return { days: last - days[end]! + 1, from: dateOfDay(days[end]!), to: dateOfDay(last) }
}
