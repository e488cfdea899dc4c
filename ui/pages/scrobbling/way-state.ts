// Why a way runs or does not run.
import type { Tone } from '../../parts/values/status-badge.tsx'
import { scrobbling } from '../../texts/en/scrobbling.ts'
import { say } from '../../texts/say.ts'
import type { Group, Overview, Way } from './use-overview.ts'

export interface WayState {
  readonly tone: Tone
  readonly label: string
  readonly text: string
  /** The suggested action. */
  readonly help?: { readonly start: true } | { readonly connect: string; readonly name: string }
  /** The watcher of the source, if it runs. */
  readonly group?: Group
}

const { states, details, reasons, pushReasons } = scrobbling

export function stateOf(way: Way, overview: Overview): WayState {
  const { source_state: switches } = overview
  const isLive = way.route !== undefined
  if (!way.enabled) return { tone: 'idle', label: states.off, text: details.off }
  if (!switches.enabled) return { tone: 'idle', label: states.switchedOff, text: details.master }
  if (!switches.sources[isLive ? 'watcher' : 'webhook'])
    return { tone: 'idle', label: states.switchedOff, text: isLive ? details.watcherOff : details.webhookOff }
  return missingAccount(way, overview) ?? (isLive ? liveState(way, overview) : readyState(way))
}

function missingAccount(way: Way, { eligible_sources: sources, destination_availability: sinks }: Overview) {
  const accounts = [
    [way.provider, way.instance, way.sourceName, sources],
    [way.sink, way.sinkInstance, way.sinkName, sinks],
  ] as const
  for (const [provider, instance, name, all] of accounts) {
    const found = all.find((one) => one.provider === provider)
    if (found?.profiles.some((profile) => profile.instance === instance && profile.configured) === true) continue
    const text = say(found === undefined ? details.gone : details.signIn, { name })
    const state: WayState = { tone: 'warn', label: states.notConnected, text }
    return found === undefined ? state : { ...state, help: { connect: provider, name } }
  }
  return undefined
}

function readyState({ sourceName: source }: Way): WayState {
  return { tone: 'good', label: states.ready, text: say(details.ready, { source }) }
}

function liveState({ route, sourceName: source }: Way, { watcher_runtime: { groups } }: Overview): WayState {
  const group = groups.find(({ routes }) => routes.includes(route?.id ?? ''))
  if (group === undefined || group.state === 'stopped' || group.state === 'stopping')
    return { tone: 'warn', label: states.notStarted, text: details.notStarted, help: { start: true } }
  const reason = watchReason(group.last_error)
  switch (group.state) {
    case 'connected':
      return { tone: 'good', label: states.connected, text: connectedText(group, source), group }
    case 'offline':
      return { tone: 'bad', label: states.offline, text: say(details.offline, { source, reason }), group }
    case 'failed':
      return {
        tone: 'bad',
        label: states.failed,
        text: say(details.failed, { source, reason }),
        group,
        help: { start: true },
      }
    default:
      return { tone: 'busy', label: states.connecting, text: say(details.connecting, { source }), group }
  }
}

function connectedText({ by, others, last_error: reason }: Group, source: string): string {
  const parts = [
    say(by === 'push' ? details.push : details.poll, { source }),
    reason === null || !reason.startsWith('push_')
      ? ''
      : ((pushReasons as Readonly<Record<string, string>>)[reason] ?? pushReasons.other),
    others === false ? details.ownOnly : '',
  ]
  return parts.filter((part) => part !== '').join(' ')
}

function watchReason(code: string | null): string {
  const known = (reasons as Readonly<Record<string, string>>)[code ?? 'connection_lost']
  return known ?? say(reasons.unknown, { code: code ?? '' })
}
