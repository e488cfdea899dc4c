// Texts for the changes and the duration of a run.
import { runs } from '../../texts/en/runs.ts'
import { say } from '../../texts/say.ts'

/** "12 added, 3 removed" */
export function changesText({
  added,
  updated,
  removed,
  held = 0,
}: {
  readonly added: number
  readonly updated: number
  readonly removed: number
  readonly held?: number
}): string {
  const parts = Object.entries({ added, updated, removed, held })
    .filter(([, n]) => n > 0)
    .map(([name, n]) => say(runs.counts[name as 'added'], { n }))
  return parts.length === 0 ? runs.counts.none : parts.join(', ')
}

export function durationText(seconds: number | null): string {
  if (seconds === null) return runs.duration.none
  const whole = Math.round(seconds)
  if (whole < 60) return say(runs.duration.seconds, { seconds: seconds < 10 ? Math.round(seconds * 10) / 10 : whole })
  return say(runs.duration.minutes, { minutes: Math.floor(whole / 60), seconds: whole % 60 })
}
