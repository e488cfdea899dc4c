// The log: one root for everything, including the web server. Every line is redacted once and sent to the console and
// to its channel.
import { defined } from '@playhead/sdk/host'
import { createRequire } from 'node:module'
import { pino, type LevelWithSilent, type Logger as PinoLogger } from 'pino'
import type PinoPretty from 'pino-pretty'
import { PlayheadError, type Logger } from '@playhead/sdk'
import { systemClock, type Clock } from './clock.ts'
import type { LogChannels, LogLine } from './events/log-channels.ts'

export interface Logging {
  /** The core's logger with the channel BOOT; `channel` selects another. */
  readonly log: Logger
  /** The same root for the web server. */
  readonly root: PinoLogger
  /**
   * The logger of a plugin's generation. The channel is `tag`, a provider's id, or the plugin's id; others must be
   * declared.
   */
  forPlugin(owner: {
    readonly plugin: string
    readonly generation: number
    readonly tag?: string | undefined
    readonly channels?: readonly string[]
  }): Logger
  setLevel(level: LevelWithSilent): void
}

export interface LoggingOptions {
  readonly level: LevelWithSilent
  /** Human-readable lines instead of JSON. Default: if the console is a terminal. */
  readonly pretty?: boolean
  readonly redactValue: (value: unknown) => unknown
  readonly channels: LogChannels
  readonly clock?: Clock
  /** Console output. Default: standard output. */
  readonly output?: { write(line: string): unknown }
}

const OWN_TAG = 'BOOT'
const HEADINGS = ['level', 'time', 'msg', 'tag', 'plugin', 'generation'] as const

export function createLogging(options: LoggingOptions): Logging {
  const { level, redactValue, channels, clock = systemClock } = options
  const console = openConsole(options)

  const root = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":${clock.now()}`,
      serializers: { err: pino.stdSerializers.err, error: pino.stdSerializers.err },
    },
    {
      // Synchronous, so that no line is lost.
      write(line: string) {
        // Headings are not redacted: a secret with the same text must not change the channel.
        const { level, time, tag, plugin, generation, ...said } = JSON.parse(line) as Record<string, unknown>
        const record = {
          ...defined({ level, time, tag, plugin, generation }),
          ...(redactValue(said) as Record<string, unknown>),
        }
        console.write(`${JSON.stringify(record)}\n`)
        channels.append(toLine(record))
      },
    },
  )

  return {
    log: wrap(root),
    root,
    forPlugin({ plugin, generation, tag, channels: declared = [] }) {
      return wrap(root.child({ plugin, generation, ...defined({ tag }) }), new Set(declared))
    },
    setLevel(next) {
      root.level = next
    },
  }
}

function openConsole({ pretty: wanted, output }: LoggingOptions): { write(line: string): unknown } {
  const target = output ?? pino.destination({ fd: 1, sync: true })
  if (!(wanted ?? (output === undefined && process.stdout.isTTY))) return target
  // Loaded on demand.
  const pretty = createRequire(import.meta.url)('pino-pretty') as typeof PinoPretty
  const format = pretty.prettyFactory({
    colorize: output === undefined,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'generation',
    singleLine: true,
  })
  return { write: (line) => target.write(format(line)) }
}

function wrap(target: PinoLogger, declared?: ReadonlySet<string>): Logger {
  const write =
    (level: 'trace' | 'debug' | 'info' | 'warn' | 'error') =>
    (fields: object | string, text?: string): void => {
      if (!target.isLevelEnabled(level)) return
      if (typeof fields === 'string') target[level](fields)
      else target[level](withoutHeadings(fields), text ?? '')
    }
  return {
    trace: write('trace'),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    isOn: (level) => target.isLevelEnabled(level),
    channel(tag) {
      if (declared?.has(tag) === false) {
        throw new PlayheadError(
          'PLH_PLUGIN_UNDECLARED',
          `The log channel ${tag} is not declared. Add it to logChannels in plugin.json`,
        )
      }
      return wrap(target.child({ tag }), declared)
    },
  }
}

// A field must not overwrite a heading, which selects the channel.
function withoutHeadings(fields: object): object {
  if (!HEADINGS.some((heading) => heading in fields)) return fields
  const isHeading = (name: string) => (HEADINGS as readonly string[]).includes(name)
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [isHeading(name) ? `${name}_` : name, value]))
}

function toLine(record: Record<string, unknown>): LogLine {
  const fields = { ...record }
  for (const heading of HEADINGS) delete fields[heading]
  const { tag, plugin, level, time, msg } = record
  return {
    tag: typeof tag === 'string' ? tag : typeof plugin === 'string' ? plugin.toUpperCase() : OWN_TAG,
    level: (pino.levels.labels[Number(level)] ?? 'info') as LogLine['level'],
    atMs: Number(time),
    text: typeof msg === 'string' ? msg : '',
    fields,
  }
}
