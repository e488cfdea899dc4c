// Log lines of a thread, written by the main thread.
import type { Logger } from '@playhead/sdk'

/** Log lines of a thread, for the main thread. */
export interface Relay {
  log(
    channels: readonly string[],
    level: 'trace' | 'debug' | 'info' | 'warn' | 'error',
    line: { readonly fields?: object; readonly text: string },
  ): Promise<void>
}

/** On the main thread. */
export function createRelay(log: Logger): Relay {
  return {
    async log(channels, level, { fields, text }) {
      const target = channels.reduce((logger, tag) => logger.channel(tag), log)
      if (fields === undefined) target[level](text)
      else target[level](fields, text)
    },
  }
}

/** On the thread. */
export function loggerOf(relay: Relay, channels: readonly string[]): Logger {
  const write =
    (level: 'trace' | 'debug' | 'info' | 'warn' | 'error') =>
    (fields: object | string, text?: string): void => {
      const line =
        typeof fields === 'string'
          ? { text: fields }
          : {
              fields: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plain(value)])),
              text: text ?? '',
            }
      relay.log(channels, level, line).catch(() => {})
    }
  return {
    trace: write('trace'),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    channel: (tag) => loggerOf(relay, [...channels, tag]),
  }
}

/** Unserializable values become text. */
function plain(value: unknown): unknown {
  if (value instanceof Error)
    return {
      type: value.name,
      message: value.message,
      stack: value.stack,
      ...('code' in value ? { code: value.code } : {}),
    }
  try {
    return structuredClone(value)
  } catch {
    return String(value)
  }
}
