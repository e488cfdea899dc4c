// Parses lines of the combined log: "[2026-01-31T12:00:00.000Z] [SYNC] WARN text".
export type Level = 'debug' | 'info' | 'warn' | 'error'

export interface LogLine {
  readonly id: number
  readonly atMs: number
  readonly channel: string
  readonly level: Level
  readonly text: string
}

const FORM = /^\[([^\]]+)\] \[([^\]]+)\] (?:(TRACE|DEBUG|WARN|ERROR|FATAL) )?([\s\S]*)$/
const LEVELS: Readonly<Record<string, Level>> = {
  TRACE: 'debug',
  DEBUG: 'debug',
  WARN: 'warn',
  ERROR: 'error',
  FATAL: 'error',
}
const WEIGHTS: Readonly<Record<Level, number>> = { debug: 0, info: 1, warn: 2, error: 3 }

export function readLine(id: number, raw: string): LogLine {
  const [, at = '', channel = '', level = '', text = raw] = FORM.exec(raw) ?? []
  return { id, atMs: Date.parse(at), channel, level: LEVELS[level] ?? 'info', text }
}

interface LogFilter {
  readonly level: Level
  /** Empty for all channels. */
  readonly channel: string
  readonly search: string
}

export function matchesFilter({ level, channel, text }: LogLine, filter: LogFilter): boolean {
  return (
    WEIGHTS[level] >= WEIGHTS[filter.level] &&
    (filter.channel === '' || channel === filter.channel) &&
    (filter.search === '' ||
      text.toLowerCase().includes(filter.search) ||
      channel.toLowerCase().includes(filter.search))
  )
}

export function writeLine({ atMs, channel, level, text }: LogLine): string {
  return `${Number.isNaN(atMs) ? '-' : new Date(atMs).toISOString()} ${level.toUpperCase().padEnd(5)} ${channel} ${text}`
}
