// Log lines as a test sees them: everything, in order, as it was said. Nothing is redacted here, so that a test can
// show that a plugin keeps its secrets to itself.
import type { Logger } from '../context.ts'
import { PlayheadError } from '../errors.ts'

export interface LogLine {
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error'
  /** Empty for a line of text alone. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly text: string
  /** Set for lines of a channel. */
  readonly channel?: string
}

/** @param isChannel the channels that the manifest declares */
export function createLogger(lines: LogLine[], isChannel: (tag: string) => boolean, channel?: string): Logger {
  const at = (level: LogLine['level']) => (fields: object | string, text?: string) => {
    const said = typeof fields === 'string' ? { fields: {}, text: fields } : { fields: { ...fields }, text: text ?? '' }
    lines.push({ level, ...said, ...(channel === undefined ? {} : { channel }) })
  }
  return {
    trace: at('trace'),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    channel(tag) {
      if (!isChannel(tag)) {
        throw new PlayheadError(
          'PLH_PLUGIN_UNDECLARED',
          `The log channel "${tag}" is not declared. Add it to "logChannels" in plugin.json.`,
        )
      }
      return createLogger(lines, isChannel, tag)
    },
  }
}
