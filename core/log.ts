// The log. One root that everything writes to, the web server included; every line passes through redaction once, and
// from there to the console and to the channel that the application shows.
import { createRequire } from 'node:module'
import { pino, type LevelWithSilent, type Logger as PinoLogger } from 'pino'
import type PinoPretty from 'pino-pretty'
import { PlayheadError, type Logger } from '@playhead/sdk'
import { systemClock, type Clock } from './clock.ts'
import type { LogChannels, LogLine } from './events/log-channels.ts'

export interface Logging {
  /** The core's logger. Its own channel is BOOT; services take another with `channel`. */
  readonly log: Logger
  /** The same root for the web server. */
  readonly root: PinoLogger
  /**
   * The logger of one generation of a plugin. Its channel is `tag`, for a provider its id, or else the plugin's id;
   * others must be declared.
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
  /** Lines for people instead of JSON. Default: when the console is a terminal. */
  readonly pretty?: boolean
  readonly redactValue: (value: unknown) => unknown
  readonly channels: LogChannels
  readonly clock?: Clock
  /** Where console lines go. Default: standard output. */
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
      // Synchronous and complete: a line is on its way out before the call that logged it returns.
      write(line: string) {
        // Headings are the host's own words: a secret that happens to be one of them must not change whose line it is.
        const { level, time, tag, plugin, generation, ...said } = JSON.parse(line) as Record<string, unknown>
        const headings = Object.fromEntries(
          Object.entries({ level, time, tag, plugin, generation }).filter(([, value]) => value !== undefined),
        )
        const record = { ...headings, ...(redactValue(said) as Record<string, unknown>) }
        console.write(`${JSON.stringify(record)}\n`)
        channels.append(toLine(record))
      },
    },
  )

  return {
    log: wrap(root),
    root,
    forPlugin({ plugin, generation, tag, channels: declared = [] }) {
      return wrap(root.child({ plugin, generation, ...(tag === undefined ? {} : { tag }) }), new Set(declared))
    },
    setLevel(next) {
      root.level = next
    },
  }
}

function openConsole({ pretty: wanted, output }: LoggingOptions): { write(line: string): unknown } {
  const target = output ?? pino.destination({ fd: 1, sync: true })
  if (!(wanted ?? (output === undefined && process.stdout.isTTY))) return target
  // Loaded only for people: a service that writes JSON starts without it.
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
      if (typeof fields === 'string') target[level](fields)
      else target[level](withoutHeadings(fields), text ?? '')
    }
  return {
    trace: write('trace'),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    channel(tag) {
      if (declared?.has(tag) === false) {
        throw new PlayheadError(
          'PLH_PLUGIN_UNDECLARED',
          `The log channel ${tag} is not declared; add it to logChannels in plugin.json`,
        )
      }
      return wrap(target.child({ tag }), declared)
    },
  }
}

// A field of the same name would take the heading's place, and with it the line into another channel.
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
