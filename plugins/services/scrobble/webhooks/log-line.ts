// The log line of a webhook: enough to see why a webhook had no effect, without payload, query and names.
import { defined, type Item, type PlaybackDecision, type WebhookReport } from '@playhead/sdk'
import { episodeCode } from '@playhead/sdk/items'

const MAX_TEXT = 120

export function describeReport(report: WebhookReport): object {
  const event = report.event === undefined ? {} : { event: report.event.slice(0, MAX_TEXT) }
  if (report.type === 'ignored') return event
  const { item, account } = report.type === 'rating' ? report : report.session
  const person = account.name ?? account.id ?? account.uuid
  return { ...event, title: titleOf(item), ...(person === undefined ? {} : { account: masked(person) }) }
}

interface DescribedDecision {
  readonly level: 'info' | 'debug' | 'warn'
  readonly text: string
  readonly fields: object
}

export function describeDecision(report: WebhookReport, decision: PlaybackDecision): DescribedDecision {
  const { action, ignored, dedup, debounced, suppressed, reason, progress, targets } = decision
  const isLeftOut = ignored === true || dedup === true || debounced === true || suppressed === true
  const failed = targets.filter(({ ok }) => !ok)
  const fields = {
    ...defined({ action, progress, reason }),
    ...(dedup === true ? { dedup } : {}),
    ...(debounced === true ? { debounced } : {}),
    ...(suppressed === true ? { suppressed } : {}),
    ...(targets.length === 0 ? {} : { targets: targets.map(targetText) }),
  }
  if (failed.length > 0) return { level: 'warn', text: 'webhook not accepted by all destinations', fields }
  // Position reports arrive every few seconds.
  const isRoutine = report.type === 'playback' && report.action === 'progress' && isLeftOut
  return { level: isRoutine ? 'debug' : 'info', text: isLeftOut ? 'webhook ignored' : 'webhook accepted', fields }
}

function targetText({ target, target_instance, reason, error }: PlaybackDecision['targets'][number]): string {
  const why = error ?? reason
  return `${target}:${target_instance}${why === undefined ? '' : ` (${why})`}`
}

function titleOf({ title, series_title, season, episode }: Item): string {
  const name = (series_title ?? title ?? '').slice(0, MAX_TEXT)
  return season === undefined || episode === undefined ? name : `${name} ${episodeCode({ season, episode })}`
}

/** The first two characters. */
function masked(name: string): string {
  return `${[...name].slice(0, 2).join('')}***`
}
