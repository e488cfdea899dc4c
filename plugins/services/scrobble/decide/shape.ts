// Shapes an emission for its tracker: in steps, and smoothed for services that small jumps mislead. Pure.
import type { Thresholds } from '../contract.ts'
import type { Emission, Sent } from './viewing.ts'

const LEAST = 2
const END = 98

/**
 * @param sent the last message to the tracker for this viewing
 * @returns null if nothing has to be sent
 */
export function shapeForSink(
  emission: Emission,
  sent: Sent | null,
  thresholds: Thresholds,
  { smooth = false, playAtPercent = Infinity }: { readonly smooth?: boolean; readonly playAtPercent?: number },
): Sent | null {
  const { action, completed, seek } = emission
  if (action === 'start' && sent?.action === 'start' && !seek) {
    const bucket = (percent: number) => bucketOf(percent, thresholds.progressStep)
    if (bucket(emission.percent) <= bucket(sent.percent)) return null
  }
  const percent = smooth && !completed ? smoothed(emission, sent, thresholds) : emission.percent
  // Below the route's threshold it is not a play, however the service interprets such a stop.
  return { action: action === 'stop' && !completed && percent >= playAtPercent ? 'pause' : action, percent }
}

function bucketOf(percent: number, step: number): number {
  return Math.max(1, Math.floor(percent / step) * step)
}

function smoothed(
  { action, percent, seek }: Emission,
  sent: Sent | null,
  { regressTolerance }: Pick<Thresholds, 'regressTolerance'>,
): number {
  const last = sent?.percent ?? 0
  const isJitter = percent < last && last - percent <= regressTolerance
  if (action !== 'start') {
    if (action === 'pause' && percent >= END && last > 0 && last < 95) return last
    return isJitter ? last : percent
  }
  if (seek) return Math.max(LEAST, percent)
  if (percent <= LEAST) return last >= 10 || last === 0 || percent > 0 ? LEAST : Math.max(LEAST, last)
  return isJitter ? last : percent
}
