// Recorded log lines, in order, unredacted.
import type { Logger } from '@playhead/sdk'
import type { LogLine } from '@playhead/sdk/testing'
import { defined } from '@playhead/sdk/host'

/** Records and forwards log lines. */
export function noted(lines: LogLine[], log: Logger, channel?: string): Logger {
  const at = (level: LogLine['level']) => (fields: object | string, text?: string) => {
    const said = typeof fields === 'string' ? { fields: {}, text: fields } : { fields: { ...fields }, text: text ?? '' }
    lines.push({ level, ...said, ...defined({ channel }) })
    log[level](fields as object, text)
  }
  return {
    trace: at('trace'),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    channel: (tag) => noted(lines, log.channel(tag), tag),
  }
}
