// Previews the effect of a request on an account, without writing.
import { kindOf, parseTime } from '@playhead/sdk/items'
import type { Action, ActionResult, TargetResult, WatchedAnswer } from '../request/body.ts'
import type { Order, Work } from '../request/order.ts'
import type { Play } from '../request/plays.ts'
import type { Target } from '../targets.ts'
import type { Already } from './already.ts'
import { resultOfError } from './outcomes.ts'
import { notSupported, supportOf, timeText, UNSUPPORTED_DATE, UNSUPPORTED_TYPE } from './write.ts'

interface PreviewOptions {
  readonly order: Order
  /** The title with all ids. */
  readonly item: Work
  readonly plays: readonly Play[]
  readonly target: Target
  readonly already: Already
}

type Planned = NonNullable<WatchedAnswer['plays']>[number]

const PLANNED: ActionResult = { status: 'planned' }

export async function previewOf(options: PreviewOptions): Promise<TargetResult> {
  const { order, target } = options
  const results = await Promise.all(
    order.actions.map(async (action) => [action, await resultOf(options, action).catch(resultOfError)] as const),
  )
  return {
    provider: target.provider,
    instance: target.instance,
    ok: results.every(([, { status }]) => status === 'planned' || status === 'already'),
    ...Object.fromEntries(results),
  }
}

async function resultOf({ item, plays, target, already }: PreviewOptions, action: Action): Promise<ActionResult> {
  const support = supportOf(target, action)
  if (support === undefined) return notSupported(action)
  if (action !== 'history') return support.kinds.includes(kindOf(item)) ? PLANNED : UNSUPPORTED_TYPE
  const possible = plays.filter(({ item: { type } }) => support.kinds.includes(type))
  if (possible.length === 0) return UNSUPPORTED_TYPE
  const open = possible.filter((play) => parseTime(timeText(play)) !== undefined)
  if (open.length === 0) return UNSUPPORTED_DATE
  // Plans of an earlier request are completed by that request; here they count as present.
  const there = (await already(target, open, () => Promise.resolve(undefined))).size
  if (plays.length === 1) return there === 1 ? { status: 'already' } : PLANNED
  return {
    status: there === plays.length ? 'already' : 'planned',
    episodes: {
      total: plays.length,
      done: open.length - there,
      already: there,
      unresolved: plays.length - open.length,
      failed: 0,
    },
  }
}

export function plannedPlay(play: Play): Planned {
  const { item, when } = play
  return {
    type: item.type,
    title: item.title ?? null,
    season: item.season ?? null,
    episode: item.episode ?? null,
    watched_at: timeText(play),
    watched_on: when.isDay ? when.date : null,
  }
}
