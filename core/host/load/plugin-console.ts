// The output of a plugin: `console` and `process.stdout` write redacted lines to the plugin's log channel. Based on Node's
// Console for tables, groups and timers; created on first use.
import { Console } from 'node:console'
import { Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { format } from 'node:util'
import type { Logger } from '@playhead/sdk'

/** The rest of a line waits this long for its end, so that a secret is not cut in two. */
const REST_MS = 100
const MAX_LINE = 16_384

export interface PluginOutput {
  readonly console: Console
  readonly stdout: Writable
  readonly stderr: Writable
}

export function createPluginOutput(log: Logger): PluginOutput {
  let made: Console | undefined
  const own = new Proxy({} as Console, {
    get: (_, name) => Reflect.get((made ??= createConsole(log)), name) as unknown,
  })
  return { console: own, stdout: linesInto(log, 'info'), stderr: linesInto(log, 'warn') }
}

function createConsole(log: Logger): Console {
  // A call is one entry, with all its lines.
  const into = (level: 'info' | 'warn') =>
    new Writable({
      decodeStrings: false,
      write(text: string, _encoding, done) {
        log[level](text.replace(/\n$/, ''))
        done()
      },
    })
  return Object.assign(new Console({ stdout: into('info'), stderr: into('warn'), colorMode: false }), {
    debug: (...said: unknown[]) => log.debug(format(...said)),
    error: (...said: unknown[]) => log.error(format(...said)),
  })
}

/** A stream whose lines are log entries. */
export function linesInto(log: Logger, level: 'info' | 'warn'): Writable {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  let timer: NodeJS.Timeout | undefined
  const say = (line: string) => {
    if (line.trim() !== '') log[level](line.replace(/\r$/, ''))
  }
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    say(rest)
    rest = ''
  }
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      const lines = (rest + decoder.write(chunk)).split('\n')
      rest = lines.pop() as string
      for (const line of lines) say(line)
      if (rest.length > MAX_LINE) flush()
      else if (rest !== '') timer ??= setTimeout(flush, REST_MS).unref()
      done()
    },
    final(done) {
      rest += decoder.end()
      flush()
      done()
    },
  })
}
