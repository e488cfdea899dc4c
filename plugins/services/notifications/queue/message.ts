// Builds one message from a delivery: errors first, and limited in length.
import { NOTIFICATION_SEVERITIES, type NotificationMessage, type Notice } from '@playhead/sdk'

const MAX_TITLE = 200
const MAX_TEXT = 8_000
const MAX_LINES = 20
const MAX_LINE = 300
const REPEAT = ' (may be a repeat)'

export interface StoredNotice extends Notice {
  readonly atMs: number
}

interface MessageFacts {
  readonly id: string
  readonly isRepeat: boolean
  /** Address of Playhead; empty for messages without links. */
  readonly publicUrl: string
  /** Counts of the whole delivery; `notices` may be a part of it. */
  readonly total: number
}

export function rank(severity: Notice['severity']): number {
  return NOTIFICATION_SEVERITIES.indexOf(severity)
}

/** @param notices at least one, most severe first */
export function messageOf(notices: readonly StoredNotice[], facts: MessageFacts): NotificationMessage {
  const { id, isRepeat, publicUrl, total } = facts
  const [first] = notices as [StoredNotice]
  const isOne = total === 1
  const paths = new Set(notices.map(({ path }) => path))
  const path = isOne || paths.size === 1 ? first.path : '/'
  const title = isOne ? first.title : `${total} messages: ${first.title}`
  return {
    id,
    event: isOne ? first.event : 'group',
    title: isRepeat ? `${cut(title, MAX_TITLE - REPEAT.length)}${REPEAT}` : cut(title, MAX_TITLE),
    text: cut(isOne ? first.text : linesOf(notices, total).join('\n'), MAX_TEXT),
    severity: first.severity,
    atMs: first.atMs,
    ...(publicUrl === '' || path === undefined ? {} : { url: `${publicUrl.replace(/\/+$/, '')}${path}` }),
    ...(isRepeat ? { repeat: true } : {}),
    ...(isOne && first.data !== undefined ? { data: first.data } : {}),
  }
}

function linesOf(notices: readonly StoredNotice[], total: number): readonly string[] {
  const lines = notices
    .slice(0, MAX_LINES)
    .map(({ title, text }) => `• ${title}${text === '' ? '' : `: ${cut(text, MAX_LINE)}`}`)
  const rest = total - lines.length
  return rest === 0 ? lines : [...lines, `… and ${rest} more, in the log of the notifications.`]
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`
}
