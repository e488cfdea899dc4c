// Log lines as streams: one channel per subject, each a topic `log/<TAG>`. DEBUG contains all lines.
import type { Topics } from './topics.ts'

interface LogChannel {
  readonly tag: string
  /** Part of `/api/logs/watcher`. */
  readonly watcher: boolean
}

/** A redacted line; everything but the message is in `fields`. */
export interface LogLine {
  readonly tag: string
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'
  readonly atMs: number
  readonly text: string
  readonly fields: Readonly<Record<string, unknown>>
}

export interface LogChannels {
  append(line: LogLine): void
  /** The channels that active plugins declare; called with each composition. */
  setDeclaredChannels(channels: readonly LogChannel[]): void
  /** All channels by tag: declared ones, and those with lines. `TAG` includes `SOME-TAG`. */
  list(): readonly LogChannel[]
}

const COPY_TAG = 'DEBUG'
const MAX_LINE_LENGTH = 16_384

export function createLogChannels({ topics }: { readonly topics: Topics }): LogChannels {
  let declared: readonly LogChannel[] = []

  return {
    append(line) {
      const text = cut(formatLine(line).replace(/[\r\n]+/g, ' '))
      topics.publish(`log/${line.tag}`, { data: text })
      if (line.tag !== COPY_TAG)
        topics.publish(`log/${COPY_TAG}`, { data: `[${new Date(line.atMs).toISOString()}] [${line.tag}] ${text}` })
    },
    setDeclaredChannels(channels) {
      declared = [...channels]
    },
    list() {
      const watching = new Set(declared.filter(({ watcher }) => watcher).map(({ tag }) => tag))
      const written = topics.names('log/').map((topic) => topic.slice('log/'.length))
      return [...new Set([...declared.map(({ tag }) => tag), ...written])]
        .sort()
        .map((tag) => ({ tag, watcher: watching.has(tag) || watching.has(subjectOf(tag)) }))
    },
  }
}

function subjectOf(tag: string): string {
  return tag.slice(tag.lastIndexOf('-') + 1)
}

// Records with an `event` stay JSON on one line; others are a sentence followed by the fields.
function formatLine({ level, text, fields }: LogLine): string {
  if (typeof fields['event'] === 'string') return JSON.stringify(text === '' ? fields : { ...fields, msg: text })
  const facts = Object.entries(fields)
    .map(([name, value]) => ` ${name}=${formatValue(value)}`)
    .join('')
  return `${level === 'info' ? '' : `${level.toUpperCase()} `}${text}${facts}`
}

function formatValue(value: unknown): string {
  if (typeof value === 'string') return /^[\w.:/@+-]+$/.test(value) ? value : JSON.stringify(value)
  const error = value as { message?: unknown; code?: unknown; stack?: unknown } | null
  if (
    typeof error === 'object' &&
    error !== null &&
    typeof error.message === 'string' &&
    typeof error.stack === 'string'
  ) {
    return JSON.stringify(typeof error.code === 'string' ? `${error.code}: ${error.message}` : error.message)
  }
  return JSON.stringify(value) ?? 'undefined'
}

function cut(line: string): string {
  return line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}… (${line.length} characters)` : line
}
