// A line of the log that holds all channels: "[2026-01-31T12:00:00.000Z] [SYNC] WARN text".
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

export interface Wanted {
  readonly level: Level
  /** Empty: all. */
  readonly channel: string
  readonly search: string
}

export function fits({ level, channel, text }: LogLine, wanted: Wanted): boolean {
  return (
    WEIGHTS[level] >= WEIGHTS[wanted.level] &&
    (wanted.channel === '' || channel === wanted.channel) &&
    (wanted.search === '' ||
      text.toLowerCase().includes(wanted.search) ||
      channel.toLowerCase().includes(wanted.search))
  )
}

export function writeLine({ atMs, channel, level, text }: LogLine): string {
  return `${Number.isNaN(atMs) ? '-' : new Date(atMs).toISOString()} ${level.toUpperCase().padEnd(5)} ${channel} ${text}`
}
