/** Structured logger: object first, constant text second. Secrets are redacted before a line is stored or printed. */
export interface Logger {
  trace(fields: object | string, text?: string): void
  debug(fields: object | string, text?: string): void
  info(fields: object | string, text?: string): void
  warn(fields: object | string, text?: string): void
  error(fields: object | string, text?: string): void
  /** False: lines of this level are dropped, so their fields need not be made. Absent: they may be written. */
  isOn?(level: 'trace' | 'debug'): boolean
  /** The same logger writing to another channel, for example `WATCH`. The channel must be declared in plugin.json. */
  channel(tag: string): Logger
}
